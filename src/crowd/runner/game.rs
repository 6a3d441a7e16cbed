//! What a kind of sale makes of a crowd.

use super::run::Run;
use crate::error::Result;
use std::{future::Future, sync::Arc};
use tokio::time::Instant;

/// What users do at a kind of sale, and how it is told in the end what became of that. Cheap to clone.
pub(super) trait Game: Clone + Send + Sync + 'static {
    /// The names of answers, as they are shown.
    const ANSWERS: &'static [&'static str];

    /// All that the user of a place in the row does. `begun` is when it was due.
    fn come(&self, crowd: &Arc<Run>, place: u32, begun: Instant) -> impl Future<Output = ()> + Send;

    /// Waits for what users who have come still do.
    fn settle(&self) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// Compares what users were told with what is there.
    ///
    /// # Errors
    /// Nobody could look.
    fn compare(&self, crowd: &Run) -> impl Future<Output = Result<Found>> + Send;
}

/// What is not as it was told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub oversold: u64,
    pub doubled: u64,
    pub lost: u64,
    pub unexpected: u64,
}
