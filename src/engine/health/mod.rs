//! How the whole of it is doing: Redis, the ledger and the sales that need somebody, from the readiness of the server, the
//! audit board and the list.

use crate::list::service::SaleLists;
use async_trait::async_trait;
use futures::future::try_join3;
use ledger::{missing::MissingSalesWatch, service::LedgerService};
use model::{
    Millis,
    error::Result,
    health::{Health, HealthApi, RedisRoom},
};
use std::sync::Arc;
use store::{Store, runtime::Clock};
use tokio::sync::Mutex;

/// How old an answer may be, in milliseconds: every open page asks, and all readers of a server get the same.
const FRESH: Millis = 2_000;

/// Says how the whole of it is doing.
pub struct HealthService {
    store: Store,
    lists: Arc<SaleLists>,
    ledger: Arc<LedgerService>,
    missing: MissingSalesWatch,
    clock: Arc<dyn Clock>,
    /// The latest answer, and its time. Who asks meanwhile waits for it.
    latest: Mutex<Option<(Millis, Health)>>,
}

impl HealthService {
    /// The health of what these services serve.
    pub fn new(
        store: Store,
        lists: Arc<SaleLists>,
        ledger: Arc<LedgerService>,
        missing: MissingSalesWatch,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { store, lists, ledger, missing, clock, latest: Mutex::new(None) }
    }

    async fn look(&self) -> Result<Health> {
        let (is_full, board, noteworthy) =
            try_join3(self.store.ready(), self.ledger.board(0), self.lists.noteworthy()).await?;
        let redis = match (is_full, self.store.has_room()) {
            (true, _) => RedisRoom::Full,
            (false, false) => RedisRoom::DiskFull,
            (false, true) => RedisRoom::Free,
        };
        Ok(Health::of(redis, self.missing.latest().count, board, &noteworthy))
    }
}

#[async_trait]
impl HealthApi for HealthService {
    async fn health(&self) -> Result<Health> {
        let mut latest = self.latest.lock().await;
        let now = self.clock.now();
        if let Some((_, health)) = latest.as_ref().filter(|(at, _)| (0..FRESH).contains(&(now - at))) {
            return Ok(health.clone());
        }
        let health = self.look().await?;
        *latest = Some((now, health.clone()));
        Ok(health)
    }
}
