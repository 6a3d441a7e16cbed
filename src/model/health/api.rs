//! The API trait for server functions.

use super::Health;
use crate::error::Result;
use async_trait::async_trait;

/// The API of health.
#[async_trait]
pub trait HealthApi: Send + Sync {
    /// How the whole of it is doing, and what needs somebody; at least two seconds apart, whoever asks.
    ///
    /// # Errors
    /// `unavailable`, or why Redis must not be used.
    async fn health(&self) -> Result<Health>;
}
