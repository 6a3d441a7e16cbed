//! The quantity of a sale in the ledger, for its page.

use crate::stock::scripts::KIND;
use ledger::database::Ledger;
use model::Millis;
use moka::future::Cache;
use std::{
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};
use store::runtime::{Clock, locked};

/// The longest wait of a page for the ledger. The page is shown even if the ledger is unreachable.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);
/// The shortest time between two reads of the ledger for a live view, in milliseconds.
const EVERY: u64 = 100;
/// The age at which an answer is no longer shown, in milliseconds.
const STALE: u64 = 1_000;
/// The number of sales whose latest answers are kept, and the time for which they are kept after the last query.
const SALES: u64 = 1_000;
const KEPT: Duration = Duration::from_secs(60);

#[derive(Clone)]
pub(super) struct Recorded {
    ledger: Ledger,
    clock: Arc<dyn Clock>,
    watched: Cache<String, Arc<Reading>>,
}

/// The latest answer of the ledger about a sale.
#[derive(Default)]
struct Reading {
    /// The quantity, `None` if the ledger could not be read, and the time of the read.
    latest: Mutex<Option<(Option<i64>, Millis)>>,
    /// The lock held by the task that reads.
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl Reading {
    fn latest(&self) -> MutexGuard<'_, Option<(Option<i64>, Millis)>> {
        locked(&self.latest)
    }
}

impl Recorded {
    pub(super) fn new(ledger: Ledger, clock: Arc<dyn Clock>) -> Self {
        Self { ledger, clock, watched: Cache::builder().max_capacity(SALES).time_to_idle(KEPT).build() }
    }

    /// The current quantity in the ledger; `None` if it does not answer in time.
    pub(super) async fn now(&self, sale: &str) -> Option<i64> {
        // The query runs in a task of its own, so that it is not cancelled.
        let reads = tokio::spawn(read(self.ledger.clone(), sale.to_owned()));
        tokio::time::timeout(PATIENCE, reads).await.ok()?.ok()?
    }

    /// The quantity that the ledger had at most a tenth of a second ago, if it answers. The live view calls this for
    /// every frame, and waits only for the first.
    pub(super) async fn latest(&self, sale: &str) -> Option<i64> {
        let reading = self.watched.get_with_by_ref(sale, async { Arc::default() }).await;
        let age = self.age(&reading);
        if age.is_none_or(|age| age >= EVERY)
            && let Ok(turn) = reading.turn.clone().try_lock_owned()
        {
            let (this, reading, sale) = (self.clone(), reading.clone(), sale.to_owned());
            let reads = tokio::spawn(async move {
                let quantity = read(this.ledger.clone(), sale).await;
                *reading.latest() = Some((quantity, this.clock.now()));
                drop(turn);
            });
            if age.is_none_or(|age| age >= STALE) {
                tokio::time::timeout(PATIENCE, reads).await.ok();
            }
        }
        // If the ledger did not answer in time, the quantity is unknown. An old answer would be taken for the present
        // one.
        let is_fresh = self.age(&reading).is_some_and(|age| age < STALE);
        let latest = *reading.latest();
        latest.filter(|_| is_fresh).and_then(|(quantity, _)| quantity)
    }

    /// The age of the ledger's answer.
    fn age(&self, reading: &Reading) -> Option<u64> {
        let latest = *reading.latest();
        latest.map(|(_, at)| self.clock.now().abs_diff(at))
    }
}

async fn read(ledger: Ledger, sale: String) -> Option<i64> {
    ledger.sale(KIND, &sale).await.ok().map(|known| known.map_or(0, |known| known.quantity))
}
