//! The API trait for server functions.

use super::{Note, Noted};
use crate::error::Result;
use async_trait::async_trait;

/// The API of notes on sales.
#[async_trait]
pub trait NotesApi: Send + Sync {
    /// Adds a note on a sale, once for each request id.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`, `ledger_unavailable`.
    async fn add(&self, kind: &str, sale: &str, text: &str, request_id: Option<String>) -> Result<Noted>;

    /// The notes on a sale, newest first.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    async fn notes(&self, kind: &str, sale: &str) -> Result<Vec<Note>>;
}
