//! Stock sales: opening, deducting, giving back, restocking and correcting. Operators can also let the cache expire and
//! pause the ledger, to watch them drift apart.

use crate::{
    archiving_schedule::schedule_end,
    audit::audit,
    expiry::{Expires, ExpirySchedule},
    kind::Resources,
    life::plan::{check_times, packed, too_late},
    recovery::recover,
    recovery_guards::{confirm_opened, refuse_gone_meanwhile, refuse_lost, taken_on_other_terms},
    stock::{
        course::Courses,
        items_script::DeductItemsScript,
        rebuild::{PATIENCE, Rebuilder},
        recorded::Recorded,
        scripts::{
            ADJUST, Attempt, ConfirmAttempt, ConfirmScript, DEDUCT, DeductScript, EXPIRE, GiveBackScript, KIND, OPEN,
            REQUESTS_AT_A_TIME, RequestRecord, not_cached, refusal, unpack,
        },
    },
};
use ledger::{
    absence::archived_or_lost,
    database::Ledger,
    kind::{DeadLetters, Recovered},
};
use model::{
    Audit, Checks, Millis, ScriptInfo, check_id, check_within,
    error::{Code, Error, Result},
    life::{Plan, check_reason},
    sale::IdOrigin,
    stock::{
        Adjusted, Confirmed, Expired, GivenBack, MAX_EXPECTED, MAX_IN_ALL, MAX_PAUSE_S, Opened, Outcome, Paused,
        RecordedQuantity, Return, Terms, check_attempt, check_counted, check_quantity,
    },
};
use std::sync::Arc;
use store::{
    JOIN_GROUP, Store,
    batcher::Batcher,
    listing::{self, state_of},
    reply::ReplyCode,
    runtime::{Clock, Ids},
};
use tokio::time::{Instant, timeout_at};

/// The service for stock sales on one Redis. Any number of instances, in any number of processes, act as one.
#[derive(Clone)]
pub struct Stock {
    pub(super) store: Store,
    pub(super) ledger: Ledger,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<Ids>,
    pub(super) rebuilder: Rebuilder,
    pub(super) recorded: Recorded,
    courses: Courses,
    deductions: Arc<Batcher<DeductScript>>,
    returns: Arc<Batcher<GiveBackScript>>,
    confirmations: Arc<Batcher<ConfirmScript>>,
    pub(super) of_several: Arc<Batcher<DeductItemsScript>>,
    expiry: Arc<ExpirySchedule>,
}

impl Stock {
    pub fn new(resources: &Resources) -> Self {
        let Resources { store, ledger, clock, ids } = resources.clone();
        let rebuilder = Rebuilder::new(store.clone(), ledger.clone(), clock.clone(), ids.clone());
        let recorded = Recorded::new(ledger.clone(), clock.clone());
        let courses = Courses::new(ledger.clone());
        let deduct = DeductScript { store: store.clone(), clock: clock.clone() };
        let give_back = GiveBackScript { store: store.clone(), clock: clock.clone() };
        let confirm = ConfirmScript { store: store.clone(), clock: clock.clone() };
        let deductions = Arc::new(Batcher::new(deduct, store.waiting_room(KIND)));
        let returns = Arc::new(Batcher::new(give_back, store.waiting_room(KIND)));
        let confirmations = Arc::new(Batcher::new(confirm, store.waiting_room(KIND)));
        let of_several = DeductItemsScript { store: store.clone(), clock: clock.clone() };
        let of_several = Arc::new(Batcher::new(of_several, store.waiting_room(KIND)));
        Self {
            store,
            ledger,
            clock,
            ids,
            rebuilder,
            recorded,
            courses,
            deductions,
            returns,
            confirmations,
            of_several,
            expiry: Arc::default(),
        }
    }

    /// The part that caches quantities again.
    pub fn rebuilder(&self) -> &Rebuilder {
        &self.rebuilder
    }

    /// Opens a sale. Opening it again on the same terms changes nothing.
    ///
    /// # Errors
    /// `bad_request`; `sale_exists` or `request_reused` for different terms; `unavailable`.
    pub async fn open(&self, terms: Terms) -> Result<Opened> {
        self.open_as(terms, IdOrigin::Client).await
    }

    /// Like [`Self::open`], with an id of this origin.
    pub(super) async fn open_as(&self, terms: Terms, origin: IdOrigin) -> Result<Opened> {
        terms.check()?;
        let Terms { sale, quantity, ttl_s, low_mark, limit_per_user, hold_s, group, plan } = terms;
        refuse_lost(&self.store, &self.ledger, KIND, &sale, origin).await?;
        check_times(&plan, &self.store, (KIND, &sale), self.clock.now()).await?;
        let [low_mark, limit_per_user, hold_ms] = [low_mark, limit_per_user, hold_s.map(|hold_s| hold_s * 1_000)]
            .map(|term| term.map_or_else(String::new, |term| term.to_string()));
        let terms = (quantity, ttl_s * 1_000, low_mark, limit_per_user, hold_ms);
        let packed = packed(&plan);
        if !self.join_group(&sale, group.as_deref(), &packed, &plan).await? {
            return Err(taken_on_other_terms(&sale));
        }
        let args = (self.clock.script_time(), terms, packed, group.unwrap_or_default());
        let now = self.clock.now();
        listing::list(&self.store, KIND, &sale, now).await?;
        let code = self.store.eval(&OPEN, (KIND, &sale), &args).await?.code;
        if matches!(code, ReplyCode::Repeat | ReplyCode::Exists) {
            refuse_gone_meanwhile(&self.store, KIND, &sale).await?;
        }
        match code {
            ReplyCode::Done | ReplyCode::Repeat => {
                confirm_opened(&self.store, &self.ledger, KIND, &sale, now, origin).await?;
                if plan.ends.is_some() {
                    schedule_end(&self.store, KIND, &sale).await?;
                }
                Ok(Opened { sale, existed: code == ReplyCode::Repeat })
            }
            ReplyCode::Exists => Err(taken_on_other_terms(&sale)),
            ReplyCode::TooLate => Err(too_late(&plan, self.clock.now())),
            code => Err(code.unexpected(&OPEN)),
        }
    }

    /// Puts the id of a sale that is opened into its group. Returns whether the id is free for a sale of this group, or of
    /// none.
    async fn join_group(&self, sale: &str, group: Option<&str>, packed: &[u8], plan: &Plan) -> Result<bool> {
        let Some(group) = group else { return Ok(self.store.group_of(KIND, sale).is_none()) };
        match self.store.join_group((KIND, sale), group, &self.clock.script_time(), packed).await? {
            ReplyCode::Done | ReplyCode::Repeat => Ok(true),
            ReplyCode::Exists => Ok(false),
            ReplyCode::TooLate => Err(too_late(plan, self.clock.now())),
            code => Err(code.unexpected(&JOIN_GROUP)),
        }
    }

    /// Attempts to deduct a quantity for a user.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_suspended`, `request_reused`, `busy`; `ledger_unavailable` if the quantity
    /// is not cached and cannot be read; `unavailable` if the outcome is unknown.
    pub async fn deduct(&self, sale: &str, user: String, quantity: u64, request_id: Option<String>) -> Result<Outcome> {
        let mut checks = Checks::default();
        checks.note(check_id("sale", sale));
        checks.note(check_attempt(&user, quantity));
        let request_id = checks.finish(self.ids.request_id(request_id))?;
        let outcome = self.deduct_cached(sale, Attempt { user, request_id, quantity }).await;
        archived_or_lost(outcome, &self.store, &self.ledger, KIND, sale).await
    }

    /// Repeats an attempt that finds the quantity not cached once it is, for as long as one rebuild may take. It waits
    /// outside of any batch, where it would delay others.
    async fn deduct_cached(&self, sale: &str, attempt: Attempt) -> Result<Outcome> {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(outcome) = self.deductions.submit(sale, attempt.clone()).await?? {
                return Ok(outcome);
            }
            timeout_at(until, self.rebuilder.ensure_cached(sale)).await.map_err(|_| not_cached(sale))??;
        }
    }

    /// Gives back units that a request deducted, never more in all than it deducted.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_suspended`, `request_reused`, `busy`; `unavailable` if the outcome is
    /// unknown.
    pub async fn give_back(&self, sale: &str, request: Return) -> Result<GivenBack> {
        let mut checks = Checks::default();
        checks.note(check_id("sale", sale));
        checks.finish(request.check())?;
        let given = self.returns.submit(sale, request).await?;
        archived_or_lost(given, &self.store, &self.ledger, KIND, sale).await
    }

    /// Confirms a reservation, so that it no longer expires. The reason, which may be empty, is for the ledger.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_suspended`, `busy`; `unavailable` if the outcome is unknown.
    pub async fn confirm(&self, sale: &str, reason: String, request_id: String) -> Result<Confirmed> {
        let mut checks = Checks::default();
        checks.note(check_id("sale", sale));
        checks.note(check_reason(&reason));
        checks.finish(check_id("request_id", &request_id))?;
        let confirmed = self.confirmations.submit(sale, ConfirmAttempt { request_id, reason }).await?;
        archived_or_lost(confirmed, &self.store, &self.ledger, KIND, sale).await
    }

    /// Ends the due reservations of all sales. Returns their number.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn sweep(&self) -> Result<u64> {
        self.expiry.sweep(self, &self.store, self.clock.now()).await
    }

    /// Adds stock.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_suspended`, `request_reused`, `unavailable`.
    pub async fn restock(&self, sale: &str, quantity: u64, request_id: Option<String>) -> Result<Adjusted> {
        let mut checks = Checks::default();
        checks.note(check_quantity(quantity));
        self.adjust(checks, sale, "restocked", quantity, None, request_id).await
    }

    /// Corrects the quantity to the counted one. The correction is the difference to the expected quantity at the time
    /// of the count, so units deducted since stay deducted. Without an expected quantity, it is the difference to the
    /// quantity left now.
    ///
    /// # Errors
    /// As [`Stock::restock`].
    pub async fn correct(
        &self,
        sale: &str,
        counted: u64,
        expected: Option<i64>,
        request_id: Option<String>,
    ) -> Result<Adjusted> {
        let mut checks = Checks::default();
        checks.note(check_counted(counted));
        let range = -MAX_EXPECTED..=MAX_EXPECTED;
        checks.note(expected.map_or(Ok(()), |expected| check_within("expected", expected, range, "")));
        self.adjust(checks, sale, "corrected", counted, expected, request_id).await
    }

    /// Adjusts the quantity, if the checks of the numbers have found nothing.
    async fn adjust(
        &self,
        mut checks: Checks,
        sale: &str,
        how: &str,
        number: u64,
        expected: Option<i64>,
        request_id: Option<String>,
    ) -> Result<Adjusted> {
        checks.note(check_id("sale", sale));
        let request_id = checks.finish(self.ids.request_id(request_id))?;
        let expected = expected.map_or_else(String::new, |expected| expected.to_string());
        let args = (self.clock.script_time(), request_id, how, number, expected);
        let changed = async {
            let mut reply = self.store.change(&ADJUST, (KIND, sale), &args).await?;
            let code = reply.code;
            let (left, change): (i64, i64) = (reply.next_value()?, reply.next_value()?);
            let left = left.max(0).cast_unsigned();
            Ok(match code {
                ReplyCode::Done if how == "restocked" => Adjusted::Restocked { left, change },
                ReplyCode::Done => Adjusted::Corrected { left, change },
                ReplyCode::Repeat => Adjusted::Repeat { left, change },
                ReplyCode::NotEnough => Adjusted::NotEnough { left },
                ReplyCode::Closed => Adjusted::Closed,
                ReplyCode::LimitReached => return Err(too_much(sale)),
                code => return Err(refusal(code, &ADJUST, sale)),
            })
        };
        archived_or_lost(changed.await, &self.store, &self.ledger, KIND, sale).await
    }

    /// Lets the cached quantity expire now.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`; as [`Store::refuse_change`].
    pub async fn expire(&self, sale: &str) -> Result<Expired> {
        self.store.refuse_change()?;
        self.ensure_known(sale).await?;
        let gone: u64 = self.store.query("UNLINK", self.store.sale_key(KIND, sale, "quantity")).await?;
        Ok(if gone > 0 { Expired::Expired } else { Expired::NotCached })
    }

    /// Makes the ledger's writer skip this sale for this many seconds; 0 ends the pause.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`; as [`Store::refuse_change`].
    pub async fn pause(&self, sale: &str, seconds: u64) -> Result<Paused> {
        check_within("seconds", seconds, 0..=MAX_PAUSE_S, "")?;
        self.store.refuse_change()?;
        self.ensure_known(sale).await?;
        if seconds == 0 {
            let _gone: u64 = self.store.query("UNLINK", self.store.sale_key(KIND, sale, "paused")).await?;
            return Ok(Paused::Resumed);
        }
        let _set: String =
            self.store.query("SET", (self.store.sale_key(KIND, sale, "paused"), 1, "EX", seconds)).await?;
        Ok(Paused::Paused { seconds })
    }

    pub(super) async fn ensure_known(&self, sale: &str) -> Result<()> {
        check_id("sale", sale)?;
        match state_of(&self.store, KIND, sale).await?.as_deref() {
            None | Some("archived") => {
                let unknown = Err(Error::unknown_sale(sale));
                archived_or_lost(unknown, &self.store, &self.ledger, KIND, sale).await
            }
            Some(_) => Ok(()),
        }
    }

    /// The time series of the quantity in the ledger over the last ten minutes, oldest first.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `ledger_unavailable`; `unavailable` if the ledger does not know the sale yet.
    pub async fn course(&self, sale: &str) -> Result<Vec<RecordedQuantity>> {
        check_id("sale", sale)?;
        match self.courses.of(sale, self.clock.now()).await? {
            Some(course) => Ok(course.to_vec()),
            // The sale was opened a moment ago.
            None => self.ensure_known(sale).await.map(|()| Vec::new()),
        }
    }

    /// Checks the sale's invariants, request by request. The verdict is `unknown` if the sale could not be checked.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`.
    pub async fn audit(&self, sale: &str) -> Result<Audit> {
        audit(self, &self.ledger, sale, self.clock.now()).await
    }

    /// Rebuilds a sale that Redis has lost from the ledger.
    ///
    /// # Errors
    /// `unknown_sale` if the ledger does not have it; `sale_exists` if Redis has it; `internal` if it has dead letters
    /// and `dead_letters` refuses them; `busy` if another recovery was faster; `unavailable`, `ledger_unavailable`.
    pub async fn recover(&self, sale: &str, dead_letters: DeadLetters) -> Result<Recovered> {
        recover(self, &self.store, &self.ledger, sale, self.ids.id(), &*self.clock, dead_letters).await
    }

    /// The stored requests with these ids, in the same order.
    ///
    /// # Errors
    /// `unavailable`.
    pub(super) async fn records(&self, sale: &str, requests: &[String]) -> Result<Vec<Option<RequestRecord>>> {
        if requests.is_empty() {
            return Ok(Vec::new());
        }
        let key = self.store.sale_key(KIND, sale, "requests");
        let stored: Vec<Option<Vec<u8>>> = self.store.query("HMGET", (key, requests)).await?;
        stored.into_iter().map(|record| record.map(|record| unpack(&record)).transpose()).collect()
    }

    /// The script that decides a deduction.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn script(&self) -> Result<ScriptInfo> {
        self.store.script_info(&DEDUCT).await
    }
}

/// Reservations end when they are due.
impl Expires for Stock {
    const KIND: &str = KIND;
    // Every sale has it; only some hold.
    const FIELD: &str = "opened_at";

    fn first_due(_opened_at: Millis, now: Millis) -> Millis {
        // Reservations may already be due.
        now
    }

    async fn expire_due(&self, sale: &str, now: Millis) -> Result<(u64, Option<Millis>)> {
        let mut all = 0;
        loop {
            let args = (self.clock.script_time(), REQUESTS_AT_A_TIME);
            let mut reply = self.store.change(&EXPIRE, (KIND, sale), &args).await?;
            if reply.code != ReplyCode::Done {
                return Err(reply.code.refusal(&EXPIRE, sale));
            }
            let (ended, next): (u64, Millis) = (reply.next_value()?, reply.next_value()?);
            let hold_ms: Millis = reply.next_value()?;
            all += ended;
            if ended < REQUESTS_AT_A_TIME as u64 {
                if all > 0 {
                    tracing::info!(sale, ended = all, "reservations that were due have ended");
                }
                // If nothing is held, the next reservation is due after a whole hold time at the earliest. In a sale
                // that does not hold, nothing is ever due.
                let next = if next > 0 { next } else { now + hold_ms };
                return Ok((all, (hold_ms > 0).then_some(next)));
            }
        }
    }
}

/// The refusal of a change after which the sale would have too many units.
fn too_much(sale: &str) -> Error {
    // The error names no field, as each is valid by itself.
    let why = format!(
        "With this, the sale \"{sale}\" would have more than {MAX_IN_ALL}, which is the most; nothing was changed."
    );
    Error::new(Code::BadRequest, why)
}
