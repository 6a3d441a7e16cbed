//! Closing a sale before its time, and archiving a closed one: its keys leave Redis, its history stays in the ledger.

mod actions;
pub mod api;
#[cfg(feature = "ssr")]
pub mod service;
mod words;

pub use actions::SaleActions;

use serde::{Deserialize, Serialize};

/// The answer to closing a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Closed {
    /// No more attempts from now on.
    Closed,
    /// It was closed already, or over by itself.
    Repeat,
}

/// The answer to archiving a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Archived {
    /// Its keys are gone from Redis.
    Archived,
    /// It was archived already.
    Repeat,
}
