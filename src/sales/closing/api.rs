//! The server functions, which are also the JSON API.

use super::{Archived, Closed};
use crate::{domain::StrictJson, error::Result};
use leptos::{prelude::*, server_fn::codec::Json};

#[cfg(feature = "ssr")]
use super::service::Closing;
#[cfg(feature = "ssr")]
use crate::runtime::service;

/// Closes a sale: it accepts no more attempts, and what is pending is settled.
#[server(name = CloseRequest, prefix = "/api", endpoint = "/sales/close", input = StrictJson, output = Json)]
pub async fn close(kind: String, sale: String) -> Result<Closed> {
    service::<Closing>()?.close(&kind, &sale).await
}

/// Archives a closed sale: its keys are removed from Redis, its history stays in the ledger.
#[server(name = ArchiveRequest, prefix = "/api", endpoint = "/sales/archive", input = StrictJson, output = Json)]
pub async fn archive(kind: String, sale: String) -> Result<Archived> {
    service::<Closing>()?.archive(&kind, &sale).await
}
