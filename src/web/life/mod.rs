//! The life of a sale on the pages of every kind: start and end, pauses.

pub mod words;

pub use words::words;
