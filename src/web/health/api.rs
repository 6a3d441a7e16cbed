//! The server function, which is also the JSON API.

#[cfg(feature = "ssr")]
use crate::services::services;
use leptos::{prelude::*, server_fn::codec::Json};
use model::{StrictJson, error::Result, health::Health};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How Redis, the ledger and the audits are doing, and which sales and webhooks need somebody. A server looks at most every
/// two seconds, and less often if that takes long: its answers are up to 10 s old then.
#[server(
    name = HealthRequest,
    prefix = "/api",
    endpoint = "/health",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn health() -> Result<Health> {
    services()?.health.health().await
}
