//! The life of a sale, the same for every kind: when it opens and ends, pauses, titles.

pub mod history;
pub mod replay;
