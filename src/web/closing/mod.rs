//! Closing and archiving: of a sale, on its page; and of several, on the list.

mod actions;
pub mod api;
mod bulk;
mod chosen;
#[cfg(feature = "ssr")]
pub mod description;
mod step;
mod words;

pub use actions::SaleActions;
pub use bulk::BulkActions;
pub use chosen::Chosen;
