//! The ledger's pages: the history, the board of audits, and what a sale's page shows of both.

pub mod api;
pub mod audit_board;
pub mod audit_section;
#[cfg(feature = "ssr")]
pub mod description;
pub mod page;
pub mod query;
pub mod status;
pub mod words;
