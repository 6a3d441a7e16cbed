//! The lab: strategies side by side, and one step at a time.

mod duel;
mod faults;
mod lesson;
mod matrix;
mod mistakes;
mod orders;
mod program;
mod run;
mod service;
mod stepper;

use crate::support::{
    ledger::Base,
    redis::{Raw, TestRedis},
};
use engine::kind::Resources;
use lab::{database::Database, home::Lab};
use ledger::database::Ledger;
use std::sync::Arc;
use store::{Store, clock::RedisClock, lab_redis::LabRedis, runtime::Ids};

/// What a server gives its lab.
pub async fn resources(store: Store, ledger: Ledger) -> Resources {
    let clock = RedisClock::of(&store).await.expect("a clock");
    Resources { ids: Arc::new(Ids::new(clock.clone())), store, ledger, clock }
}

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
        let lab = Lab::open(resources(redis.store().await, ledger).await, &LabRedis::NextDatabase, database)
            .await
            .expect("a lab");
        Self { lab, redis, _ledger: base }
    }

    /// A connection to the lab's logical database.
    pub async fn raw(&self) -> Raw {
        Raw::at(&format!("{}?db=1", self.redis.url())).await
    }
}
