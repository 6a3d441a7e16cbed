//! The server functions, which are also the JSON API.

#[cfg(feature = "ssr")]
use crate::services::services;
use leptos::{prelude::*, server_fn::codec::Json};
use model::{
    StrictJson,
    closing::{Archived, Closed},
    error::Result,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Closes a sale: it accepts no more attempts. Money that nobody has claimed is refunded at once. What is held can
/// still be paid or cancelled, and expires as usual; what was given out can still be redeemed or given back.
#[server(
    name = CloseRequest,
    prefix = "/api",
    endpoint = "/sales/close",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn close(
    /// The id of the kind.
    kind: String,
    /// The id of the sale.
    sale: String,
) -> Result<Closed> {
    services()?.closing.close(&kind, &sale).await
}

/// Archives a closed sale: its keys are removed from Redis, its history stays in the ledger.
#[server(
    name = ArchiveRequest,
    prefix = "/api",
    endpoint = "/sales/archive",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn archive(
    /// The id of the kind.
    kind: String,
    /// The id of the sale.
    sale: String,
) -> Result<Archived> {
    services()?.closing.archive(&kind, &sale).await
}
