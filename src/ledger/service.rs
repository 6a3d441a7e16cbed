//! The ledger beside Redis: its lag, audits, recoveries and dead letters.

mod searching;

use super::{
    Audited, Board, DeadLetter, Retried, SaleStatus, Status,
    absence::archived_or_lost,
    apply::{Applied, Batch},
    database::Ledger,
    dead_letters::StoredDeadLetter,
    feed::{self, Feed},
    kind::{LastingParts, LedgerKind, Recovered},
    records::{missing, refuse_incomplete},
    sale::LedgerSale,
    scripts::{StreamPosition, Suspension, stream_position, suspend, suspend_living},
    writer::{Writer, add},
};
use crate::{
    domain::{Audit, Millis, Verdict, check_id, find_kind},
    error::{Code, Error, Result, shell_word},
    runtime::Clock,
    store::{
        Store, keys,
        listing::{readable, state_of},
        stream::Entry,
    },
};
use futures::{
    FutureExt, StreamExt, TryStreamExt,
    future::{BoxFuture, join_all},
    stream,
};
use std::{collections::HashMap, convert::Infallible, sync::Arc, time::Duration};
use tokio::time::timeout;

/// Sales on the board and in a status.
const LISTED: usize = 50;
/// Sales whose state in Redis is checked concurrently.
const CHECKED_AT_A_TIME: usize = 64;

/// How long the status of a sale waits for the ledger: after that, the sale's page shows only what Redis knows.
const SALE_WITHIN: Duration = Duration::from_secs(1);

/// Answers questions that need both Redis and the ledger. Cheap to clone.
#[derive(Clone)]
pub struct LedgerService {
    store: Store,
    ledger: Ledger,
    kinds: Arc<[Arc<dyn LedgerKind>]>,
    clock: Arc<dyn Clock>,
    /// How many entries of a sale may wait before an alarm is raised.
    stream_alarm: u64,
}

impl LedgerService {
    /// The service for these kinds. More than `stream_alarm` waiting events of a sale raise an alarm.
    pub fn new(
        store: Store,
        ledger: Ledger,
        kinds: Arc<[Arc<dyn LedgerKind>]>,
        clock: Arc<dyn Clock>,
        stream_alarm: u64,
    ) -> Self {
        Self { store, ledger, kinds, clock, stream_alarm }
    }

    /// A writer for this Redis and this ledger, under the name of its process.
    pub fn writer(&self, process: String) -> Writer {
        Writer::new(self.store.clone(), self.ledger.clone(), self.kinds.clone(), self.clock.clone(), process)
    }

    /// Claims the streams of this Redis for this ledger, and the ledger for this Redis. A Redis that feeds another ledger
    /// has trimmed its streams behind that one; and two that feed one ledger give the same things away twice. The answer
    /// is to be kept running as long as this process serves.
    ///
    /// # Errors
    /// `store_refused` with what to do if this Redis feeds another ledger, unless told to `adopt` this one, or if another
    /// one feeds this ledger; `unavailable`, `ledger_unavailable`.
    pub async fn claim_streams(&self, adopt: bool) -> Result<Feed> {
        let mut feed = Feed::new(self.store.clone(), self.ledger.clone());
        feed.claim(adopt).await?;
        Ok(feed)
    }

    /// Suspends every sale of which the ledger knows more than Redis does, or of which Redis lacks a whole key. What is due
    /// in the others is processed.
    ///
    /// # Errors
    /// `unavailable`, `ledger_unavailable`.
    pub async fn suspend_lost(&self) -> Result<()> {
        let check = |LedgerSale { kind, sale, position, .. }: LedgerSale| {
            let (store, kinds) = (self.store.clone(), self.kinds.clone());
            let check = async move {
                let of_kind = find_kind(kinds.iter().map(AsRef::as_ref), &kind).ok();
                let lasting = of_kind.map_or(&LastingParts::UNKNOWN, |kind| kind.lasting());
                match suspend(&store, &kind, &sale, position.event_id, lasting).await? {
                    Suspension::Begun => tracing::error!(
                        sale,
                        "Redis has lost what the ledger knows: suspended until `stampede recover {}`",
                        shell_word(&sale)
                    ),
                    Suspension::Repeated => {}
                    Suspension::NotNeeded => {
                        if let Some(kind) = of_kind {
                            kind.settle(&sale).await;
                        }
                    }
                }
                Ok(())
            };
            check.boxed()
        };
        let checks: Vec<BoxFuture<'static, Result<()>>> = self.ledger.sales().await?.into_iter().map(check).collect();
        stream::iter(checks).buffer_unordered(CHECKED_AT_A_TIME).try_collect().await
    }

    /// The sales that answer no attempts until they are recovered: those that Redis has lost, and those that are
    /// suspended. Oldest first.
    ///
    /// # Errors
    /// `unavailable`, `ledger_unavailable`.
    pub async fn lost_or_suspended(&self) -> Result<Vec<Name>> {
        let look = |LedgerSale { kind, sale, .. }: LedgerSale| {
            let store = self.store.clone();
            let look = async move {
                let state = state_of(&store, &kind, &sale).await?;
                Ok(state.is_none_or(|state| state == "suspended").then_some((kind, sale)))
            };
            look.boxed()
        };
        let looks: Vec<BoxFuture<'static, Result<Option<Name>>>> =
            self.ledger.sales().await?.into_iter().map(look).collect();
        let states: Vec<Option<Name>> = stream::iter(looks).buffered(CHECKED_AT_A_TIME).try_collect().await?;
        Ok(states.into_iter().flatten().collect())
    }

    /// Makes sure that this Redis feeds no other ledger.
    ///
    /// # Errors
    /// One sentence where it does.
    pub async fn ensure_fed(&self) -> anyhow::Result<()> {
        let fed: Option<String> = self.store.query("GET", keys::LEDGER).await?;
        anyhow::ensure!(fed.is_none_or(|fed| fed == self.ledger.identity()), feed::FEEDS_ANOTHER);
        Ok(())
    }

    /// The lag of the ledger: for the newest sales, or the one named. If the ledger is unreachable, Redis still knows
    /// how far it was.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn status(&self, sale: Option<&str>) -> Result<Status> {
        let writer = self.store.query("GET", keys::WRITER).await?;
        let names = match sale {
            Some(sale) => {
                check_id("sale", sale)?;
                self.kinds.iter().map(|kind| (kind.info().id.to_owned(), sale.to_owned())).collect()
            }
            None => self.newest().await?,
        };
        let (known, unreachable) = match self.ledger_sales(sale).await {
            Ok(known) => (known, None),
            Err(error) if error.code == Code::LedgerUnavailable => (HashMap::new(), Some(error.message)),
            Err(error) => return Err(error),
        };
        let statuses = names.iter().map(|name| self.sale_status(name, known.get(name), unreachable.is_some()));
        let statuses = join_all(statuses).await.into_iter();
        let sales: Vec<SaleStatus> = statuses.filter_map(Result::transpose).collect::<Result<_>>()?;
        if let Some(sale) = sale.filter(|_| sales.is_empty() && unreachable.is_none()) {
            return Err(Error::unknown_sale(sale));
        }
        Ok(Status { sales, writer, unreachable })
    }

    /// The last audit of each of the newest sales, beside the lag.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn board(&self) -> Result<Board> {
        let Status { sales, writer, unreachable } = self.status(None).await?;
        if sales.is_empty() {
            return Ok(Board { sales: Vec::new(), writer, unreachable });
        }
        let names: Vec<String> = sales.iter().map(|status| keys::name(&status.kind, &status.sale)).collect();
        let listed = (keys::SALES, 0, LISTED - 1, "WITHSCORES");
        let opened: Vec<(String, f64)> = self.store.query("ZREVRANGE", listed).await?;
        let opened: HashMap<String, f64> = opened.into_iter().collect();
        let audits: Vec<Option<String>> = self.store.query("HMGET", (keys::AUDITS, &names)).await?;
        let mut sales: Vec<Audited> = sales
            .into_iter()
            .zip(names)
            .zip(audits)
            .map(|((status, name), audit)| Audited {
                status,
                opened_at: opened.get(&name).map(|at| *at as Millis),
                audit: audit.and_then(|json| serde_json::from_str(&json).ok()),
            })
            .collect();
        let rank = |Audited { status, audit, .. }: &Audited| match audit.as_ref().map(|audit| audit.verdict) {
            Some(Verdict::Broken) => 0,
            Some(Verdict::Unknown) => 1,
            Some(Verdict::Holds) | None if has_problem(status) => 2,
            Some(Verdict::Holds) | None => 3,
        };
        sales.sort_by_key(rank);
        Ok(Board { sales, writer, unreachable })
    }

    /// The latest audit of a sale, whoever requested it; `None` if there was none.
    ///
    /// # Errors
    /// `bad_request`, `unavailable`.
    pub async fn last_audit(&self, kind: &str, sale: &str) -> Result<Option<Audit>> {
        check_id("sale", sale)?;
        let audit: Option<String> = self.store.query("HGET", (keys::AUDITS, keys::name(kind, sale))).await?;
        Ok(audit.and_then(|json| serde_json::from_str(&json).ok()))
    }

    /// Audits a sale now, and keeps the result for the board.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_opening`.
    pub async fn audit(&self, kind: &str, sale: &str) -> Result<Audit> {
        check_id("sale", sale)?;
        let audit = self.kind(kind)?.audit(sale).await?;
        if let Err(error) = self.keep_audit(kind, sale, &audit).await {
            // The store has logged why; that Redis is full, once and not for each audit.
            tracing::debug!(sale, %error, "an audit could not be kept for the board");
        }
        Ok(audit)
    }

    async fn keep_audit(&self, kind: &str, sale: &str, audit: &Audit) -> Result<()> {
        let json = serde_json::to_string(audit).map_err(Error::internal)?;
        let name = keys::name(kind, sale);
        let _new: i64 = self.store.query("HSET", (keys::AUDITS, &name, json)).await?;
        // If the sale was archived meanwhile, its entry may have been deleted before this one was written. While the
        // ledger is unreachable, nothing is archived.
        if self.ledger.is_archived(kind, sale).await.unwrap_or(false) {
            let _deleted: i64 = self.store.query("HDEL", (keys::AUDITS, name)).await?;
        }
        Ok(())
    }

    /// Every sale that Redis or the ledger knows, newest first, as kind and id.
    ///
    /// # Errors
    /// `unavailable`, `ledger_unavailable`.
    pub async fn all(&self) -> Result<Vec<Name>> {
        let names = self.store.query("ZREVRANGE", (keys::SALES, 0, -1)).await.map(readable)?;
        let mut all: Vec<Name> = names.iter().filter_map(|name| split(name)).collect();
        for LedgerSale { kind, sale, .. } in self.ledger.sales().await? {
            let name = (kind, sale);
            if !all.contains(&name) {
                all.push(name);
            }
        }
        Ok(all)
    }

    /// The kinds that have a sale of this id.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn kinds_of(&self, sale: &str) -> Result<Vec<String>> {
        Ok(self.status(Some(sale)).await?.sales.into_iter().map(|status| status.kind).collect())
    }

    /// Makes `unknown_sale` more precise: `sale_archived` or `sale_lost`, if that is why Redis does not know a sale of
    /// this kind.
    pub async fn archived_or_lost(&self, error: Error, kind: &str, sale: &str) -> Error {
        match archived_or_lost::<Infallible>(Err(error), &self.store, &self.ledger, kind, sale).await {
            Err(error) => error,
            Ok(never) => match never {},
        }
    }

    /// Suspends a sale that an operator wants to be rebuilt from the ledger, because its data in Redis is damaged. Does
    /// nothing if Redis has lost it.
    ///
    /// # Errors
    /// `bad_request`; `unknown_sale` if the ledger could not rebuild it; `ledger_unavailable`; `unavailable`.
    pub async fn suspend(&self, kind: &str, sale: &str) -> Result<()> {
        check_id("sale", sale)?;
        self.check_kind(kind)?;
        let known = self.ledger.sale(kind, sale).await?;
        let Some(known) = known.filter(|known| known.terms.is_some() && !known.is_archived()) else {
            let why = format!("The ledger cannot rebuild the sale \"{sale}\", so it was not suspended.");
            return Err(Error { message: why, ..Error::unknown_sale(sale) });
        };
        refuse_incomplete(&self.store, &known).await?;
        if suspend_living(&self.store, kind, sale).await?.is_in_force() {
            tracing::warn!(sale, "suspended by an operator, to be rebuilt from the ledger");
        }
        Ok(())
    }

    /// Rebuilds a sale that Redis has lost.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, and the reasons why it cannot be recovered.
    pub async fn recover(&self, kind: &str, sale: &str) -> Result<Recovered> {
        check_id("sale", sale)?;
        self.kind(kind)?.recover(sale).await
    }

    /// Processes whatever is due in all sales, and returns how much that was. Any number of servers may do so: each
    /// refund or expiry happens once.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn sweep(&self) -> Result<u64> {
        let (mut done, mut failed) = (0, None);
        for kind in self.kinds.iter() {
            // A failure of one kind does not keep the others from being processed.
            match kind.sweep().await {
                Ok(count) => done += count,
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        if let Some(error) = failed {
            return Err(error);
        }
        Ok(done)
    }

    /// The dead letters of a kind, or a sale, or all, oldest first, at most 100.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn dead_letters(&self, kind: Option<&str>, sale: Option<&str>) -> Result<Vec<DeadLetter>> {
        kind.map_or(Ok(()), |kind| self.check_kind(kind))?;
        self.ledger.dead_letters(kind, sale).await
    }

    /// Tries dead letters again, of a kind or a sale or all: 1,000 of those that were tried least often.
    ///
    /// # Errors
    /// `bad_request`, `unavailable`, `ledger_unavailable`.
    pub async fn retry(&self, kind: Option<&str>, sale: Option<&str>) -> Result<Retried> {
        kind.map_or(Ok(()), |kind| self.check_kind(kind))?;
        let mut retried = Retried::default();
        for StoredDeadLetter { letter, entry } in self.ledger.dead_letters_to_retry(kind, sale).await? {
            let DeadLetter { kind, sale, event_id, .. } = letter;
            let released = vec![event_id];
            let mut batch = Batch { kind: kind.clone(), sale: sale.clone(), released, ..Batch::default() };
            let reason = match self.retry_one(&mut batch, entry).await {
                Ok(reason) => reason,
                // Nothing more can be recorded now.
                Err(error) if matches!(error.code, Code::LedgerUnavailable | Code::Unavailable) => return Err(error),
                Err(error) => Some(error.message),
            };
            match reason {
                Some(reason) => {
                    self.ledger.retry_failed(&kind, &sale, event_id, &reason).await?;
                    retried.still_set_aside += 1;
                }
                None => retried.applied += 1,
            }
        }
        Ok(retried)
    }

    /// Records a dead letter; returns why it cannot be.
    async fn retry_one(&self, batch: &mut Batch, entry: Entry) -> Result<Option<String>> {
        let interpreter = self.kind(&batch.kind)?.interpreter(&batch.sale).await?;
        add(batch, &interpreter, entry, self.clock.now())?;
        if let Some(rejected) = batch.dead_letters.pop() {
            return Ok(Some(rejected.reason));
        }
        Ok(match self.ledger.apply(&[batch]).await? {
            Applied::Refused(reason) => Some(reason),
            Applied::Done => None,
            Applied::Overtaken => self.lost_to_recovery(batch).await?,
        })
    }

    /// Why a dead letter from before a recovery can no longer be recorded. `None` if another call recorded it at the
    /// same time.
    async fn lost_to_recovery(&self, batch: &Batch) -> Result<Option<String>> {
        let known = self.ledger.sale(&batch.kind, &batch.sale).await?;
        let is_of_before =
            known.is_some_and(|known| batch.released.iter().any(|event_id| *event_id < known.generation));
        Ok(is_of_before.then(|| {
            "the sale was recovered without this entry; what it gave may belong to somebody else by now".to_owned()
        }))
    }

    /// Whether an operator has paused the ledger of a sale.
    ///
    /// # Errors
    /// `bad_request`, `unavailable`.
    pub async fn is_paused(&self, kind: &str, sale: &str) -> Result<bool> {
        self.kind(kind)?.is_paused(sale).await
    }

    /// Checks that this kind of sale exists.
    ///
    /// # Errors
    /// `bad_request`.
    pub fn check_kind(&self, kind: &str) -> Result<()> {
        self.kind(kind).map(drop)
    }

    fn kind(&self, kind: &str) -> Result<&dyn LedgerKind> {
        find_kind(self.kinds.iter().map(AsRef::as_ref), kind)
    }

    /// The newest sales of Redis, then those that only the ledger knows.
    async fn newest(&self) -> Result<Vec<Name>> {
        let names = self.store.query("ZREVRANGE", (keys::SALES, 0, LISTED - 1)).await.map(readable)?;
        let mut newest: Vec<Name> = names.iter().filter_map(|name| split(name)).collect();
        let in_ledger = match self.ledger.newest_sales(LISTED as u32).await {
            Ok(sales) => sales,
            Err(error) if error.code == Code::LedgerUnavailable => Vec::new(),
            Err(error) => return Err(error),
        };
        for LedgerSale { kind, sale, .. } in in_ledger {
            let name = (kind, sale);
            if newest.len() < LISTED && !newest.contains(&name) {
                newest.push(name);
            }
        }
        Ok(newest)
    }

    async fn ledger_sales(&self, sale: Option<&str>) -> Result<HashMap<Name, LedgerSale>> {
        let sales = match sale {
            Some(sale) => timeout(SALE_WITHIN, self.ledger.sales_named(sale)).await.unwrap_or_else(|_| {
                Err(Error::new(Code::LedgerUnavailable, "The ledger did not answer in time. Try again in a moment."))
            })?,
            None => self.ledger.newest_sales(4 * LISTED as u32).await?,
        };
        Ok(sales.into_iter().map(|known| ((known.kind.clone(), known.sale.clone()), known)).collect())
    }

    /// The status of one sale; `None` if neither Redis nor the ledger knows it.
    async fn sale_status(
        &self,
        name: &Name,
        known: Option<&LedgerSale>,
        unreachable: bool,
    ) -> Result<Option<SaleStatus>> {
        let (kind, sale) = name;
        let recorded = known.map(|known| known.position);
        let archived = known.is_some_and(|known| known.archived_at.is_some());
        // While the ledger is unreachable, Redis says which entries were acknowledged as recorded.
        let seen_from = if unreachable { None } else { Some(recorded.unwrap_or_default().event_id) };
        let (stream, applied, lost) = match stream_position(&self.store, kind, sale, seen_from).await? {
            Some(stream) if unreachable => (stream, stream.acknowledged, false),
            Some(stream) => (stream, recorded.unwrap_or_default(), false),
            None => match recorded {
                Some(recorded) => (StreamPosition::default(), recorded, true),
                None => return Ok(None),
            },
        };
        // A ledger that was attached later does not have the entries that were trimmed before; it counts from there.
        let before =
            if applied.entries == 0 { stream.end.entries.saturating_sub(stream.length) } else { applied.entries };
        // A Redis that came back without its newest entries counts fewer than the ledger has, yet it may have new ones.
        let lag_events = stream.waiting_since.map_or(0, |_| stream.end.entries.saturating_sub(before).max(1));
        let lag_ms = stream.waiting_since.map_or(0, |since| (self.clock.now() - since).max(0));
        Ok(Some(SaleStatus {
            kind: kind.clone(),
            sale: sale.clone(),
            applied_event_id: applied.event_id,
            last_event_id: stream.end.event_id,
            lag_events,
            lag_seconds: lag_ms as f64 / 1_000.0,
            dead_letters: known.map_or(0, |known| known.dead_letters),
            stream_length: stream.length,
            missing_events: known.map_or(0, |known| missing(known, stream.before())),
            alarm: lag_events > self.stream_alarm,
            lost: lost && !archived,
            archived,
        }))
    }
}

/// Whether something is wrong with a sale in the ledger.
fn has_problem(status: &SaleStatus) -> bool {
    status.lost || status.alarm || status.dead_letters > 0 || status.missing_events > 0
}

/// Kind and id of a sale.
pub type Name = (String, String);

/// `<kind>:<sale>`
fn split(name: &str) -> Option<Name> {
    keys::split_name(name).map(|(kind, sale)| (kind.to_owned(), sale.to_owned()))
}
