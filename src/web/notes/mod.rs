//! Notes of operators on a sale, on its page.

pub mod api;
mod card;
#[cfg(feature = "ssr")]
pub mod description;
mod words;

pub use card::NotesCard;
