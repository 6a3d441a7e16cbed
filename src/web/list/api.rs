//! The list's server function, which is also its JSON API.

#![allow(clippy::too_many_arguments, reason = "each is a field of a request")]

#[cfg(feature = "ssr")]
use crate::services::services;
use leptos::{prelude::*, server_fn::codec::Json};
use model::list::{ListQuery, SaleList};
use model::{StrictJson, error::Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sales of all kinds, newest first or sorted. Optionally only those of one kind or in one state, whose id contains `id`
/// or is `sale`, or whose id or title contains `text`. At most `limit`, after the `next` of the previous page.
#[server(
    name = ListRequest,
    prefix = "/api",
    endpoint = "/sales",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn list(
    /// Only sales of this kind.
    kind: Option<String>,
    /// Only sales in this state. Archived sales are listed only if it is `archived`.
    state: Option<String>,
    /// Only sales whose id has this in it; capital and small letters are alike.
    id: Option<String>,
    /// Only sales whose id or title, in any language, has this in it; capital and small letters are alike.
    text: Option<String>,
    /// Only sales with exactly this id.
    sale: Option<String>,
    /// The order: a column, with `-` in front of it for descending. Live sales come first in any. The answer has the sums
    /// of all pages then. Without effect beside `sale`, and if there are more than 2,000 sales.
    sort: Option<String>,
    /// Sales on a page.
    limit: Option<u32>,
    /// The `next` of the page before.
    after: Option<String>,
) -> Result<SaleList> {
    services()?.lists.list(ListQuery { kind, state, id, text, sale, sort, limit, after }).await
}

/// Returns the same as [`list`], with named arguments instead of positional ones.
///
/// # Errors
/// The same as [`list`].
pub async fn list_by(ListQuery { kind, state, id, text, sale, sort, limit, after }: ListQuery) -> Result<SaleList> {
    list(kind, state, id, text, sale, sort, limit, after).await
}
