//! The crowd's server functions, which are its JSON API too.

use super::{Arrival, Started, Status};
use crate::{error::Result, wire::Json};
use leptos::prelude::*;

/// Lets a crowd loose on a sale. One crowd a sale at a time.
#[server(name = StartRequest, prefix = "/api", endpoint = "/crowd/start", input = Json, output = Json)]
pub async fn start(
    sale: String,
    users: u32,
    concurrency: u32,
    repeat_rate: f64,
    arrival: Arrival,
    seed: Option<u64>,
) -> Result<Started> {
    let state = crate::server::state()?;
    let seed = seed.unwrap_or_else(|| state.ids.seed());
    state.crowd.start(super::Orders { sale, users, concurrency, repeat_rate, arrival, seed }).await
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
