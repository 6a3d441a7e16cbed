//! Closing a sale early, and archiving a closed one: its keys are removed from Redis, its history stays in the ledger.

mod api;

pub use api::ClosingApi;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer to closing a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "Closing")]
pub enum Closed {
    /// Closed now: it accepts no more attempts.
    Closed,
    /// It was already closed or over.
    Repeat,
}

/// The answer to archiving a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "Archiving")]
pub enum Archived {
    /// Archived now: its keys have been removed from Redis.
    Archived,
    /// It was already archived.
    Repeat,
}
