//! Red packets, for the registry.

use super::{
    DEFAULT_EXPIRES_IN_S, INFO, Splitter, Terms, description::description, scripts::SCRIPTS, service::RedPackets,
};
use crate::{
    domain::{EventId, KindInfo, OfKind, SaleState},
    error::{Error, Result},
    live::hub::LiveSource,
    sales::{
        closing::Closed,
        kind::{AttemptCall, KindService, ServerPart},
        list::SaleSummary,
        snapshot::SaleSnapshot,
    },
};
use std::sync::Arc;

/// What this kind registers with the server.
pub static SERVER: ServerPart = ServerPart {
    scripts: &SCRIPTS,
    parts: &super::scripts::PARTS,
    unsettled: "pending",
    large_bodies: &[],
    description,
    connect: |resources| Arc::new(RedPackets::new(resources)),
};

impl OfKind for RedPackets {
    fn info(&self) -> &'static KindInfo {
        &INFO
    }
}

impl KindService for RedPackets {
    async fn summaries(&self, sales: &[String]) -> Result<Vec<SaleSummary>> {
        self.summaries(sales).await
    }

    async fn close(&self, sale: &str) -> Result<Closed> {
        self.close(sale).await
    }

    async fn attempt_call(&self, sale: &str, user: String) -> Result<AttemptCall> {
        self.attempt_call(sale, user).await
    }

    /// A demonstration sale: 1,000 packets.
    async fn open_demo(&self, sale: String) -> Result<SaleState> {
        let terms = Terms {
            sale,
            total_cents: 888_800,
            count: 1_000,
            splitter: Splitter::DoubleMean,
            expires_in_s: DEFAULT_EXPIRES_IN_S,
            seed: None,
        };
        let sale = self.open(terms).await?.sale;
        Ok(self.snapshot(&sale).await?.sale_state())
    }
}

impl LiveSource for RedPackets {
    type Frame = String;

    async fn frame(&self, sale: &str) -> Result<(EventId, String)> {
        let snapshot = self.snapshot(sale).await?;
        let json = serde_json::to_string(&snapshot).map_err(Error::internal)?;
        Ok((snapshot.event_id, json))
    }

    fn encode(frame: &String, _seen: Option<&String>) -> Result<String> {
        Ok(frame.clone())
    }
}
