//! The list of all sales, of every kind.

pub mod api;
#[cfg(feature = "ssr")]
mod cursor;
mod filter;
mod let_loose;
pub mod page;
#[cfg(feature = "ssr")]
pub mod service;
pub mod words;

use crate::domain::{Millis, SaleState};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Sales on a page of the list, unless another number is requested.
pub const DEFAULT_LIMIT: u32 = 50;
/// The most sales on a page.
pub const MAX_LIMIT: u32 = 200;

/// A sale in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SaleSummary {
    /// The kind, as in keys: `red_packet`.
    pub kind: String,
    /// The id of the sale.
    pub sale: String,
    /// Its state.
    pub state: SaleState,
    /// Number of items (packets, seats) in the sale.
    pub total: u64,
    /// Number of items that are left.
    pub left: u64,
    /// When it was opened.
    pub opened_at: Millis,
    /// Whether a crowd is running at the sale.
    pub crowd: bool,
    /// Events that the ledger has not recorded yet; `None` if unknown.
    pub lag_events: Option<u64>,
    /// Additional fields, specific to the kind.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

impl SaleSummary {
    /// `<kind>:<sale>`, as in Redis.
    #[cfg(feature = "ssr")]
    fn name(&self) -> String {
        crate::store::keys::name(&self.kind, &self.sale)
    }

    /// A number among the additional fields; 0 if it is missing.
    pub fn number(&self, name: &str) -> i64 {
        self.details.get(name).and_then(Value::as_i64).unwrap_or_default()
    }

    /// A string among the additional fields.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.details.get(name).and_then(Value::as_str)
    }
}

/// A page of the list, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SaleList {
    /// The sales of the page.
    pub sales: Vec<SaleSummary>,
    /// The value of `after` for the next page; `None` on the last one.
    pub next: Option<String>,
    /// Redis has no sale at all, but the ledger still has some: they can be recovered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
}
