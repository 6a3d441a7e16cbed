//! Templates of the forms that open sales, below each form.

pub mod api;
#[cfg(feature = "ssr")]
pub mod description;
mod section;
mod words;

pub use section::Templates;
