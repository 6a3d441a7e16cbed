//! The API trait for server functions.

use super::{
    Board, DeadLetter, Found, HistoryCursor, Holdings, Page, RequeuedRows, Retried, Row, Search, Status,
    UndeliveredRow, Webhook,
};
use crate::{Audit, error::Result};
use async_trait::async_trait;

/// The API of the ledger.
#[async_trait]
pub trait LedgerApi: Send + Sync {
    /// A page of the history, newest first.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    async fn search(&self, search: &Search, limit: Option<u32>, after: Option<HistoryCursor>) -> Result<Page>;

    /// The row with this id; `None` if there is none.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    async fn row(&self, id: HistoryCursor) -> Result<Option<Row>>;

    /// What a user has, at the sales after a cursor.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    async fn holdings(&self, user: &str, after: Option<HistoryCursor>) -> Result<Holdings>;

    /// What begins with a text.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    async fn find(&self, text: &str) -> Result<Found>;

    /// The lag of the ledger, for one sale or for all.
    ///
    /// # Errors
    /// `bad_request`.
    async fn status(&self, sale: Option<&str>) -> Result<Status>;

    /// The entries that could not be recorded.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    async fn dead_letters(&self, kind: Option<&str>, sale: Option<&str>) -> Result<Vec<DeadLetter>>;

    /// Tries to record dead letters again.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    async fn retry(&self, kind: Option<&str>, sale: Option<&str>) -> Result<Retried>;

    /// The webhooks, and how far each has come.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    async fn webhooks(&self) -> Result<Vec<Webhook>>;

    /// The rows that a webhook, or any, did not accept in time.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    async fn undelivered(&self, webhook: Option<&str>) -> Result<Vec<UndeliveredRow>>;

    /// Has such rows sent again.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    async fn requeue(&self, webhook: Option<&str>) -> Result<RequeuedRows>;

    /// The newest audit of every sale.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    async fn board(&self, skip: u32) -> Result<Board>;

    /// Audits a sale now.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    async fn audit(&self, kind: &str, sale: &str) -> Result<Audit>;

    /// The newest audit of a sale.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    async fn last_audit(&self, kind: &str, sale: &str) -> Result<Option<Audit>>;
}
