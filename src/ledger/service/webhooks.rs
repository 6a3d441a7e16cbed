//! The webhooks as pages and programs see them.

use crate::{service::LedgerService, webhooks::origin};
use model::{
    error::Result,
    ledger::{RequeuedRows, UndeliveredRow, Webhook},
};

impl LedgerService {
    /// All webhooks and how far they have come, oldest first. Their addresses end before the path, which may contain a
    /// secret.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn webhooks(&self) -> Result<Vec<Webhook>> {
        let mut webhooks = self.ledger.webhook_progress().await?;
        for webhook in &mut webhooks {
            webhook.url = origin(&webhook.url);
        }
        Ok(webhooks)
    }

    /// The rows that were given up, of one webhook or of all: the oldest 100.
    ///
    /// # Errors
    /// `bad_request` if there is no such webhook; `ledger_unavailable`.
    pub async fn undelivered(&self, webhook: Option<&str>) -> Result<Vec<UndeliveredRow>> {
        self.ledger.undelivered(webhook).await
    }

    /// Has the rows that were given up sent again, of one webhook or of all.
    ///
    /// # Errors
    /// `bad_request` if there is no such webhook; `ledger_unavailable`.
    pub async fn requeue(&self, webhook: Option<&str>) -> Result<RequeuedRows> {
        Ok(RequeuedRows { requeued: self.ledger.requeue(webhook).await? })
    }
}
