//! The API trait of red packets, implemented by the service.

use crate::red_packet::service::RedPackets;
use async_trait::async_trait;
use model::red_packet::{Opened, Outcome, RedPacketApi, Refund, Snapshot, Terms};
use model::{ScriptInfo, error::Result, sale::IdOrigin};

#[async_trait]
impl RedPacketApi for RedPackets {
    async fn open_as(&self, terms: Terms, origin: IdOrigin) -> Result<Opened> {
        self.open_as(terms, origin).await
    }

    async fn claim(&self, sale: &str, user: String, request_id: Option<String>) -> Result<Outcome> {
        self.claim(sale, user, request_id).await
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
