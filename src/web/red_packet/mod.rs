//! Red packets: pages, texts and server functions.

pub mod api;
#[cfg(feature = "ssr")]
mod description;
pub mod page;
pub mod words;

use crate::kind::Registration;
use model::red_packet::INFO;

/// The kind's entry for the registry.
pub const REGISTRATION: Registration = Registration {
    info: &INFO,
    pages: page::PAGES,
    #[cfg(feature = "ssr")]
    description: description::description,
    #[cfg(feature = "ssr")]
    large_bodies: &[],
};
