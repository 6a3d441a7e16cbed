//! The server's part of tickets.

mod api;
pub mod attempts;
pub mod audit;
mod blocking;
mod cancellations;
pub mod crowd;
pub mod hash_audit;
pub mod history;
pub mod kind;
mod order_changes;
pub mod queries;
pub mod recovery;
pub mod replay;
pub mod scripts;
pub mod service;
pub mod snapshot;
pub mod summaries;
pub mod venue;
