//! The API trait for server functions.

use super::{Archived, Closed};
use crate::error::Result;
use async_trait::async_trait;

/// The API of closing and archiving.
#[async_trait]
pub trait ClosingApi: Send + Sync {
    /// Closes a sale early, once.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_suspended`, `unavailable`.
    async fn close(&self, kind: &str, sale: &str) -> Result<Closed>;

    /// Removes a closed sale from Redis.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `not_archivable`, `unavailable`.
    async fn archive(&self, kind: &str, sale: &str) -> Result<Archived>;
}
