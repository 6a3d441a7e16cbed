//! The crowd's server functions, which are its JSON API too.

#![allow(clippy::too_many_arguments, reason = "each is a field of a request")]

use super::{Arrival, Kind, LARGEST_PARTY, Started, Status};
use crate::{error::Result, wire::Json};
use leptos::prelude::*;

/// Lets a crowd loose on a sale. One crowd a sale at a time. Without `kind` it is looked for. What stands after
/// `kind` is for tickets, as in [`super::Taste`], and has a default.
#[server(name = StartRequest, prefix = "/api", endpoint = "/crowd/start", input = Json, output = Json)]
pub async fn start(
    sale: String,
    users: u32,
    concurrency: u32,
    repeat_rate: f64,
    arrival: Arrival,
    seed: Option<u64>,
    kind: Option<Kind>,
    choosers: Option<f64>,
    groups: Option<[f64; LARGEST_PARTY]>,
    adjacent: Option<f64>,
    hot: Option<f64>,
    pay: Option<f64>,
    cancel: Option<f64>,
) -> Result<Started> {
    let state = crate::server::state()?;
    let kind = match kind {
        Some(kind) => kind,
        None => state.crowd.kind_of(&sale).await?,
    };
    let usual = super::Taste::default();
    let taste = (kind == Kind::Ticket).then(|| super::Taste {
        choosers: choosers.unwrap_or(usual.choosers),
        groups: groups.unwrap_or(usual.groups),
        adjacent: adjacent.unwrap_or(usual.adjacent),
        hot: hot.unwrap_or(usual.hot),
        pay: pay.unwrap_or(usual.pay),
        cancel: cancel.unwrap_or(usual.cancel),
    });
    let seed = seed.unwrap_or_else(|| state.ids.seed());
    state.crowd.start(super::Orders { sale, users, concurrency, repeat_rate, arrival, seed, taste }).await
}

/// Where a run stands. Any server on the same Redis knows.
#[server(name = StatusRequest, prefix = "/api", endpoint = "/crowd/status", input = Json, output = Json)]
pub async fn status(run: String) -> Result<Status> {
    crate::server::state()?.crowd.status(&run).await
}

/// Stops a run after the answers that are on their way. A run that is over stays as it is.
#[server(name = StopRequest, prefix = "/api", endpoint = "/crowd/stop", input = Json, output = Json)]
pub async fn stop(run: String) -> Result<Status> {
    crate::server::state()?.crowd.stop(&run).await
}
