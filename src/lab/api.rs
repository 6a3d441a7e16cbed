//! The interface for server functions.

use crate::service::LabService;
use async_trait::async_trait;
use model::{
    error::Result,
    lab::{
        LabApi, Settings,
        duel::{Duel, Match},
        orders::Orders,
        registry::Strategies,
        run::{Run, RunEntry},
        trace::{Play, Trace},
    },
    runs::{RunCursor, RunPage, Started},
};

#[async_trait]
impl LabApi for LabService {
    fn strategies(&self) -> Strategies {
        self.strategies()
    }

    async fn start(&self, settings: Settings) -> Result<Started> {
        self.start(settings).await
    }

    async fn current(&self) -> Result<Option<Run>> {
        self.current().await
    }

    async fn find(&self, run: &str) -> Result<Run> {
        self.find(run).await
    }

    async fn stop(&self, run: &str) -> Result<Run> {
        self.stop(run).await
    }

    async fn runs(&self, limit: Option<u32>, after: Option<&RunCursor>) -> Result<RunPage<RunEntry>> {
        self.runs(limit, after).await
    }

    async fn step(&self, play: &Play) -> Result<Trace> {
        self.step(play).await
    }

    async fn orders(&self, scene: &Play) -> Result<Orders> {
        self.orders(scene).await
    }

    async fn duel(&self, asked: Match, again: bool) -> Result<Duel> {
        self.duel(asked, again).await
    }
}
