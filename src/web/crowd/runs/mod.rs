//! TODO doc

pub mod card;
mod choice;
mod comparison;
#[cfg(feature = "ssr")]
mod csv;
#[cfg(feature = "ssr")]
mod html;
mod list;
#[cfg(feature = "ssr")]
pub mod report;
mod sections;
