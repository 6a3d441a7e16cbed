//! Webhooks: sending the rows of the change feed, and the command that manages them.

pub mod command;
pub mod delivery;
pub mod message;
