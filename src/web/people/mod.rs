//! A user's page, and finding: what somebody has who calls, from a name, an order, a request or a code.

pub mod api;
#[cfg(feature = "ssr")]
pub mod description;
pub mod finder;
pub mod item_action;
pub mod lag;
pub mod lines;
pub mod page;
mod sums;
pub mod words;
