//! Changes of a sale's life, the same for every kind: pausing and resuming, start and end, reopening, texts.

use crate::{KINDS, archiving_schedule, kind_of};
use async_trait::async_trait;
use ledger::{absence::archived_or_lost, database::Ledger};
use model::{
    Answer, Checks, Millis, check_id, check_within,
    error::{Code, Error, Result},
    find_kind,
    life::{
        Described, HoldClock, LifeApi, MAX_AHEAD_S, Paused, Reopened, Resumed, Scheduled, Texts, When, check_ahead,
        check_description, check_reason, check_title, has_passed, not_after_start, outcome,
    },
};
use std::sync::Arc;
use store::{
    Store, keys,
    reply::ReplyCode,
    runtime::{Clock, Ids},
    script::{Script, script},
    stream::protocol_error,
};

/// Changes the life of a sale of any kind. Its keys are `meta` and `events`.
pub static CHANGE: Script = script!("sale/change.lua");

/// The service for the lives of all sales on one Redis.
#[derive(Clone)]
pub struct Lives {
    store: Store,
    ledger: Ledger,
    clock: Arc<dyn Clock>,
    ids: Arc<Ids>,
}

/// The reply to a change.
struct Changed {
    code: ReplyCode,
    detail: String,
}

/// The times in a reply.
struct Times {
    opens_at: Option<Millis>,
    ends_at: Option<Millis>,
    now: Millis,
}

impl Changed {
    /// The detail, where it is an instant.
    fn instant(&self) -> Result<Millis> {
        self.detail.parse().map_err(protocol_error)
    }

    /// The detail, where it has the start, the end, and the time of the call.
    fn times(&self) -> Result<Times> {
        let mut words = self.detail.split(' ');
        let time = |word: Option<&str>| match word {
            Some("-") => Ok(None),
            Some(at) => at.parse().map(Some).map_err(protocol_error),
            None => Err(protocol_error("a time is missing")),
        };
        let (opens_at, ends_at, now) = (time(words.next())?, time(words.next())?, time(words.next())?);
        Ok(Times { opens_at, ends_at, now: now.unwrap_or_default() })
    }

    /// The error of a code that is not an outcome of this change.
    fn refusal(&self, sale: &str) -> Error {
        match self.code {
            ReplyCode::OtherRequest => Error::of_field(
                Code::RequestReused,
                "request_id",
                "`request_id` was used for another change of this sale; nothing was changed. Use a new one.",
            ),
            code => code.refusal(&CHANGE, sale),
        }
    }
}

impl Lives {
    pub fn new(store: Store, ledger: Ledger, clock: Arc<dyn Clock>, ids: Arc<Ids>) -> Self {
        Self { store, ledger, clock, ids }
    }

    /// Checks kind, sale and request id, after the checks of the change. Returns the id of the kind, and of the request.
    fn check(
        &self,
        mut checks: Checks,
        kind: &str,
        sale: &str,
        request_id: Option<String>,
    ) -> Result<(&'static str, String)> {
        let kind = checks.note(find_kind(KINDS.iter(), kind)).map_or("", |kind| kind.info.id);
        checks.note(check_id("sale", sale));
        checks.finish(self.ids.request_id(request_id)).map(|request_id| (kind, request_id))
    }

    /// Makes a change, and reads the reply by `outcome`.
    async fn change<O>(
        &self,
        (kind, sale): (&str, &str),
        request_id: String,
        change: &str,
        fields: Vec<(&str, String)>,
        outcome: impl Fn(&Changed) -> Result<O>,
    ) -> Result<Answer<O>> {
        let mut args = vec![self.clock.script_time(), request_id.clone(), change.to_owned()];
        args.extend(fields.into_iter().flat_map(|(name, value)| [name.to_owned(), value]));
        let changed = async {
            let mut reply = self.store.change_on(&CHANGE, (kind, sale), &["meta", "events"], &args).await?;
            let changed = Changed { code: reply.code, detail: reply.next_value()? };
            if changed.code == ReplyCode::Done {
                tracing::info!(kind, sale, change, "the life of a sale is changed");
            }
            outcome(&changed)
        };
        let changed = archived_or_lost(changed.await, &self.store, &self.ledger, kind, sale).await;
        Answer::to(request_id, changed)
    }

    /// Schedules the archiving of a sale whose end was changed, or that goes on.
    async fn reschedule(&self, kind: &str, sale: &str) -> Result<()> {
        archiving_schedule::cancel(&self.store, &keys::name(kind, sale), self.clock.now()).await
    }
}

fn refunds_at_end(kind: &str) -> bool {
    kind_of(kind).is_some_and(|kind| kind.refunds_at_end)
}

/// The fields of times in a change.
fn times(opens: Option<When>, ends: Option<When>) -> Vec<(&'static str, String)> {
    let field = |at, in_s, when| match when {
        When::At(instant) => (at, instant.to_string()),
        When::InSeconds(seconds) => (in_s, seconds.to_string()),
    };
    let start = opens.map(|when| field("opens_at", "opens_in_s", when));
    start.into_iter().chain(ends.map(|when| field("ends_at", "ends_in_s", when))).collect()
}

fn check_seconds(field: &str, when: Option<When>, least: u64) -> Result<()> {
    match when {
        Some(When::InSeconds(seconds)) => check_within(field, seconds, least..=MAX_AHEAD_S, " seconds"),
        _ => Ok(()),
    }
}

#[async_trait]
impl LifeApi for Lives {
    async fn pause(
        &self,
        kind: &str,
        sale: &str,
        reason: String,
        hold_clock: HoldClock,
        request_id: Option<String>,
    ) -> Result<Answer<Paused>> {
        let mut checks = Checks::default();
        checks.note(check_reason(&reason));
        let (kind, request_id) = self.check(checks, kind, sale, request_id)?;
        let fields = vec![("reason", reason), ("hold_clock", hold_clock.name().to_owned())];
        self.change((kind, sale), request_id, outcome::PAUSED, fields, |changed| {
            Ok(match changed.code {
                ReplyCode::Done => Paused::Paused { paused_at: changed.times()?.now },
                ReplyCode::Repeat => Paused::Repeat,
                ReplyCode::Expired => Paused::Ended { ends_at: changed.instant()? },
                ReplyCode::Closed => Paused::Closed { closed_at: changed.instant()? },
                _ => return Err(changed.refusal(sale)),
            })
        })
        .await
    }

    async fn resume(&self, kind: &str, sale: &str, request_id: Option<String>) -> Result<Answer<Resumed>> {
        let (kind, request_id) = self.check(Checks::default(), kind, sale, request_id)?;
        self.change((kind, sale), request_id, outcome::RESUMED, Vec::new(), |changed| {
            Ok(match changed.code {
                ReplyCode::Done => Resumed::Resumed,
                ReplyCode::Repeat => Resumed::Repeat,
                ReplyCode::Closed => Resumed::Closed { closed_at: changed.instant()? },
                _ => return Err(changed.refusal(sale)),
            })
        })
        .await
    }

    async fn schedule(
        &self,
        kind: &str,
        sale: &str,
        opens: Option<When>,
        ends: Option<When>,
        request_id: Option<String>,
    ) -> Result<Answer<Scheduled>> {
        let mut checks = Checks::default();
        if opens.is_none() && ends.is_none() {
            checks.note::<()>(Err(Error::bad("opens_at", "Give a start or an end; the request has neither.")));
        }
        checks.note(check_seconds("opens_in_s", opens, 0));
        checks.note(check_seconds("ends_in_s", ends, 1));
        checks.note(check_ahead(opens, ends, self.clock.now()));
        let (kind, request_id) = self.check(checks, kind, sale, request_id)?;
        let answer = self
            .change((kind, sale), request_id, outcome::SCHEDULED, times(opens, ends), |changed| {
                Ok(match changed.code {
                    ReplyCode::Done => {
                        let Times { opens_at, ends_at, .. } = changed.times()?;
                        Scheduled::Scheduled { opens_at, ends_at }
                    }
                    ReplyCode::Repeat => {
                        let Times { opens_at, ends_at, .. } = changed.times()?;
                        Scheduled::Repeat { opens_at, ends_at }
                    }
                    ReplyCode::TooLate => {
                        let Times { opens_at, ends_at, now } = changed.times()?;
                        Scheduled::TooLate { opens_at, ends_at, now }
                    }
                    ReplyCode::Closed => Scheduled::Closed { closed_at: changed.instant()? },
                    _ => return Err(changed.refusal(sale)),
                })
            })
            .await?;
        if matches!(answer.outcome, Scheduled::Scheduled { .. } | Scheduled::Repeat { .. }) {
            self.reschedule(kind, sale).await?;
            if refunds_at_end(kind) {
                // Servers know when a sale expires until one is recovered. An end that comes earlier is as much news.
                let _count: u64 = self.store.query("INCR", self.store.key(keys::RECOVERED)).await?;
            }
        }
        Ok(answer)
    }

    async fn reopen(
        &self,
        kind: &str,
        sale: &str,
        ends: Option<When>,
        request_id: Option<String>,
    ) -> Result<Answer<Reopened>> {
        let mut checks = Checks::default();
        checks.note(check_seconds("ends_in_s", ends, 1));
        checks.note(check_ahead(None, ends, self.clock.now()));
        let (kind, request_id) = self.check(checks, kind, sale, request_id)?;
        let answer = self
            .change((kind, sale), request_id, outcome::REOPENED, times(None, ends), |changed| {
                Ok(match changed.code {
                    ReplyCode::Done => Reopened::Reopened { ends_at: changed.times()?.ends_at },
                    ReplyCode::Repeat => Reopened::Repeat,
                    ReplyCode::Expired => Reopened::Ended { ends_at: changed.instant()? },
                    ReplyCode::Refunded => Reopened::Refunded,
                    ReplyCode::TooLate => return Err(not_later(ends, changed.times()?.now)),
                    _ => return Err(changed.refusal(sale)),
                })
            })
            .await?;
        if matches!(answer.outcome, Reopened::Reopened { .. } | Reopened::Repeat) {
            self.reschedule(kind, sale).await?;
        }
        Ok(answer)
    }

    async fn describe(
        &self,
        kind: &str,
        sale: &str,
        title: Texts,
        description: Texts,
        request_id: Option<String>,
    ) -> Result<Answer<Described>> {
        let mut checks = Checks::default();
        if title.is_empty() && description.is_empty() {
            checks.note::<()>(Err(Error::bad("title", "Give a title or a description; the request has neither.")));
        }
        checks.note(check_title(&title));
        checks.note(check_description(&description));
        let (kind, request_id) = self.check(checks, kind, sale, request_id)?;
        let texts = [
            ("title_en", title.en),
            ("title_zh", title.zh),
            ("description_en", description.en),
            ("description_zh", description.zh),
        ];
        let fields = texts.into_iter().filter_map(|(name, text)| Some((name, text?))).collect();
        self.change((kind, sale), request_id, outcome::DESCRIBED, fields, |changed| {
            Ok(match changed.code {
                ReplyCode::Done => Described::Described,
                ReplyCode::Repeat => Described::Repeat,
                _ => return Err(changed.refusal(sale)),
            })
        })
        .await
    }
}

/// The error about a new end that has passed, or is not after the start.
fn not_later(ends: Option<When>, now: Millis) -> Error {
    match ends {
        Some(When::At(ends_at)) if ends_at <= now => has_passed("ends_at", ends_at, now),
        Some(When::At(ends_at)) => not_after_start(ends_at),
        Some(When::InSeconds(_)) | None => not_after_start(now),
    }
}
