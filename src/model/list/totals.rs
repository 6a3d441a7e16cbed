//! The sums below a sorted list.

use super::SaleSummary;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The sums of all sales that match a sorted list's filter, whatever the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SaleTotals {
    /// All sales in Redis, whether they match or not.
    pub listed: u64,
    /// The sales that match.
    pub sales: u64,
    /// How many of them are live: being opened, scheduled, open, paused or suspended.
    pub live: u64,
    /// Their items, without sales that have no limit.
    pub total: u64,
    /// Their items that are left, without sales that have no limit.
    pub left: u64,
}

impl SaleTotals {
    /// Adds up these sales, of so many on the list.
    pub fn of<'a>(listed: u64, sales: impl Iterator<Item = &'a SaleSummary>) -> Self {
        sales.fold(Self { listed, ..Self::default() }, |sums, sale| Self {
            listed,
            sales: sums.sales + 1,
            live: sums.live + u64::from(sale.state.is_live()),
            total: sums.total.saturating_add(sale.total.unwrap_or(0)),
            left: sums.left.saturating_add(sale.left.unwrap_or(0)),
        })
    }
}
