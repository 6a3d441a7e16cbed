//! Ended runs.

pub mod history;
