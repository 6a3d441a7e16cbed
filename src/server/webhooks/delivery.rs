//! Sends the rows of the change feed to webhooks: in order for each sale, again until they are accepted, and at last as
//! dead letters.
//!
//! The rows of a sale wait for each other, and those of other sales do not wait for them: a sale whose row is not
//! accepted is held up, and the webhook goes on without it. What is done is noted in the ledger. A server that ends
//! before it has noted what it sent, or that is overtaken by another one, makes the rows be sent again, under the same
//! ids. None is skipped.

use crate::server::{AppState, webhooks::message};
use futures::{StreamExt, future::join_all, stream};
use ledger::{
    service::LedgerService,
    webhooks::{DeadRow, Deliveries, Stall, StoredWebhook},
};
use model::{
    Millis,
    error::Result,
    ledger::{Row, Search},
    sale::IdSource,
};
use reqwest::{Client, header, redirect::Policy};
use std::{collections::BTreeMap, error::Error as _, sync::Arc, time::Duration};
use store::runtime::{Clock, Ids};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

/// The time in which a receiver must answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// The most rows that are sent before it is noted.
const ROWS_AT_A_TIME: usize = 100;
/// The most places in the order of recording that are looked through at a time.
const PLACES_AT_A_TIME: u64 = 1_000;
/// The most requests to one webhook at a time. It is also the most dead letters, and the most held-up sales, that are
/// tried again before new rows are sent.
const IN_FLIGHT: usize = 8;
/// The pause after the first failure. It doubles with each further one, up to the longest.
const FIRST_PAUSE: Millis = 2_000;
const LONGEST_PAUSE: Millis = 30 * 60 * 1_000;
/// The time for which a sale is held up by a row before that row is given up.
const GIVE_UP_AFTER: Millis = 24 * 60 * 60 * 1_000;
/// The pause between two looks if nothing is recorded.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The longest pause after a failure of the ledger: what was sent, but could not be noted, is sent again after it. The
/// first one is [`LOOK_EVERY`], and each further one twice as long.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Sends rows to webhooks.
pub struct Deliverer {
    service: Arc<LedgerService>,
    clock: Arc<dyn Clock>,
    ids: Arc<Ids>,
    http: Client,
}

/// What a pass over a webhook has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Whether anything was sent or passed over. Then there may be more.
    pub has_moved: bool,
    /// How far the webhook has come.
    pub sent: u64,
}

/// What has become of a held-up sale.
struct Resumed {
    sale_no: i64,
    /// `None` if it is no longer held up.
    stall: Option<Stall>,
    dead_row: Option<DeadRow>,
}

impl Deliverer {
    /// A deliverer for the webhooks in the ledger of this server.
    ///
    /// # Errors
    /// One sentence if the system's encryption cannot be used.
    pub fn new(state: &AppState) -> anyhow::Result<Self> {
        let client = Client::builder()
            .timeout(ANSWER_WITHIN)
            // A receiver that has moved is one that somebody should look at.
            .redirect(Policy::none())
            .user_agent(concat!("Stampede/", env!("CARGO_PKG_VERSION")));
        Ok(Self {
            service: state.ledger_service.clone(),
            clock: state.clock.clone(),
            ids: state.ids.clone(),
            http: client.build()?,
        })
    }

    /// Delivers to a webhook until it is removed or the server stops.
    pub async fn follow(&self, id: &str, stop: &CancellationToken) {
        let mut wait = LOOK_EVERY;
        while !stop.is_cancelled() {
            let pass = match self.pass(id).await {
                Ok(None) => return,
                Ok(Some(Pass { has_moved: true, .. })) => Ok(()),
                Ok(Some(Pass { sent, .. })) => {
                    self.service.wait_for_row(sent, Instant::now() + LOOK_EVERY, stop).await.map(drop)
                }
                Err(error) => Err(error),
            };
            match pass {
                Ok(()) => wait = LOOK_EVERY,
                Err(error) => {
                    if wait == LOOK_EVERY {
                        tracing::warn!(webhook = id, %error, "rows could not be delivered; trying again");
                    }
                    stop.run_until_cancelled(sleep(wait)).await;
                    wait = (wait * 2).min(LONGEST_WAIT);
                }
            }
        }
    }

    /// Sends what is due: dead letters that somebody wants to be sent again, held-up sales, and new rows. Returns `None`
    /// if there is no such webhook.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn pass(&self, id: &str) -> Result<Option<Pass>> {
        let ledger = &self.service.ledger;
        let Some((mut webhook, mut stalls)) = ledger.webhook(id).await? else { return Ok(None) };
        let has_resent = self.resend(&webhook).await?;
        let has_resumed = self.resume_due(&webhook, &stalls).await?;
        if has_resent || has_resumed {
            // Meanwhile it may have been removed, and its stalls have changed.
            let Some(again) = ledger.webhook(id).await? else { return Ok(None) };
            (webhook, stalls) = again;
        }
        let has_sent = self.send_new(&webhook, &stalls).await?;
        Ok(Some(Pass { has_moved: has_resent || has_resumed || has_sent, sent: webhook.sent }))
    }

    /// Sends the dead letters that are to be sent again. Returns whether there were any.
    async fn resend(&self, webhook: &StoredWebhook) -> Result<bool> {
        let places = self.service.ledger.requeued(&webhook.id, IN_FLIGHT).await?;
        let resends: Vec<_> = places.iter().map(|place| self.resend_row(webhook, *place)).collect();
        // Each is noted, even if another one fails.
        join_all(resends).await.into_iter().collect::<Result<()>>()?;
        Ok(!places.is_empty())
    }

    /// Sends the row at a place again.
    async fn resend_row(&self, webhook: &StoredWebhook, place: u64) -> Result<()> {
        let ledger = &self.service.ledger;
        for row in ledger.recorded(&Search::default(), place - 1, place).await? {
            let failed = self.send(webhook, &row).await.err();
            ledger.note_resent(&webhook.id, place, self.clock.now(), failed.as_deref()).await?;
        }
        Ok(())
    }

    /// Tries the held-up sales that are due. Returns whether there were any.
    async fn resume_due(&self, webhook: &StoredWebhook, stalls: &[Stall]) -> Result<bool> {
        let now = self.clock.now();
        let due: Vec<Stall> = stalls.iter().filter(|stall| stall.due_at <= now).take(IN_FLIGHT).cloned().collect();
        if due.is_empty() {
            return Ok(false);
        }
        let tries: Vec<_> = due.into_iter().map(|stall| self.resume(webhook, stall)).collect();
        let (mut done, mut failed) = (Deliveries { sent: webhook.sent, ..Deliveries::default() }, None);
        for resumed in join_all(tries).await {
            let Resumed { sale_no, stall, dead_row } = match resumed {
                Ok(resumed) => resumed,
                // What the others have sent is noted.
                Err(error) => {
                    failed = failed.or(Some(error));
                    continue;
                }
            };
            done.dead_rows.extend(dead_row);
            match stall {
                Some(stall) => done.stalls.push(stall),
                None => done.resumed.push(sale_no),
            }
        }
        self.service.ledger.note_deliveries(webhook, &done).await?;
        failed.map_or(Ok(true), Err)
    }

    /// Sends the rows that a held-up sale waits with, up to the first failure. Some may be left for the next pass.
    async fn resume(&self, webhook: &StoredWebhook, mut stall: Stall) -> Result<Resumed> {
        let search = Search { kind: Some(stall.kind.clone()), sale: Some(stall.sale.clone()), ..Search::default() };
        let (sale_no, mut upto) = (stall.sale_no, webhook.sent.min(stall.sent.saturating_add(PLACES_AT_A_TIME)));
        let mut rows = self.service.ledger.recorded(&search, stall.sent, upto).await?;
        keep_wanted(webhook, &mut rows, &mut upto);
        for row in &rows {
            let failed = self.send(webhook, row).await.err();
            let now = self.clock.now();
            match failed {
                None => (stall.sent, stall.tries, stall.since) = (row.recorded, 0, now),
                Some(reason) => {
                    stall.tries += 1;
                    stall.reason.clone_from(&reason);
                    let is_given_up = now - stall.since >= GIVE_UP_AFTER;
                    let dead_row = DeadRow { recorded: row.recorded, at: now, tries: stall.tries, reason };
                    if is_given_up {
                        // The next row has one try at once, and is given up as well if that fails: a receiver that has
                        // been away for so long keeps no row for another day.
                        (stall.sent, stall.tries, stall.due_at) = (row.recorded, 0, now);
                    } else {
                        stall.due_at = now + self.pause(stall.tries);
                    }
                    return Ok(Resumed { sale_no, stall: Some(stall), dead_row: is_given_up.then_some(dead_row) });
                }
            }
        }
        stall.sent = upto;
        let is_behind = stall.sent < webhook.sent;
        stall.due_at = self.clock.now();
        Ok(Resumed { sale_no, stall: is_behind.then_some(stall), dead_row: None })
    }

    /// Sends new rows. Returns whether there were any, wanted or not.
    async fn send_new(&self, webhook: &StoredWebhook, stalls: &[Stall]) -> Result<bool> {
        let ledger = &self.service.ledger;
        let last = ledger.last_recorded().await?;
        if last <= webhook.sent {
            return Ok(false);
        }
        // If every row is wanted, no more places are looked through than rows are sent.
        let wants_all = webhook.kinds.is_empty() && webhook.outcomes.is_empty();
        let places = if wants_all { ROWS_AT_A_TIME as u64 } else { PLACES_AT_A_TIME };
        let mut upto = last.min(webhook.sent + places);
        let mut rows = ledger.recorded(&Search::default(), webhook.sent, upto).await?;
        keep_wanted(webhook, &mut rows, &mut upto);
        let mut of_sales: BTreeMap<i64, Vec<Row>> = BTreeMap::new();
        for row in rows {
            of_sales.entry(row.id.sale_no).or_default().push(row);
        }
        of_sales.retain(|sale_no, _| stalls.iter().all(|stall| stall.sale_no != *sale_no));
        let sends: Vec<_> = of_sales.into_values().map(|rows| self.send_in_order(webhook, rows)).collect();
        let stalls = stream::iter(sends).buffer_unordered(IN_FLIGHT).filter_map(std::future::ready).collect().await;
        ledger.note_deliveries(webhook, &Deliveries { sent: upto, stalls, ..Deliveries::default() }).await?;
        Ok(true)
    }

    /// Sends rows of one sale, one after the other. Returns what holds the sale up if one is not accepted.
    async fn send_in_order(&self, webhook: &StoredWebhook, rows: Vec<Row>) -> Option<Stall> {
        for row in rows {
            if let Err(reason) = self.send(webhook, &row).await {
                let now = self.clock.now();
                let (sale_no, sent, due_at) = (row.id.sale_no, row.recorded - 1, now + self.pause(1));
                return Some(Stall {
                    sale_no,
                    kind: row.kind,
                    sale: row.sale,
                    sent,
                    tries: 1,
                    due_at,
                    since: now,
                    reason,
                });
            }
        }
        None
    }

    /// Sends a row once. The error is the reason why it was not accepted.
    async fn send(&self, webhook: &StoredWebhook, row: &Row) -> std::result::Result<(), String> {
        let (id, timestamp) = (row.id.to_string(), self.clock.now() / 1_000);
        let body = message::body(row).map_err(|error| error.to_string())?;
        let signature =
            message::signature(&webhook.secret, &id, timestamp, &body).map_err(|error| error.to_string())?;
        let request = self
            .http
            .post(&webhook.url)
            .header(header::CONTENT_TYPE, "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signature)
            .body(body);
        match request.send().await {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => Err(format!("The receiver answered {}.", answer.status())),
            Err(error) if error.is_timeout() => {
                Err(format!("The receiver did not answer within {} s.", ANSWER_WITHIN.as_secs()))
            }
            Err(error) => Err(format!("The receiver could not be reached ({}).", cause(&error))),
        }
    }

    /// The pause after so many failures: half of it by chance, so that not all sales come back at once.
    fn pause(&self, tries: u32) -> Millis {
        let longest = FIRST_PAUSE.saturating_mul(1 << tries.saturating_sub(1).min(20)).min(LONGEST_PAUSE);
        let chance = Millis::try_from(self.ids.seed()).unwrap_or_default() % (longest / 2 + 1);
        longest - chance
    }
}

/// Keeps the rows that are wanted, but only as many as are sent at a time: then those up to an earlier place.
fn keep_wanted(webhook: &StoredWebhook, rows: &mut Vec<Row>, upto: &mut u64) {
    rows.retain(|row| is_wanted(webhook, row));
    if let Some(next) = rows.get(ROWS_AT_A_TIME) {
        *upto = next.recorded - 1;
        rows.truncate(ROWS_AT_A_TIME);
    }
}

fn is_wanted(webhook: &StoredWebhook, row: &Row) -> bool {
    let is_in = |list: &[String], value: &String| list.is_empty() || list.contains(value);
    is_in(&webhook.kinds, &row.kind) && is_in(&webhook.outcomes, &row.outcome)
}

/// The innermost cause, without the address, which may contain a secret.
fn cause(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    while let Some(inner) = cause.and_then(|cause| cause.source()) {
        cause = Some(inner);
    }
    cause.map_or_else(|| "no connection".to_owned(), ToString::to_string)
}
