//! Coupons, for the registry.

use super::{
    ByLimit, DEFAULT_TIME_ZONE, INFO, State, Terms, description::description, scripts::SCRIPTS, service::Coupons,
};
use crate::{
    domain::{EventId, KindInfo, OfKind},
    error::{Error, Result},
    live::hub::{Hub, LiveSource, LiveView},
    sales::{
        closing::Closed,
        kind::{Resources, SaleKind, ServerPart, open_first},
        list::SaleSummary,
        snapshot::SaleSnapshot,
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
    // Nothing of a closed sale is left to be settled: whoever has a coupon may redeem it as long as the sale is there.
    unsettled: "crowd_lock",
    large_bodies: &[],
    description,
    connect,
};

fn connect(resources: &Resources) -> Arc<dyn SaleKind> {
    Arc::new(Coupons::new(resources))
}

impl OfKind for Coupons {
    fn info(&self) -> &'static KindInfo {
        &INFO
    }
}

impl SaleKind for Coupons {
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

impl LiveSource for Coupons {
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

impl Coupons {
    /// A demonstration sale: 10,000 coupons, five for each user, two of them a day.
    async fn open_demo(&self) -> Result<String> {
        open_first(INFO.demo, async |sale| {
            let terms = Terms {
                sale,
                limits: ByLimit { total: Some(10_000), per_user: Some(5), per_user_per_day: Some(2) },
                time_zone: DEFAULT_TIME_ZONE.to_owned(),
                given_back_counts: false,
            };
            let sale = self.open(terms).await?.sale;
            let snapshot = self.snapshot(&sale).await?;
            Ok((snapshot.state == State::Open && snapshot.left() != Some(0)).then_some(sale))
        })
        .await
    }
}
