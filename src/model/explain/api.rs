//! The API trait for server functions.

use super::Explanation;
use crate::error::Result;
use async_trait::async_trait;

/// The API of explained attempts.
#[async_trait]
pub trait ExplainApi: Send + Sync {
    /// Makes an attempt on a copy of the sale.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `busy`, `unavailable`.
    async fn explain(&self, kind: &str, sale: &str, user: String) -> Result<Explanation>;
}
