//! The list of all sales, of every kind.

pub mod api;

use crate::error::{Error, Result};
use crate::{Millis, SaleState, ledger::MissingSales};
pub use api::ListApi;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Sales on a page of the list, unless another number is requested.
pub const DEFAULT_LIMIT: u32 = 50;
/// The most sales on a page.
pub const MAX_LIMIT: u32 = 200;

/// A sale in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SaleSummary {
    /// The kind, as in keys: `red_packet`.
    pub kind: String,
    /// The id of the sale.
    pub sale: String,
    /// Its state.
    pub state: SaleState,
    /// Number of items in the sale; `null` if there is no limit.
    pub total: Option<u64>,
    /// Number of items that are left; `null` if there is no limit.
    pub left: Option<u64>,
    /// When it was opened.
    pub opened_at: Millis,
    /// Whether a crowd is running at the sale.
    pub crowd: bool,
    /// Events that the ledger has not recorded yet; `null` if unknown.
    pub lag_events: Option<u64>,
    /// Additional fields, specific to the kind.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

/// What a kind says of a sale, as its additional fields.
///
/// # Errors
/// `internal` if it is no JSON object.
pub fn fields_of(details: &impl Serialize) -> Result<Map<String, Value>> {
    match serde_json::to_value(details) {
        Ok(Value::Object(fields)) => Ok(fields),
        other => Err(Error::internal(format!("no object: {other:?}"))),
    }
}

impl SaleSummary {
    /// A number among the additional fields; 0 if it is missing.
    pub fn number(&self, name: &str) -> i64 {
        self.details.get(name).and_then(Value::as_i64).unwrap_or_default()
    }

    /// A string among the additional fields.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.details.get(name).and_then(Value::as_str)
    }
}

/// The query for a page of the list, as sent by the client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListQuery {
    /// The id of a kind.
    pub kind: Option<String>,
    /// The name of a state.
    pub state: Option<String>,
    /// A prefix of the ids.
    pub id: Option<String>,
    /// An id.
    pub sale: Option<String>,
    /// The most sales to return, 1 to [`MAX_LIMIT`].
    pub limit: Option<u32>,
    /// The `next` of the previous page.
    pub after: Option<String>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A page of the list, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SaleList {
    /// The sales of the page.
    pub sales: Vec<SaleSummary>,
    /// The value of `after` for the next page; `null` on the last one.
    pub next: Option<String>,
    /// Redis has no sale at all, but the ledger still has some: they can be recovered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
    /// Sales that Redis has lost, whatever the filter; they are not among `sales`. Left out if there are none.
    #[serde(default, skip_serializing_if = "MissingSales::is_empty")]
    pub missing: MissingSales,
    /// How many sales are suspended, whatever the filter. Left out if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub suspended: u64,
}
