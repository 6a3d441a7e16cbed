//! The interface for server functions.

use crate::service::LedgerService;
use async_trait::async_trait;
use model::ledger::{
    Board, DeadLetter, Found, HistoryCursor, Holdings, LedgerApi, Page, RequeuedRows, Retried, Row, Search, Status,
    UndeliveredRow, Webhook,
};
use model::{Audit, error::Result};

#[async_trait]
impl LedgerApi for LedgerService {
    async fn search(&self, search: &Search, limit: Option<u32>, after: Option<HistoryCursor>) -> Result<Page> {
        self.search(search, limit, after).await
    }

    async fn row(&self, id: HistoryCursor) -> Result<Option<Row>> {
        self.ledger.row(id).await
    }

    async fn holdings(&self, user: &str, after: Option<HistoryCursor>) -> Result<Holdings> {
        self.holdings(user, after).await
    }

    async fn find(&self, text: &str) -> Result<Found> {
        self.find(text).await
    }

    async fn status(&self, sale: Option<&str>) -> Result<Status> {
        self.status(sale).await
    }

    async fn dead_letters(&self, kind: Option<&str>, sale: Option<&str>) -> Result<Vec<DeadLetter>> {
        self.dead_letters(kind, sale).await
    }

    async fn retry(&self, kind: Option<&str>, sale: Option<&str>) -> Result<Retried> {
        self.retry(kind, sale).await
    }

    async fn webhooks(&self) -> Result<Vec<Webhook>> {
        self.webhooks().await
    }

    async fn undelivered(&self, webhook: Option<&str>) -> Result<Vec<UndeliveredRow>> {
        self.undelivered(webhook).await
    }

    async fn requeue(&self, webhook: Option<&str>) -> Result<RequeuedRows> {
        self.requeue(webhook).await
    }

    async fn board(&self, skip: u32) -> Result<Board> {
        self.board(skip).await
    }

    async fn audit(&self, kind: &str, sale: &str) -> Result<Audit> {
        self.audit(kind, sale).await
    }

    async fn last_audit(&self, kind: &str, sale: &str) -> Result<Option<Audit>> {
        self.last_audit(kind, sale).await
    }
}
