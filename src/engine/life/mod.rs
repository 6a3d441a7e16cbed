//! The life of a sale, the same for every kind: start and end, pauses, title, description and currency.

pub mod details;
pub mod fields;
pub mod history;
pub mod plan;
pub mod replay;
pub mod service;
