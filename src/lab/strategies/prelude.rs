//! What every strategy needs.

pub use crate::{
    lab::{Told, database::Dialect, sale::Sale, wire::Wire},
    sales::red_packet::Outcome,
    store::{command_of, script::Script},
};
pub use anyhow::Result;
pub use redis::Cmd;
pub use std::time::Duration;

/// The arguments of a command that has none.
pub const NOTHING: &[&str] = &[];
