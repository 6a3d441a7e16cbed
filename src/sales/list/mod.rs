//! The list of all sales, of every kind.

pub mod api;
#[cfg(feature = "ssr")]
mod cursor;
mod filter;
pub mod page;
#[cfg(feature = "ssr")]
pub mod service;
pub mod words;

use crate::domain::{Millis, SaleState};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Sales on a page of the list, unless it is asked for fewer or more.
pub const DEFAULT_LIMIT: u32 = 50;
/// The most that may be asked for.
pub const MAX_LIMIT: u32 = 200;

/// A sale, as the list shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SaleSummary {
    /// As in keys: `red_packet`.
    pub kind: String,
    pub sale: String,
    pub state: SaleState,
    /// Packets, seats, … in the sale, and how many of them are left.
    pub total: u64,
    pub left: u64,
    pub opened_at: Millis,
    /// A crowd is at the sale now.
    pub crowd: bool,
    /// Events that the ledger has not applied yet; `None` where that is not known.
    pub lag_events: Option<u64>,
    /// What only this kind has, in fields of their own.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

impl SaleSummary {
    /// `<kind>:<sale>`, as it stands in Redis.
    #[cfg(feature = "ssr")]
    fn name(&self) -> String {
        crate::store::keys::name(&self.kind, &self.sale)
    }

    /// A number that only this kind has; 0 where it is missing.
    pub fn number(&self, name: &str) -> i64 {
        self.details.get(name).and_then(Value::as_i64).unwrap_or_default()
    }

    /// A word that only this kind has.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.details.get(name).and_then(Value::as_str)
    }
}

/// A page of the list, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SaleList {
    pub sales: Vec<SaleSummary>,
    /// Given as `after` it asks for the next page; none after the last.
    pub next: Option<String>,
}
