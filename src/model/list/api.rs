//! The API trait for server functions.

use super::{ListQuery, SaleList};
use crate::error::Result;
use async_trait::async_trait;

/// The API of the list of sales.
#[async_trait]
pub trait ListApi: Send + Sync {
    /// A page of the list, newest first.
    ///
    /// # Errors
    /// `bad_request`, `unavailable`.
    async fn list(&self, query: ListQuery) -> Result<SaleList>;
}
