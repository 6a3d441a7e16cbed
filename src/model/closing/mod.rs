//! Closing a sale early, and archiving a closed sale. Archiving removes its keys from Redis; its history stays in the
//! ledger.

mod api;

pub use api::ClosingApi;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer to closing a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "Closing")]
pub enum Closed {
    /// The sale is closed now: it accepts no more attempts.
    Closed,
    /// The sale was already closed or over.
    Repeat,
}

/// The answer to archiving a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "Archiving")]
pub enum Archived {
    /// The sale is archived now: its keys have been removed from Redis.
    Archived,
    /// The sale was already archived.
    Repeat,
}
