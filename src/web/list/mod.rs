//! The list of sales of every kind.

pub mod api;
mod demonstration;
#[cfg(feature = "ssr")]
pub mod description;
mod filter;
mod let_loose;
pub mod page;
mod run_counts;
pub mod words;

use crate::components::format::count;
use model::list::SaleSummary;

/// Formats a count among the additional fields of a sale.
pub fn count_of(sale: &SaleSummary, name: &str) -> String {
    count(sale.number(name).unsigned_abs())
}
