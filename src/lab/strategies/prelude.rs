//! The imports of every strategy.

pub use crate::{database::Dialect, sale::Sale, wire::Wire};
pub use anyhow::Result;
pub use model::{lab::Told, red_packet::Outcome};
pub use redis::Cmd;
pub use std::time::Duration;
pub use store::{command_of, script::Script};

/// The arguments of a command that has none.
pub const NOTHING: &[&str] = &[];
