//! The lab: strategies side by side, and one step at a time.

mod faults;
mod matrix;
mod mistakes;
mod run;
mod service;
mod stepper;

use crate::support::{
    ledger::Base,
    redis::{Raw, TestRedis},
};
use lab::{database::Database, home::Lab};

/// A lab beside a Redis of its own.
pub struct TestLab {
    pub lab: Lab,
    pub redis: TestRedis,
    _ledger: Base,
}

impl TestLab {
    /// With SQLite.
    pub async fn new() -> Self {
        let redis = TestRedis::start().await;
        let database = Database::in_folder(redis.folder());
        Self::with(redis, database).await
    }

    pub async fn with(redis: TestRedis, database: Database) -> Self {
        let base = Base::sqlite();
        let ledger = base.connect().await.expect("a ledger");
        let lab = Lab::open(&redis.store().await, ledger, database).await.expect("a lab");
        Self { lab, redis, _ledger: base }
    }

    /// A connection to the lab's logical database.
    pub async fn raw(&self) -> Raw {
        Raw::at(&format!("{}?db=1", self.redis.url())).await
    }
}
