//! Explained attempts: the script's work, command by command.

pub mod api;
#[cfg(feature = "ssr")]
pub mod description;
mod page;
mod words;

pub use page::Explain;
