//! The ledger beside Redis: its lag, audits, recoveries and dead letters.

pub mod changes;
pub mod dead_letters;
mod finding;
mod holdings;
mod notes;
pub mod searching;
pub mod status;
pub mod webhooks;

use crate::{
    absence::archived_or_lost,
    database::Ledger,
    feed::{self, Feed},
    kind::{DeadLetters, Interpreter, LastingParts, LedgerKind, Recovered},
    recording_watch::RecordingWatch,
    records::refuse_incomplete,
    sale::LedgerSale,
    scripts::{Suspension, keep_audit, suspend, suspend_living},
    writer::{Writer, steps::Steps},
};
use futures::{FutureExt, StreamExt, TryStreamExt, future::BoxFuture, stream};
use indexmap::IndexSet;
use model::{
    Audit, Millis, check_id,
    error::{Error, Result, shell_word},
    find_kind,
};
use std::{convert::Infallible, sync::Arc};
use store::{
    Store, keys,
    listing::{readable, state_of},
    runtime::Clock,
};

/// The number of sales whose state in Redis is checked concurrently.
const CHECKED_AT_A_TIME: usize = 64;

/// Answers questions that need both Redis and the ledger. Cheap to clone.
#[derive(Clone)]
pub struct LedgerService {
    store: Store,
    pub ledger: Ledger,
    kinds: Arc<[Arc<dyn LedgerKind>]>,
    clock: Arc<dyn Clock>,
    /// The number of waiting entries of a sale above which an alarm is raised.
    stream_alarm: u64,
    /// Tells the readers of the change feed when there are new rows.
    recordings: Arc<RecordingWatch>,
    /// The steps of the writers of this process.
    steps: Steps,
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
        let recordings = Arc::new(RecordingWatch::new(ledger.clone()));
        Self { store, ledger, kinds, clock, stream_alarm, recordings, steps: Steps::default() }
    }

    /// The time now.
    pub fn now(&self) -> Millis {
        self.clock.now()
    }

    /// A writer for this Redis and this ledger, with the name of its process.
    pub fn writer(&self, process: String) -> Writer {
        let (store, ledger, kinds) = (self.store.clone(), self.ledger.clone(), self.kinds.clone());
        Writer::new(store, ledger, kinds, self.clock.clone(), process, self.steps.clone())
    }

    /// Waits until the writers of this process have recorded what they have read so far, maybe from a Redis that is gone.
    pub async fn steps_ended(&self) {
        self.steps.ended().await;
    }

    /// Claims the streams of this Redis for this ledger, and the ledger for this Redis. A Redis that feeds another
    /// ledger has trimmed its streams for that one, and two Redis that feed one ledger give the same things away twice.
    /// The caller must keep the returned feed running as long as this process serves.
    ///
    /// # Errors
    /// `store_refused` with what to do if another Redis feeds this ledger, or this Redis feeds another ledger; with
    /// `adopt`, the latter only while a server writes that ledger, or if it was replaced meanwhile. `unavailable`,
    /// `ledger_unavailable`.
    pub async fn claim_streams(&self, adopt: bool) -> Result<Feed> {
        let mut feed = Feed::new(self.store.clone(), self.ledger.clone());
        feed.claim(adopt).await?;
        Ok(feed)
    }

    /// Suspends every sale of which the ledger knows more than Redis does, or of which Redis lacks a whole key.
    /// Processes everything due in the others.
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
                    Suspension::Begun => {
                        store.note_lost(&kind, &sale);
                        tracing::error!(
                            sale,
                            "Redis has lost what the ledger knows: suspended until it is recovered, with `stampede recover {}` \
                             unless the server that writes the ledger does it by itself",
                            shell_word(&sale)
                        );
                    }
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
        // A sale whose master does not answer is checked when the writer finds it again.
        let is_reachable = |LedgerSale { kind, sale, .. }: &LedgerSale| {
            self.store.is_reachable(&self.store.sale_key(kind, sale, "meta"))
        };
        let sales = self.ledger.sales().await?.into_iter().filter(is_reachable);
        let checks: Vec<BoxFuture<'static, Result<()>>> = sales.map(check).collect();
        stream::iter(checks).buffer_unordered(CHECKED_AT_A_TIME).try_collect().await
    }

    /// The sales that answer no attempts until they are recovered: lost and suspended ones. Oldest first.
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

    /// Checks that this Redis feeds no other ledger.
    ///
    /// # Errors
    /// One sentence if it does.
    pub async fn ensure_fed(&self) -> anyhow::Result<()> {
        let fed: Option<String> = self.store.query("GET", self.store.key(keys::LEDGER)).await?;
        anyhow::ensure!(fed.is_none_or(|fed| fed == self.ledger.identity()), feed::FEEDS_ANOTHER);
        Ok(())
    }

    /// The latest audit of a sale, by any caller. `None` if there was none.
    ///
    /// # Errors
    /// `bad_request`, `unavailable`.
    pub async fn last_audit(&self, kind: &str, sale: &str) -> Result<Option<Audit>> {
        check_id("sale", sale)?;
        let kind = self.kind(kind)?.info().id;
        let audit: Option<String> =
            self.store.query("HGET", (self.store.key(keys::AUDITS), keys::name(kind, sale))).await?;
        Ok(audit.and_then(|json| serde_json::from_str(&json).ok()))
    }

    /// Audits a sale now, and keeps the result for the board.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_opening`.
    pub async fn audit(&self, kind: &str, sale: &str) -> Result<Audit> {
        check_id("sale", sale)?;
        let of_kind = self.kind(kind)?;
        // If this fails, the store has logged why, and only an older audit is replaced.
        let seen: Option<Vec<u8>> =
            self.store.query("HGET", (self.store.key(keys::AUDITS), keys::name(kind, sale))).await.unwrap_or_default();
        let audit = of_kind.audit(sale).await?;
        if let Err(error) = self.keep_audit(kind, sale, &seen.unwrap_or_default(), &audit).await {
            // The store has logged why.
            tracing::debug!(sale, %error, "an audit could not be kept for the board");
        }
        Ok(audit)
    }

    async fn keep_audit(&self, kind: &str, sale: &str, seen: &[u8], audit: &Audit) -> Result<()> {
        let json = serde_json::to_string(audit).map_err(Error::internal)?;
        let name = keys::name(kind, sale);
        keep_audit(&self.store, &name, seen, &json).await?;
        // If the sale was archived meanwhile, its entry may have been deleted before this one was written. While the
        // ledger is unreachable, nothing is archived.
        if self.ledger.is_archived(kind, sale).await.unwrap_or(false) {
            let _deleted: i64 = self.store.query("HDEL", (self.store.key(keys::AUDITS), name)).await?;
        }
        Ok(())
    }

    /// The interpreter of the entries of a sale's stream.
    ///
    /// # Errors
    /// `bad_request` if there is no such kind; those of [`LedgerKind::interpreter`].
    pub async fn interpreter(&self, kind: &str, sale: &str) -> Result<Interpreter> {
        self.kind(kind)?.interpreter(sale).await
    }

    /// Every sale in Redis or the ledger, newest first, as kind and id.
    ///
    /// # Errors
    /// `unavailable`, `ledger_unavailable`.
    pub async fn all(&self) -> Result<Vec<Name>> {
        let names = self.store.query("ZREVRANGE", (self.store.key(keys::SALES), 0, -1)).await.map(readable)?;
        let in_redis = names.iter().filter_map(|name| split(name));
        let in_ledger = self.ledger.sales().await?.into_iter().map(|LedgerSale { kind, sale, .. }| (kind, sale));
        Ok(in_redis.chain(in_ledger).collect::<IndexSet<Name>>().into_iter().collect())
    }

    /// The kinds that have a sale with this id.
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

    /// Suspends a sale whose data in Redis is damaged, for an operator who wants to rebuild it from the ledger. Does
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

    /// Suspends every sale that the ledger can rebuild. Returns their number.
    ///
    /// # Errors
    /// `ledger_unavailable`, `unavailable`.
    pub async fn suspend_all(&self) -> Result<usize> {
        let mut count = 0;
        for known in self.ledger.sales().await?.into_iter().filter(|known| known.terms.is_some()) {
            count += usize::from(suspend_living(&self.store, &known.kind, &known.sale).await?.is_in_force());
        }
        Ok(count)
    }

    /// Rebuilds a sale that Redis has lost.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, and the reasons why it cannot be recovered.
    pub async fn recover(&self, kind: &str, sale: &str, dead_letters: DeadLetters) -> Result<Recovered> {
        check_id("sale", sale)?;
        self.kind(kind)?.recover(sale, dead_letters).await
    }

    /// Processes everything due in all sales. Returns the number of processed items. Any number of servers may do so:
    /// each refund or expiry happens once.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn sweep(&self) -> Result<u64> {
        let (mut done, mut failed) = (0, None);
        for kind in self.kinds.iter() {
            // A failure of one kind must not keep the others from being processed.
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
}

/// Kind and id of a sale.
pub type Name = (String, String);

/// Splits `<kind>:<sale>`.
fn split(name: &str) -> Option<Name> {
    keys::split_name(name).map(|(kind, sale)| (kind.to_owned(), sale.to_owned()))
}
