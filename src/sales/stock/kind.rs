//! Cached stock, for the registry.

use super::{DEFAULT_TTL_S, INFO, State, Terms, description::description, scripts::SCRIPTS, service::Stock};
use crate::{
    domain::{EventId, KindInfo, OfKind, check_id},
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

/// In milliseconds.
const SECOND: u64 = 1_000;

/// What this kind registers with the server.
pub static SERVER: ServerPart = ServerPart {
    scripts: &SCRIPTS,
    parts: &super::scripts::PARTS,
    // A closed sale has nothing left to settle: units can be given back as long as the sale is in Redis.
    unsettled: "crowd_lock",
    large_bodies: &[],
    description,
    connect,
};

fn connect(resources: &Resources) -> Arc<dyn SaleKind> {
    Arc::new(Stock::new(resources))
}

impl OfKind for Stock {
    fn info(&self) -> &'static KindInfo {
        &INFO
    }
}

impl SaleKind for Stock {
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

impl LiveSource for Stock {
    type Frame = String;

    async fn frame(&self, sale: &str) -> Result<(EventId, String)> {
        check_id("sale", sale)?;
        let mut snapshot = self.snapshot_with(sale, self.recorded.latest(sale).await).await?;
        // One frame a second is enough for a countdown.
        for left in [&mut snapshot.ttl_ms, &mut snapshot.paused_ms] {
            *left = left.map(|ms| ms.div_ceil(SECOND) * SECOND);
        }
        let json = serde_json::to_string(&snapshot).map_err(Error::internal)?;
        Ok((snapshot.event_id, json))
    }

    fn encode(frame: &String, _seen: Option<&String>) -> Result<String> {
        Ok(frame.clone())
    }
}

impl Stock {
    /// A demonstration sale: 10,000 phones, with the low mark at 500.
    async fn open_demo(&self) -> Result<String> {
        open_first(INFO.demo, async |sale| {
            let terms = Terms { sale, quantity: 10_000, ttl_s: DEFAULT_TTL_S, low_mark: Some(500) };
            let sale = self.open(terms).await?.sale;
            let snapshot = self.snapshot(&sale).await?;
            Ok((snapshot.state == State::Open && snapshot.left > 0).then_some(sale))
        })
        .await
    }
}
