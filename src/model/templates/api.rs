//! The API trait for server functions.

use super::{Deleted, Template, TemplateFields};
use crate::error::Result;
use async_trait::async_trait;

/// The API of templates.
#[async_trait]
pub trait TemplatesApi: Send + Sync {
    /// The templates of a kind, by their names.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    async fn templates(&self, kind: &str) -> Result<Vec<Template>>;

    /// Saves a template, in place of the one with the same name.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    async fn save(&self, kind: &str, name: &str, fields: TemplateFields) -> Result<Template>;

    /// Deletes a template.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    async fn delete(&self, kind: &str, name: &str) -> Result<Deleted>;
}
