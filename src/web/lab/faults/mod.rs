//! TODO doc

pub mod api;
#[cfg(feature = "ssr")]
pub mod description;
pub mod page;
mod timeline;
pub mod words;
