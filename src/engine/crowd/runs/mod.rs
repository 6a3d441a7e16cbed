//! TODO doc

pub mod history;
