//! Faults that are injected on purpose: their page, texts and server functions.

pub mod api;
#[cfg(feature = "ssr")]
pub mod description;
pub mod page;
mod timeline;
pub mod words;
