//! What server functions call.

use super::Explanation;
use crate::error::Result;
use async_trait::async_trait;

/// Explained attempts, as server functions call them.
#[async_trait]
pub trait ExplainApi: Send + Sync {
    /// Makes an attempt at a copy of the sale.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `busy`, `unavailable`.
    async fn explain(&self, kind: &str, sale: &str, user: String) -> Result<Explanation>;
}
