//! The API trait of crowds, implemented by the service.

use crate::crowd::runner::Crowds;
use async_trait::async_trait;
use model::{
    KindInfo,
    crowd::{
        CrowdApi, RunConfig, Status,
        replay::Replay,
        runs::{RunRecord, RunReport},
    },
    error::Result,
    runs::{RunCursor, RunPage, Started},
};

#[async_trait]
impl CrowdApi for Crowds {
    async fn kind_of(&self, sale: &str) -> Result<&'static KindInfo> {
        self.kind_of(sale).await
    }

    async fn start(&self, kind: &str, config: RunConfig) -> Result<Started> {
        self.start(kind, config).await
    }

    async fn status(&self, run: &str) -> Result<Status> {
        self.status(run).await
    }

    async fn change(&self, run: &str, per_s: u32) -> Result<Status> {
        self.change(run, per_s).await
    }

    async fn stop(&self, run: &str) -> Result<Status> {
        self.stop(run).await
    }

    async fn runs(
        &self,
        kind: &str,
        sale: &str,
        limit: Option<u32>,
        after: Option<&RunCursor>,
    ) -> Result<RunPage<RunRecord>> {
        self.runs(kind, sale, limit, after).await
    }

    async fn report(&self, run: &str) -> Result<RunReport> {
        self.history.report(run).await
    }

    async fn replay(&self, run: &str) -> Result<Replay> {
        self.replay(run).await
    }
}
