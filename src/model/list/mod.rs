//! The list of all sales, of every kind.

pub mod api;
mod short_ids;
mod sort;
mod totals;

use crate::error::{Error, Result};
use crate::{
    Millis, SaleState,
    cluster::PartialCluster,
    ledger::{MissingSales, SaleName},
    life::{Currency, Texts},
};
pub use api::ListApi;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
pub use short_ids::short_ids;
pub use sort::{Column, Sort};
use std::collections::BTreeMap;
pub use totals::SaleTotals;

/// Sales on a page of the list, unless another number is requested.
pub const DEFAULT_LIMIT: u32 = 50;
/// The most sales on a page.
pub const MAX_LIMIT: u32 = 200;
/// The most characters to look for in ids and titles.
pub const MAX_TEXT: usize = 100;
/// The most sales that a list sorts. A longer list is in its usual order, newest first.
pub const MAX_SORTED: usize = 2_000;

/// A sale in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SaleSummary {
    /// The kind of the sale, as in keys: `red_packet`.
    pub kind: String,
    /// The id of the sale.
    pub sale: String,
    /// The state of the sale.
    pub state: SaleState,
    /// The number of items in the sale; `null` if there is no limit.
    pub total: Option<u64>,
    /// The number of items left; `null` if there is no limit.
    pub left: Option<u64>,
    /// The time of the opening.
    pub opened_at: Millis,
    /// The server's time at which the state was read; for an archived sale, the time of archiving.
    #[serde(default)]
    pub now: Millis,
    /// The start; `null` if the sale accepted attempts from its opening on.
    #[serde(default)]
    pub opens_at: Option<Millis>,
    /// The end; `null` if the sale has none.
    #[serde(default)]
    pub ends_at: Option<Millis>,
    /// The title.
    #[serde(default)]
    pub title: Texts,
    /// The currency of all amounts.
    #[serde(default)]
    pub currency: Currency,
    /// Whether a crowd is running at the sale.
    pub crowd: bool,
    /// Events that the ledger has not recorded yet; `null` if unknown.
    pub lag_events: Option<u64>,
    /// Additional fields of the kind.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

/// The additional fields of a sale, as JSON.
///
/// # Errors
/// `internal` if `details` is not a JSON object.
pub fn fields_of(details: &impl Serialize) -> Result<Map<String, Value>> {
    match serde_json::to_value(details) {
        Ok(Value::Object(fields)) => Ok(fields),
        other => Err(Error::internal(format!("no object: {other:?}"))),
    }
}

impl SaleSummary {
    /// The kind and the id.
    pub fn name(&self) -> SaleName {
        SaleName { kind: self.kind.clone(), sale: self.sale.clone() }
    }

    /// Whether the id or a title has this text in it; `text` is in small letters.
    pub fn has_text(&self, text: &str) -> bool {
        let Texts { en, zh } = &self.title;
        [Some(&self.sale), en.as_ref(), zh.as_ref()].into_iter().flatten().any(|name| has_text(name, text))
    }

    /// The number of items that are not left; 0 if there is no limit.
    pub fn given_away(&self) -> u64 {
        self.total.zip(self.left).map_or(0, |(total, left)| total.saturating_sub(left))
    }

    /// Whether no more is left than the low mark, if sales of the kind have one.
    pub fn is_low(&self) -> bool {
        self.details.get("low").and_then(Value::as_bool).unwrap_or_default()
    }

    /// The number of items that users hold and may still lose.
    pub fn held(&self) -> u64 {
        u64::try_from(self.number("held")).unwrap_or(0)
    }

    /// A number in the additional fields; 0 if it is missing.
    pub fn number(&self, name: &str) -> i64 {
        self.details.get(name).and_then(Value::as_i64).unwrap_or_default()
    }

    /// A string in the additional fields.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.details.get(name).and_then(Value::as_str)
    }
}

/// A client's query for a page of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListQuery {
    /// The id of the kind.
    pub kind: Option<String>,
    /// The name of a state.
    pub state: Option<String>,
    /// What the ids have in them.
    pub id: Option<String>,
    /// What the ids or the titles have in them.
    pub text: Option<String>,
    /// The exact id.
    pub sale: Option<String>,
    /// The name of a [`Sort`].
    pub sort: Option<String>,
    /// The most sales to return, 1 to [`MAX_LIMIT`].
    pub limit: Option<u32>,
    /// The `next` of the previous page.
    pub after: Option<String>,
}

/// The sales that are left out of a page, because the masters that have them do not answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AwaySales {
    /// The cluster.
    pub cluster: PartialCluster,
    /// The number of such sales among those of the page, or of all pages of a sorted list, whatever their state.
    pub count: u64,
    /// The newest of them, at most five.
    pub sales: Vec<SaleName>,
}

/// Whether a name has this text in it, in capital or small letters; `text` is in small ones.
pub fn has_text(name: &str, text: &str) -> bool {
    name.to_lowercase().contains(text)
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A page of the list, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SaleList {
    /// The sales of the page.
    pub sales: Vec<SaleSummary>,
    /// The value of `after` for the next page; `null` on the last page.
    pub next: Option<String>,
    /// Whether Redis has no sale at all and the ledger still has some, which can be recovered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
    /// Sales that Redis has lost, regardless of the filter; they are not in `sales`. Left out if there are none.
    #[serde(default, skip_serializing_if = "MissingSales::is_empty")]
    pub missing: MissingSales,
    /// The number of suspended sales, regardless of the filter. Left out if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub suspended: u64,
    /// What of a cluster does not answer. Left out if all masters do, and for a single Redis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away: Option<AwaySales>,
    /// Generated ids of the page, each with an end of it that no other sale of the list has: to be said aloud. A list
    /// that is not sorted looks only at those of the page. Left out if there are none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub short_ids: BTreeMap<String, String>,
    /// The sums of all sales that match. Left out if the list is not sorted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub totals: Option<SaleTotals>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_in_capital_and_small_letters() {
        for (name, text) in [("Spring-Sale", "spring"), ("Été à Paris", "été"), ("春季活动", "活动")] {
            assert!(has_text(name, text), "{name}");
        }
        assert!(!has_text("spring", "autumn"));
    }
}
