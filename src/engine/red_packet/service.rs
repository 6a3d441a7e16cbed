//! Red packet sales: opening, claiming, and refunding.

use crate::{
    audit::audit,
    expiry::{Expires, ExpirySchedule},
    kind::Resources,
    life::plan::{check_times, packed, too_late},
    recovery::recover,
    recovery_guards::{confirm_opened, refuse_gone_meanwhile, refuse_lost, taken_on_other_terms},
    red_packet::scripts::{Attempt, CLAIM, ClaimScript, Holding, KIND, OPEN, REFUND, holding, key},
};
use ledger::{
    absence::archived_or_lost,
    database::Ledger,
    kind::{DeadLetters, Recovered},
};
use model::{
    Audit, Cents, Checks, Millis, ScriptInfo, check_id, check_new_id,
    error::{Code, Error, Result},
    red_packet::{HISTOGRAM_BUCKETS, Opened, Outcome, Refund, Splitter, Terms},
    sale::{IdOrigin, IdSource},
};
use std::sync::Arc;
use store::{
    Store,
    batcher::Batcher,
    keys, listing,
    reply::ReplyCode,
    runtime::{Clock, Ids, blocking},
};

/// The most packets in one call of `open.lua`, which takes Redis about two milliseconds.
const CHUNK: usize = 4096;

/// The time after which an unfinished opening is given up, in milliseconds; as in `refund.lua`.
const ABANDONED_AFTER: Millis = 600_000;

/// The service for red packet sales on one Redis. Any number of instances, in any number of processes, act as one.
#[derive(Clone)]
pub struct RedPackets {
    pub(super) store: Store,
    pub(super) ledger: Ledger,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<Ids>,
    claims: Arc<Batcher<ClaimScript>>,
    expiry: Arc<ExpirySchedule>,
}

impl RedPackets {
    pub fn new(resources: &Resources) -> Self {
        let Resources { store, ledger, clock, ids } = resources.clone();
        let claims = Arc::new(Batcher::new(
            ClaimScript { store: store.clone(), clock: clock.clone() },
            store.waiting_room(KIND),
        ));
        Self { store, ledger, clock, ids, claims, expiry: Arc::default() }
    }

    /// Splits the money and loads the packets in chunks. The last chunk opens the sale. Opening again on the same terms
    /// changes nothing. After a crash in the middle, it continues there.
    ///
    /// # Errors
    /// `bad_request`; `sale_exists` or `request_reused` for different terms; `unavailable`.
    pub async fn open(&self, terms: Terms) -> Result<Opened> {
        self.open_as(terms, IdOrigin::Client).await
    }

    /// Like [`Self::open`], with an id of this origin.
    pub(super) async fn open_as(&self, terms: Terms, origin: IdOrigin) -> Result<Opened> {
        terms.check()?;
        refuse_lost(&self.store, &self.ledger, KIND, &terms.sale, origin).await?;
        let now = self.clock.now();
        check_times(&terms.plan, &self.store, (KIND, &terms.sale), now).await?;
        listing::list(&self.store, KIND, &terms.sale, now).await?;
        // Opening again without a seed means the same sale, with the seed that was drawn for it.
        let mut seed = match terms.seed {
            Some(seed) => seed,
            None => self.drawn_seed(&terms.sale).await?.unwrap_or_else(|| self.ids.seed()),
        };
        loop {
            if let Some(existed) = self.load(&terms, seed).await? {
                confirm_opened(&self.store, &self.ledger, KIND, &terms.sale, now, origin).await?;
                return Ok(Opened { sale: terms.sale, existed });
            }
            match self.drawn_seed(&terms.sale).await? {
                // Somebody else opens the same sale at this moment, and drew a seed first.
                Some(drawn) if terms.seed.is_none() && drawn != seed => seed = drawn,
                _ => return Err(taken_on_other_terms(&terms.sale)),
            }
        }
    }

    /// The seed of a sale that is open or being opened.
    async fn drawn_seed(&self, sale: &str) -> Result<Option<u64>> {
        self.store.query("HGET", (key(sale, "meta"), "seed")).await
    }

    /// Loads the packets of a sale, split by this seed. Returns whether the sale was open before; `None` if it has
    /// different terms.
    async fn load(&self, terms: &Terms, seed: u64) -> Result<Option<bool>> {
        let Terms { sale, total_cents, count, splitter, expires_in_s, plan, .. } = terms;
        let packets = split(*splitter, *total_cents, *count, seed).await?;
        let largest = packets.iter().copied().max().unwrap_or(1);
        let bucket_cents = largest.div_euclid(HISTOGRAM_BUCKETS as Cents) + 1;
        for (chunk, cents) in packets.chunks(CHUNK).enumerate() {
            let first = chunk * CHUNK + 1;
            let fields = [
                self.clock.script_time(),
                total_cents.to_string(),
                count.to_string(),
                splitter.name().to_owned(),
                seed.to_string(),
                expires_in_s.to_string(),
                bucket_cents.to_string(),
                first.to_string(),
            ];
            let mut args: Vec<Vec<u8>> = fields.into_iter().map(String::into_bytes).collect();
            args.push(packed(plan));
            args.extend(cents.iter().zip(first..).map(|(cents, no)| format!("{no}:{cents}").into_bytes()));
            let answer = self.store.eval(&OPEN, (KIND, sale), &args).await;
            let mut reply = answer.map_err(|error| if chunk == 0 { error } else { unfinished(error, chunk, terms) })?;
            if matches!(reply.code, ReplyCode::Repeat | ReplyCode::Exists) {
                refuse_gone_meanwhile(&self.store, KIND, sale).await?;
            }
            match reply.code {
                ReplyCode::Done => {}
                ReplyCode::Repeat => return Ok(Some(true)),
                ReplyCode::Exists => return Ok(None),
                ReplyCode::TooLate => return Err(too_late(plan, self.clock.now())),
                ReplyCode::OutOfOrder => {
                    let loaded: u64 = reply.next_value()?;
                    tracing::error!(sale, loaded, "a chunk of packets came out of order");
                    return Err(Error::new(
                        Code::Unavailable,
                        format!("Only {loaded} packets are loaded; open the sale again on the same terms to continue."),
                    ));
                }
                code => return Err(code.unexpected(&OPEN)),
            }
        }
        Ok(Some(false))
    }

    /// Attempts to claim a packet for a user.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_opening`, `sale_suspended`, `busy`; `unavailable` if the outcome
    /// is unknown.
    pub async fn claim(&self, sale: &str, user: String, request_id: Option<String>) -> Result<Outcome> {
        let mut checks = Checks::default();
        checks.note(check_id("sale", sale));
        checks.note(check_new_id("user", &user));
        let request_id = checks.finish(self.ids.request_id(request_id))?;
        let outcome = self.claims.submit(sale, Attempt { user, request_id }).await?;
        archived_or_lost(outcome, &self.store, &self.ledger, KIND, sale).await
    }

    /// Refunds the unclaimed money of an expired sale. Repeated calls refund it once. A sale whose opening was never
    /// finished is deleted.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_opening`, `sale_suspended`, `unavailable`.
    pub async fn refund(&self, sale: &str) -> Result<Refund> {
        check_id("sale", sale)?;
        let mut reply = self.store.change(&REFUND, (KIND, sale), &[self.clock.script_time()]).await?;
        match reply.code {
            ReplyCode::Done => Ok(Refund::Refunded { refunded_cents: reply.next_value()? }),
            ReplyCode::Repeat => Ok(Refund::Repeat { refunded_cents: reply.next_value()? }),
            ReplyCode::NotExpired => Ok(Refund::NotExpired { refunded_cents: 0, expires_at: reply.next_value()? }),
            ReplyCode::Opening => {
                if reply.next_value::<u64>()? == 0 {
                    return Err(ReplyCode::Opening.refusal(&REFUND, sale));
                }
                tracing::warn!(sale, "the opening of a sale was never finished, so the sale is deleted");
                let name = keys::name(KIND, sale);
                listing::unlist(&self.store, &name).await?;
                // Somebody may have begun to open the sale again meanwhile.
                if listing::state_of(&self.store, KIND, sale).await?.is_some() {
                    listing::list(&self.store, KIND, sale, self.clock.now()).await?;
                }
                Err(Error::unknown_sale(sale))
            }
            code => archived_or_lost(Err(code.refusal(&REFUND, sale)), &self.store, &self.ledger, KIND, sale).await,
        }
    }

    /// Checks the sale's invariants, packet by packet. The verdict is `unknown` if the sale could not be checked.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_opening`.
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

    /// Refunds every expired sale that has not been refunded. Returns their number.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn sweep(&self) -> Result<u64> {
        self.expiry.sweep(self, &self.store, self.clock.now()).await
    }

    /// The packets of these users, in the same order.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn holdings(&self, sale: &str, users: &[String]) -> Result<Vec<Option<Holding>>> {
        let held: Vec<Option<String>> = self.store.query("HMGET", (key(sale, "claimants"), users)).await?;
        held.into_iter().map(|packet| packet.map(|packet| Ok(holding(&packet)?)).transpose()).collect()
    }

    /// The script that decides a claim.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn script(&self) -> Result<ScriptInfo> {
        self.store.script_info(&CLAIM).await
    }
}

/// How often it is looked up when a sale expires, in milliseconds.
const CHECKED_EVERY: Millis = 300_000;

/// Expired sales are refunded.
impl Expires for RedPackets {
    const KIND: &str = KIND;
    const FIELD: &str = "expires_at";

    fn first_due(expires_at: Millis, now: Millis) -> Millis {
        // A sale may never be opened, so it is also checked when an opening would be given up.
        expires_at.min(now + ABANDONED_AFTER)
    }

    async fn expire_due(&self, sale: &str, now: Millis) -> Result<(u64, Option<Millis>)> {
        Ok(match self.refund(sale).await? {
            Refund::Refunded { refunded_cents } => {
                tracing::info!(sale, refunded_cents, "an expired sale is refunded");
                (1, None)
            }
            Refund::Repeat { .. } => (0, None),
            // Another server may move the end to an earlier time.
            Refund::NotExpired { expires_at, .. } => (0, Some(expires_at.min(now + CHECKED_EVERY))),
        })
    }
}

/// The error of an opening that failed after this many chunks were loaded.
fn unfinished(error: Error, chunks: usize, terms: &Terms) -> Error {
    let message = format!(
        "At least {} of {} packets of the sale \"{}\" are loaded. Open it again on the same terms to load the rest; otherwise \
         it is deleted after ten minutes. The cause: {}",
        chunks * CHUNK,
        terms.count,
        terms.sale,
        error.message
    );
    Error { message, ..error }
}

/// Splits the money, on a thread for blocking work.
///
/// # Errors
/// `internal`.
pub(super) async fn split(splitter: Splitter, total_cents: Cents, count: u64, seed: u64) -> Result<Vec<Cents>> {
    blocking(move || Ok(splitter.split(total_cents, count as usize, seed))).await
}
