//! The crowd's server functions, which are also its JSON API.

#![allow(clippy::too_many_arguments, reason = "each is a field of a request")]

#[cfg(feature = "ssr")]
use crate::services::services;
use leptos::{prelude::*, server_fn::codec::Json};
use model::{
    StrictJson,
    crowd::{
        Arrival, Behavior, Status,
        replay::Replay,
        runs::{RunRecord, RunReport},
    },
    error::Result,
    runs::{RunCursor, RunPage, Started},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use model::crowd::RunConfig;

/// Starts a crowd at a sale. Each sale can have one crowd at a time. All fields after `kind` say how users behave; they
/// depend on the kind of the sale, and each has a default.
#[server(
    name = StartRequest,
    prefix = "/api",
    endpoint = "/crowd/start",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn start(
    /// The id of the sale.
    sale: String,
    /// Number of users.
    users: u32,
    /// Users that wait for an answer at the same time.
    concurrency: u32,
    /// Share of users that click twice.
    repeat_rate: f64,
    /// How users arrive.
    arrival: Arrival,
    /// Determines who clicks twice and what each user wants; drawn if left out.
    seed: Option<u64>,
    /// The kind of the sale; without it, the first kind that has a sale with this id.
    kind: Option<String>,
    #[server(flatten)] behavior: Behavior,
) -> Result<Started> {
    let services = services()?;
    let crowds = &services.crowds;
    let kind = match kind {
        Some(kind) => kind,
        None => crowds.kind_of(&sale).await?.id.to_owned(),
    };
    let seed = match seed {
        Some(seed) => seed,
        None => services.ids.seed(),
    };
    let behavior = Some(behavior);
    crowds.start(&kind, RunConfig { sale, users, concurrency, repeat_rate, arrival, seed, behavior }).await
}

/// The status of a run. Any server on the same Redis can answer.
#[server(
    name = StatusRequest,
    prefix = "/api",
    endpoint = "/crowd/status",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn status(
    /// The id of the run.
    run: String,
) -> Result<Status> {
    services()?.crowds.status(&run).await
}

/// Changes the load of a running crowd: from then on, this many users arrive a second. It takes effect within a
/// fraction of a second. A run that is over is not changed.
#[server(
    name = ChangeRequest,
    prefix = "/api",
    endpoint = "/crowd/change",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn change(
    /// The id of the run.
    run: String,
    /// Users a second, up to 1,000,000.
    per_s: u32,
) -> Result<Status> {
    services()?.crowds.change(&run, per_s).await
}

/// Stops a run once the answers in flight have arrived. A run that is over is not changed.
#[server(
    name = StopRequest,
    prefix = "/api",
    endpoint = "/crowd/stop",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn stop(
    /// The id of the run.
    run: String,
) -> Result<Status> {
    services()?.crowds.stop(&run).await
}

/// The runs of a sale that are over, newest first. They are kept in the ledger, even after the sale is archived.
#[server(
    name = RunsRequest,
    prefix = "/api",
    endpoint = "/crowd/runs",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn runs(
    /// The kind of the sale.
    kind: String,
    /// The id of the sale.
    sale: String,
    /// Runs on a page.
    limit: Option<u32>,
    /// The `next` of the page before.
    after: Option<RunCursor>,
) -> Result<RunPage<RunRecord>> {
    services()?.crowds.runs(&kind, &sale, limit, after.as_ref()).await
}

/// A run that is over, with its course and the audit that followed it.
#[server(
    name = RunRequest,
    prefix = "/api",
    endpoint = "/crowd/run",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn run(
    /// The id of the run.
    run: String,
) -> Result<RunReport> {
    services()?.crowds.report(&run).await
}

/// What changed hands at the sale while a run that is over lasted, in order, as the ledger recorded it. It is there as
/// long as the run is kept, also after the sale is archived. What the run refused is in its `history`.
#[server(
    name = ReplayRequest,
    prefix = "/api",
    endpoint = "/crowd/replay",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn replay(
    /// The id of the run.
    run: String,
) -> Result<Replay> {
    services()?.crowds.replay(&run).await
}
