//! Observes the effects of a fault. Each probe calls the store, the ledger or the sale, like any other caller.

use engine::{kind::Kinds, stock::service::Stock};
use ledger::service::LedgerService;
use model::{
    error::{Error, Result},
    ledger::{SaleStatus, Status},
};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};
use store::{Store, keys};
use tokio::time::Instant;

/// Observes a server's Redis and its ledger. Cheap to clone.
#[derive(Clone)]
pub struct Probe {
    pub store: Store,
    /// The ledger's lag, and the sales that Redis has lost.
    pub ledger: Arc<LedgerService>,
    pub kinds: Kinds,
}

/// The ledger's lag over the newest sales.
pub struct Lag {
    /// The number of events that wait for the ledger.
    pub events: u64,
    /// The process that writes the ledger.
    pub writer: Option<String>,
    /// The status that these values come from.
    status: Status,
}

impl Probe {
    /// The duration of a call to Redis on the connection of the attempts. The connection for everything else must
    /// answer, too.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn round_trip(&self) -> Result<Duration> {
        let began = Instant::now();
        self.store.wake_attempts().await?;
        let took = began.elapsed();
        self.store.query::<String>("PING", None::<&str>).await?;
        Ok(took)
    }

    /// The process id of Redis.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn process(&self) -> Result<String> {
        let info: String = self.store.query("INFO", "server").await?;
        let id = info.lines().find_map(|line| line.strip_prefix("process_id:"));
        id.map(|id| id.trim().to_owned()).ok_or_else(|| Error::internal("Redis does not say which process it is"))
    }

    /// The number of calls of each script that Redis did not know, in the lifetime of this Redis.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn reloads(&self) -> Result<BTreeMap<String, u64>> {
        self.store.query("HGETALL", self.store.key(keys::HEALED)).await
    }

    /// The ledger's lag.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn lag(&self) -> Result<Lag> {
        let status = self.ledger.status(None).await?;
        let events = status.sales.iter().map(|sale| sale.lag_events).sum();
        Ok(Lag { events, writer: status.writer.clone(), status })
    }

    /// The service for sales of stock.
    ///
    /// # Errors
    /// `internal` if this server has none.
    pub fn stock(&self) -> Result<&Stock> {
        self.kinds.get().ok_or_else(|| Error::internal("there are no sales of stock"))
    }

    /// The number of sales that answer no attempts until they are recovered.
    ///
    /// # Errors
    /// `unavailable`, `ledger_unavailable`.
    pub async fn lost(&self) -> Result<usize> {
        Ok(self.ledger.lost_or_suspended().await?.len())
    }
}

impl Lag {
    /// Whether the ledger has everything that had happened at `before`. A sale that is no longer listed has been
    /// archived.
    pub fn is_past(&self, before: &Self) -> bool {
        let applied: HashMap<_, _> =
            self.status.sales.iter().map(|sale| ((&sale.kind, &sale.sale), sale.applied_event_id)).collect();
        let is_past = |sale: &SaleStatus| {
            let applied = applied.get(&(&sale.kind, &sale.sale));
            applied.is_none_or(|applied| *applied >= sale.last_event_id)
        };
        self.status.unreachable.is_none() && before.status.sales.iter().all(is_past)
    }
}
