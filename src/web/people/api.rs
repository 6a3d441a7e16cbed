//! The server functions of users and of finding, which are also their JSON API.

#[cfg(feature = "ssr")]
use crate::services::services;
use leptos::{prelude::*, server_fn::codec::Json};
use model::{
    StrictJson,
    error::Result,
    ledger::{Found, HistoryCursor, Holdings},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a user has now at all sales, as the ledger has it: items and units that were won and not given back, and orders
/// that are held or paid.
#[server(
    name = UserRequest,
    prefix = "/api",
    endpoint = "/user",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn user(
    /// The user.
    user: String,
    /// The `next` of the page before.
    after: Option<HistoryCursor>,
) -> Result<Holdings> {
    services()?.ledger.holdings(&user, after).await
}

/// The sales, users, orders, requests and codes that begin with a text, as the ledger has them.
#[server(
    name = FindRequest,
    prefix = "/api",
    endpoint = "/find",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn find(
    /// The text, exactly as it is; a code may be in small letters.
    q: String,
) -> Result<Found> {
    services()?.ledger.find(&q).await
}
