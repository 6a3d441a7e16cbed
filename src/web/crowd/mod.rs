//! Crowds: the panel on a sale's page, and the runs that are over.

pub mod api;
#[cfg(feature = "ssr")]
pub mod description;
pub mod panel;
pub mod preset;
pub mod replay;
pub mod runs;
pub mod words;
