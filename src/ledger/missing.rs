//! Sales that Redis has lost as a whole. Nothing in Redis names them any more, so Redis alone cannot show that they are
//! gone. The search also counts suspended sales, of which Redis has lost a part.
//!
//! The search runs in the background, so that no request waits for the ledger. The result is kept in memory. A search
//! reads the names of the sales that are not archived, by a partial index.

use crate::database::Ledger;
use model::{
    Millis,
    error::Result,
    ledger::{MissingSales, SaleName},
};
use redis::{Value, from_redis_value};
use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard},
    time::{Duration, Instant},
};
use store::{Store, command, keys, listing, stream::protocol_error};

/// The number of sales checked in one round trip.
const AT_A_TIME: usize = 1_000;
/// The number of missing sales that are named. The others are only counted.
const NAMED: usize = 5;
/// The time after which the result of a search is no longer taken for what is there now.
const RECENT: Duration = Duration::from_secs(30);

/// The state of a sale, its opening time, and the event whose loss has suspended it.
type Record = (Option<String>, Option<String>, Option<String>);

/// The result of the latest search. Cheap to clone.
#[derive(Clone)]
pub struct MissingSalesWatch {
    store: Store,
    ledger: Ledger,
    latest: Arc<RwLock<Found>>,
}

/// What a search found.
#[derive(Clone, Default)]
struct Found {
    missing: MissingSales,
    /// The number of sales by kind and state, but for missing ones.
    states: SaleStates,
    /// When the search ended; `None` if there was none.
    at: Option<Instant>,
}

/// The number of sales by kind and state.
pub type SaleStates = BTreeMap<(String, String), u64>;

impl MissingSalesWatch {
    /// A watch that has not searched yet.
    pub fn new(store: Store, ledger: Ledger) -> Self {
        Self { store, ledger, latest: Arc::default() }
    }

    /// The missing sales at the latest search.
    pub fn latest(&self) -> MissingSales {
        self.found().missing.clone()
    }

    /// The number of suspended sales at the latest search.
    pub fn suspended(&self) -> u64 {
        let found = self.found();
        found.states.iter().filter(|((_, state), _)| state == "suspended").map(|(_, count)| count).sum()
    }

    /// The number of sales by kind and state, of those in Redis and the ledger, and the number of missing ones. `None`
    /// if no search has succeeded in the last 30 s.
    pub fn recent(&self) -> Option<(SaleStates, u64)> {
        let found = self.found();
        let is_recent = found.at.is_some_and(|at| at.elapsed() <= RECENT);
        is_recent.then(|| (found.states.clone(), found.missing.count))
    }

    fn found(&self) -> RwLockReadGuard<'_, Found> {
        self.latest.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a sale back on the list. Without its name there, nobody records it or ends anything due in it.
    async fn list(&self, SaleName { kind, sale }: &SaleName, opened_at: Millis) -> Result<()> {
        listing::list(&self.store, kind, sale, opened_at).await?;
        tracing::error!(kind, sale, "the list in Redis had lost a sale, which is on it again");
        Ok(())
    }

    /// Notes the sales that a server may recover by itself, unless they are noted already.
    async fn note_lost(&self, lost: &[String]) -> Result<()> {
        for names in lost.chunks(AT_A_TIME) {
            let key = self.store.key(keys::LOST);
            let noted: Vec<Option<String>> = self.store.query("HMGET", (key, names)).await?;
            for (name, _) in names.iter().zip(noted).filter(|(_, noted)| noted.is_none()) {
                self.store.query::<i64>("HSET", (key, name, "")).await?;
            }
        }
        Ok(())
    }

    /// Searches for sales of the ledger that are not in Redis, and logs if there are more than before. A sale that is
    /// in Redis but not on the list is listed again. Nothing is known of the sales of a master that does not answer: they
    /// are left out. Notes what can be recovered without a person, in case whoever suspended it could not; of sales that are
    /// gone as a whole, only if others are there: a Redis with none of them may be another one than was meant.
    ///
    /// # Errors
    /// `unavailable`, `ledger_unavailable`: the answer is unknown, and the previous result stays.
    pub async fn look(&self) -> Result<()> {
        let (mut found, mut states) = (MissingSales::default(), SaleStates::new());
        let (mut lost, mut gone) = (Vec::new(), Vec::new());
        // The ledger first: a sale is in Redis before it is in the ledger, and the mark of an archived sale stays for
        // an hour.
        let mut names = self.ledger.names().await?;
        self.store.find_groups(names.iter().map(|name| keys::name(&name.kind, &name.sale))).await?;
        // What a master has that does not answer is not lost.
        names.retain(|SaleName { kind, sale }| self.store.is_reachable(&self.store.sale_key(kind, sale, "meta")));
        for names in names.chunks(AT_A_TIME) {
            let mut commands = Vec::with_capacity(2 * names.len());
            for SaleName { kind, sale } in names {
                let (mut listed, mut record) = (command("ZSCORE"), command("HMGET"));
                listed.arg(self.store.key(keys::SALES)).arg(keys::name(kind, sale));
                record.arg(self.store.sale_key(kind, sale, "meta")).arg(&["state", "opened_at", "lost"]);
                // In this order: a sale that is being archived changes its state before it leaves the list.
                commands.extend([listed, record]);
            }
            let values = self.store.each(commands).await;
            for (name, values) in names.iter().zip(values.chunks_exact(2)) {
                let is_listed = *values[0].as_ref().map_err(|error| self.store.failed(error))? != Value::Nil;
                let record = match &values[1] {
                    Ok(record) => from_redis_value::<Record>(record.clone()).map_err(protocol_error)?,
                    // Something else under the key of the record is no sale either.
                    Err(error) if error.code() == Some("WRONGTYPE") => (None, None, None),
                    Err(error) => return Err(self.store.failed(error)),
                };
                if record.0.is_none() && values[1].is_ok() {
                    gone.push(keys::name(&name.kind, &name.sale));
                } else if record.0.as_deref() == Some("suspended") && record.2.is_some() {
                    lost.push(keys::name(&name.kind, &name.sale));
                }
                match record {
                    (Some(state), opened_at, _) => {
                        let is_archived = state == "archived";
                        *states.entry((name.kind.clone(), state)).or_default() += 1;
                        if !is_listed && !is_archived {
                            // Somebody may have changed the time by hand. Being on the list matters more than the
                            // position there.
                            let opened_at = opened_at.and_then(|text| text.parse().ok()).unwrap_or_default();
                            self.list(name, opened_at).await?;
                        }
                    }
                    (None, ..) => {
                        found.count += 1;
                        if found.sales.len() < NAMED {
                            found.sales.push(name.clone());
                        }
                    }
                }
            }
        }
        if !states.is_empty() {
            lost.extend(gone);
        }
        self.note_lost(&lost).await?;
        let mut latest = self.latest.write().unwrap_or_else(PoisonError::into_inner);
        if found.count > latest.missing.count {
            tracing::error!(
                sales = found.count,
                "Redis has lost sales that the ledger has: run `stampede recover --all`"
            );
        }
        *latest = Found { missing: found, states, at: Some(Instant::now()) };
        Ok(())
    }
}
