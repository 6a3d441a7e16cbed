//! How the whole of it is doing: Redis, the ledger and the sales that need somebody, from the readiness of the server, the
//! audit board, the list, and what could not be recorded or delivered.

use crate::{list::service::SaleLists, shared::Shared};
use async_trait::async_trait;
use futures::future::{try_join, try_join4};
use ledger::{missing::MissingSalesWatch, service::LedgerService};
use model::{
    Millis,
    error::{Code, Result},
    health::{Findings, Health, HealthApi, MAX_MATTERS, RedisRoom},
};
use std::sync::Arc;
use store::{Store, runtime::Clock};

/// For how long an answer is given to all readers of a server at least, in milliseconds: every open page asks.
const FRESH: Millis = 2_000;

/// Says how the whole of it is doing.
pub struct HealthService {
    store: Store,
    lists: Arc<SaleLists>,
    ledger: Arc<LedgerService>,
    missing: MissingSalesWatch,
    latest: Shared<Health>,
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
        Self { store, lists, ledger, missing, latest: Shared::new(clock) }
    }

    async fn look(&self) -> Result<Health> {
        let undone = async {
            // The board says if the database does not answer.
            unless_unreachable(try_join(self.ledger.dead_letters_by_sale(MAX_MATTERS), self.ledger.webhooks()).await)
        };
        let (is_full, board, noteworthy, (dead_letters, webhooks)) =
            try_join4(self.store.ready(), self.ledger.board(0), self.lists.noteworthy(), undone).await?;
        let redis = match (is_full, self.store.has_room()) {
            (true, _) => RedisRoom::Full,
            (false, false) => RedisRoom::DiskFull,
            (false, true) => RedisRoom::Free,
        };
        let missing_sales = self.missing.latest().count;
        Ok(Health::of(Findings { redis, missing_sales, board, noteworthy, dead_letters, webhooks }))
    }
}

/// Returns nothing if the database does not answer.
fn unless_unreachable<T: Default>(found: Result<T>) -> Result<T> {
    match found {
        Err(error) if error.code == Code::LedgerUnavailable => Ok(T::default()),
        found => found,
    }
}

#[async_trait]
impl HealthApi for HealthService {
    async fn health(&self) -> Result<Health> {
        self.latest.get(FRESH, self.look()).await
    }
}
