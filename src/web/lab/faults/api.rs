//! The server functions of faults, which are also their JSON API.

#[cfg(feature = "ssr")]
use crate::services::services;
use leptos::{prelude::*, server_fn::codec::Json};
use model::{
    StrictJson,
    error::Result,
    lab::faults::{Fault, Faults, Incident},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The faults that can be injected at this server, and the incidents since its start: what was done, what was noticed
/// of it, and how it healed.
#[server(
    name = FaultsRequest,
    prefix = "/api",
    endpoint = "/lab/faults",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn faults() -> Result<Faults> {
    Ok(services()?.faults.faults())
}

/// Injects a fault at this server, which must have been started with `--faults`. Answers when the fault has begun; it
/// ends by itself. Each fault is in progress once at a time.
#[server(
    name = InjectRequest,
    prefix = "/api",
    endpoint = "/lab/inject",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn inject(
    /// What to break.
    fault: Fault,
    /// The id of the stock sale, for `stock_expired` only.
    sale: Option<String>,
    /// How long it lasts, in milliseconds, for faults that last; each has a default and a limit of its own.
    ms: Option<u64>,
    /// How much later what is sent to Redis arrives, in milliseconds, for `wire_slow` only.
    delay_ms: Option<u64>,
) -> Result<Incident> {
    services()?.faults.inject(fault, sale, ms, delay_ms).await
}

/// Ends a fault before its time. One that is over is not changed.
#[server(
    name = EndFaultRequest,
    prefix = "/api",
    endpoint = "/lab/end-fault",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn end_fault(
    /// The id of the incident.
    incident: String,
) -> Result<Incident> {
    services()?.faults.end(&incident)
}
