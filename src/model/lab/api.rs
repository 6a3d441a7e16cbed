//! What server functions call.

use super::{
    Settings,
    registry::Strategies,
    run::{Run, Runs, Started},
    trace::{Play, Trace},
};
use crate::error::Result;
use async_trait::async_trait;

/// The lab, as server functions call it.
#[async_trait]
pub trait LabApi: Send + Sync {
    /// Every strategy and mistake.
    fn strategies(&self) -> Strategies;

    /// Starts a run.
    ///
    /// # Errors
    /// `bad_request`, `lab_running`, `unavailable`.
    async fn start(&self, settings: Settings) -> Result<Started>;

    /// The run in progress, or the newest.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    async fn current(&self) -> Result<Option<Run>>;

    /// A run.
    ///
    /// # Errors
    /// `unknown_run`, `ledger_unavailable`.
    async fn find(&self, run: &str) -> Result<Run>;

    /// Stops a run.
    ///
    /// # Errors
    /// `unknown_run`, `ledger_unavailable`.
    async fn stop(&self, run: &str) -> Result<Run>;

    /// Runs that are over, newest first.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    async fn runs(&self, limit: Option<u32>) -> Result<Runs>;

    /// Plays a strategy step by step.
    ///
    /// # Errors
    /// `bad_request`, `unavailable`.
    async fn step(&self, play: &Play) -> Result<Trace>;
}
