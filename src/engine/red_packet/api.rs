//! The API trait of red packets, implemented by the service.

use crate::red_packet::service::RedPackets;
use async_trait::async_trait;
use model::red_packet::{Opened, Outcome, RedPacketApi, Refund, Snapshot, Terms};
use model::{Answer, ScriptInfo, error::Result, sale::IdOrigin};

#[async_trait]
impl RedPacketApi for RedPackets {
    async fn open_as(&self, terms: Terms, origin: IdOrigin) -> Result<Opened> {
        self.open_as(terms, origin).await
    }

    async fn claim(&self, sale: &str, user: String, request_id: Option<String>) -> Result<Answer<Outcome>> {
        let request_id = request_id.unwrap_or_else(|| self.ids.id());
        let outcome = self.claim(sale, user, Some(request_id.clone())).await;
        Answer::to(request_id, outcome)
    }

    async fn refund(&self, sale: &str) -> Result<Refund> {
        self.refund(sale).await
    }

    async fn snapshot(&self, sale: &str) -> Result<Snapshot> {
        self.snapshot(sale).await
    }

    async fn script(&self) -> Result<ScriptInfo> {
        self.script().await
    }
}
