//! Tickets, for the registry.

use super::{
    DEFAULT_HOLD_S, DEFAULT_LIMIT, HallChoice, INFO, MAX_LAYOUT_BYTES, State, Terms, api::OpenTicketsRequest,
    description::description, halls::HallName, scripts::SCRIPTS, service::Tickets, snapshot,
};
use crate::{
    domain::{EventId, KindInfo, OfKind},
    error::{Error, Result},
    live::hub::{Hub, LiveSource, LiveView},
    sales::{
        closing::Closed,
        kind::{Resources, SaleKind, ServerPart, open_first},
        list::SaleSummary,
    },
};
use futures::future::{BoxFuture, FutureExt, LocalBoxFuture};
use leptos::{prelude::provide_context, server_fn::ServerFn};
use std::{collections::BTreeMap, sync::Arc};
use tokio_util::sync::CancellationToken;

/// What this kind registers with the server.
pub static SERVER: ServerPart = ServerPart {
    scripts: &SCRIPTS,
    parts: &super::scripts::PARTS,
    unsettled: "deadlines",
    large_bodies: &[(<OpenTicketsRequest as ServerFn>::PATH, MAX_LAYOUT_BYTES)],
    description,
    connect,
};

fn connect(resources: &Resources) -> Arc<dyn SaleKind> {
    Arc::new(Tickets::new(resources))
}

impl OfKind for Tickets {
    fn info(&self) -> &'static KindInfo {
        &INFO
    }
}

impl SaleKind for Tickets {
    fn provide(self: Arc<Self>) {
        provide_context(self);
    }

    fn live(&self, shutdown: CancellationToken) -> Arc<dyn LiveView> {
        Arc::new(Hub::new(self.clone(), shutdown))
    }

    fn summaries<'a>(&'a self, sales: &'a [String]) -> BoxFuture<'a, Result<Vec<SaleSummary>>> {
        self.summaries(sales).boxed()
    }

    fn close<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Closed>> {
        self.close(sale).boxed()
    }

    fn open_demo(&self) -> LocalBoxFuture<'_, Result<String>> {
        Box::pin(self.open_demo())
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

impl Tickets {
    /// A demonstration sale: the seats of a stadium.
    async fn open_demo(&self) -> Result<String> {
        open_first(INFO.demo, async |sale| {
            let terms = Terms {
                sale,
                hall: HallChoice::Hall(HallName::Stadium),
                prices: BTreeMap::new(),
                limit_per_user: DEFAULT_LIMIT,
                hold_s: DEFAULT_HOLD_S,
            };
            let sale = self.open(terms).await?.sale;
            let snapshot = self.snapshot(&sale).await?;
            let is_open = snapshot.state == State::Open;
            Ok((is_open && snapshot.remaining.values().any(|seats| *seats > 0)).then_some(sale))
        })
        .await
    }
}
