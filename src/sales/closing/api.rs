//! The server functions, which are also the JSON API.

use super::{Archived, Closed};
use crate::{domain::StrictJson, error::Result};
use leptos::{prelude::*, server_fn::codec::Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use super::service::Closing;
#[cfg(feature = "ssr")]
use crate::runtime::service;

/// Closes a sale: it accepts no more attempts. Money that nobody has claimed is refunded at once. What is held can still be
/// paid or cancelled, and expires as usual; what was given out can still be redeemed or given back.
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
    service::<Closing>()?.close(&kind, &sale).await
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
    service::<Closing>()?.archive(&kind, &sale).await
}
