//! The list's server function, which is also its JSON API.

use super::SaleList;
#[cfg(feature = "ssr")]
use super::service::{ListQuery, SaleLists};
#[cfg(feature = "ssr")]
use crate::runtime::service;
use crate::{domain::StrictJson, error::Result};
use leptos::{prelude::*, server_fn::codec::Json};

/// Sales of all kinds, newest first; optionally only those of one kind, in one state, or whose id starts with `id`. At
/// most `limit`, after the `next` of the previous page.
#[server(name = ListRequest, prefix = "/api", endpoint = "/sales", input = StrictJson, output = Json)]
pub async fn list(
    kind: Option<String>,
    state: Option<String>,
    id: Option<String>,
    limit: Option<u32>,
    after: Option<String>,
) -> Result<SaleList> {
    service::<SaleLists>()?.list(ListQuery { kind, state, id, limit, after }).await
}
