//! The API trait for server functions.

use super::{
    RunConfig, Status,
    replay::Replay,
    runs::{RunRecord, RunReport},
};
use crate::{
    KindInfo,
    error::Result,
    runs::{RunCursor, RunPage, Started},
};
use async_trait::async_trait;

/// The API of crowds and their runs.
#[async_trait]
pub trait CrowdApi: Send + Sync {
    /// The kind of a sale, found by its id alone. If sales of several kinds have the id, it is the first of these
    /// kinds.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_archived`, `sale_lost`, `unavailable`.
    async fn kind_of(&self, sale: &str) -> Result<&'static KindInfo>;

    /// Starts a crowd at a sale.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `crowd_running`, `busy`, `unavailable`.
    async fn start(&self, kind: &str, config: RunConfig) -> Result<Started>;

    /// The current status of a run.
    ///
    /// # Errors
    /// `unknown_run`, `unavailable`.
    async fn status(&self, run: &str) -> Result<Status>;

    /// Changes the load of a run.
    ///
    /// # Errors
    /// `bad_request`, `unknown_run`, `unavailable`.
    async fn change(&self, run: &str, per_s: u32) -> Result<Status>;

    /// Stops a run.
    ///
    /// # Errors
    /// `unknown_run`, `unavailable`.
    async fn stop(&self, run: &str) -> Result<Status>;

    /// The ended runs at a sale, newest first.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    async fn runs(
        &self,
        kind: &str,
        sale: &str,
        limit: Option<u32>,
        after: Option<&RunCursor>,
    ) -> Result<RunPage<RunRecord>>;

    /// The report of an ended run, with all details.
    ///
    /// # Errors
    /// `unknown_run`, `ledger_unavailable`.
    async fn report(&self, run: &str) -> Result<RunReport>;

    /// What an ended run gave away, in order.
    ///
    /// # Errors
    /// `unknown_run`, `ledger_unavailable`.
    async fn replay(&self, run: &str) -> Result<Replay>;
}
