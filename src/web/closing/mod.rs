//! Closing and archiving of a sale, on its page.

mod actions;
pub mod api;
#[cfg(feature = "ssr")]
pub mod description;
mod words;

pub use actions::SaleActions;
