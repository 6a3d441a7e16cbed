//! The API trait for server functions.

use super::{
    Settings,
    duel::{Duel, Match},
    orders::Orders,
    registry::Strategies,
    run::{Run, RunEntry},
    trace::{Play, Trace},
};
use crate::{
    error::Result,
    runs::{RunCursor, RunPage, Started},
};
use async_trait::async_trait;

/// The API of the lab.
#[async_trait]
pub trait LabApi: Send + Sync {
    /// All strategies and mistakes.
    fn strategies(&self) -> Strategies;

    /// Starts a run.
    ///
    /// # Errors
    /// `bad_request`, `lab_running`, `unavailable`.
    async fn start(&self, settings: Settings) -> Result<Started>;

    /// The run in progress, or the newest run.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    async fn current(&self) -> Result<Option<Run>>;

    /// The run with this id.
    ///
    /// # Errors
    /// `unknown_run`, `ledger_unavailable`.
    async fn find(&self, run: &str) -> Result<Run>;

    /// Stops a run.
    ///
    /// # Errors
    /// `unknown_run`, `ledger_unavailable`.
    async fn stop(&self, run: &str) -> Result<Run>;

    /// Ended runs, newest first.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    async fn runs(&self, limit: Option<u32>, after: Option<&RunCursor>) -> Result<RunPage<RunEntry>>;

    /// Plays a strategy step by step.
    ///
    /// # Errors
    /// `bad_request`, `unavailable`.
    async fn step(&self, play: &Play) -> Result<Trace>;

    /// Plays all orders of a scene, which is a play whose schedule does not matter.
    ///
    /// # Errors
    /// `bad_request`, `busy`, `unavailable`.
    async fn orders(&self, scene: &Play) -> Result<Orders>;

    /// A duel: the recorded one, if there is one and no other is asked for.
    ///
    /// # Errors
    /// `bad_request`, `lab_running`, `unavailable`.
    async fn duel(&self, asked: Match, again: bool) -> Result<Duel>;
}
