//! Tickets, for the registry.

use super::{
    DEFAULT_HOLD_S, DEFAULT_LIMIT, HallChoice, INFO, MAX_LAYOUT_BYTES, Terms, api::OpenTicketsRequest,
    description::description, halls::HallName, scripts::SCRIPTS, service::Tickets, snapshot,
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
use leptos::server_fn::ServerFn;
use std::{collections::BTreeMap, sync::Arc};

/// What this kind registers with the server.
pub static SERVER: ServerPart = ServerPart {
    scripts: &SCRIPTS,
    parts: &super::scripts::PARTS,
    unsettled: "deadlines",
    large_bodies: &[(<OpenTicketsRequest as ServerFn>::PATH, MAX_LAYOUT_BYTES)],
    description,
    connect: |resources| Arc::new(Tickets::new(resources)),
};

impl OfKind for Tickets {
    fn info(&self) -> &'static KindInfo {
        &INFO
    }
}

impl KindService for Tickets {
    async fn summaries(&self, sales: &[String]) -> Result<Vec<SaleSummary>> {
        self.summaries(sales).await
    }

    async fn close(&self, sale: &str) -> Result<Closed> {
        self.close(sale).await
    }

    async fn attempt_call(&self, sale: &str, user: String) -> Result<AttemptCall> {
        self.attempt_call(sale, user).await
    }

    /// A demonstration sale: the seats of a stadium.
    async fn open_demo(&self, sale: String) -> Result<SaleState> {
        let terms = Terms {
            sale,
            hall: HallChoice::Hall(HallName::Stadium),
            prices: BTreeMap::new(),
            limit_per_user: DEFAULT_LIMIT,
            hold_s: DEFAULT_HOLD_S,
        };
        let sale = self.open(terms).await?.sale;
        Ok(self.snapshot(&sale).await?.sale_state())
    }
}

impl LiveSource for Tickets {
    type Frame = snapshot::Frame;

    async fn frame(&self, sale: &str) -> Result<(EventId, snapshot::Frame)> {
        let frame = self.snapshot_frame(sale).await?;
        Ok((frame.snapshot.event_id, frame))
    }

    fn encode(frame: &snapshot::Frame, seen: Option<&snapshot::Frame>) -> Result<String> {
        serde_json::to_string(&frame.since(seen)).map_err(Error::internal)
    }
}
