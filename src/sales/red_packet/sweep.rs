//! Refunds expired sales by themselves. Any number of servers may sweep: the script refunds once.

use super::{
    Refund,
    service::{KIND, RedPackets},
};
use crate::{domain::Millis, error::Result, sales::due::Expires};

impl Expires for RedPackets {
    const KIND: &str = KIND;
    const FIELD: &str = "expires_at";

    fn first_due(expires_at: Millis, _now: Millis) -> Millis {
        expires_at
    }

    async fn expire_due(&self, sale: &str, _now: Millis) -> Result<(u64, Option<Millis>)> {
        Ok(match self.refund(sale).await? {
            Refund::Refunded { refunded_cents } => {
                tracing::info!(sale, refunded_cents, "an expired sale is refunded");
                (1, None)
            }
            Refund::Repeat { .. } => (0, None),
            Refund::NotExpired { expires_at, .. } => (0, Some(expires_at)),
        })
    }
}
