//! Red packets, for the registry.

use super::{
    DEFAULT_EXPIRES_IN_S, INFO, Splitter, State, Terms, description::description, scripts::SCRIPTS, service::RedPackets,
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
use leptos::prelude::provide_context;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What this kind registers with the server.
pub static SERVER: ServerPart = ServerPart {
    scripts: &SCRIPTS,
    parts: &super::scripts::PARTS,
    unsettled: "pending",
    large_bodies: &[],
    description,
    connect,
};

fn connect(resources: &Resources) -> Arc<dyn SaleKind> {
    Arc::new(RedPackets::new(resources))
}

impl OfKind for RedPackets {
    fn info(&self) -> &'static KindInfo {
        &INFO
    }
}

impl SaleKind for RedPackets {
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

impl RedPackets {
    /// A demonstration sale: 1,000 packets.
    async fn open_demo(&self) -> Result<String> {
        open_first(INFO.demo, async |sale| {
            let terms = Terms {
                sale,
                total_cents: 888_800,
                count: 1_000,
                splitter: Splitter::DoubleMean,
                expires_in_s: DEFAULT_EXPIRES_IN_S,
                seed: None,
            };
            let sale = self.open(terms).await?.sale;
            let snapshot = self.snapshot(&sale).await?;
            Ok((snapshot.state == State::Open && snapshot.pending > 0).then_some(sale))
        })
        .await
    }
}
