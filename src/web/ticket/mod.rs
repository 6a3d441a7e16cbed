//! Tickets: pages, the seat map, texts and server functions.

pub mod api;
#[cfg(feature = "ssr")]
mod description;
pub mod order;
mod order_sign;
pub mod page;
pub mod words;

use crate::kind::Registration;
#[cfg(feature = "ssr")]
use leptos::server_fn::ServerFn;
use model::ticket::INFO;
#[cfg(feature = "ssr")]
use model::ticket::MAX_LAYOUT_BYTES;

/// The kind's entry for the registry.
pub const REGISTRATION: Registration = Registration {
    info: &INFO,
    pages: page::PAGES,
    #[cfg(feature = "ssr")]
    description: description::description,
    #[cfg(feature = "ssr")]
    large_bodies: &[(<api::OpenTicketsRequest as ServerFn>::PATH, MAX_LAYOUT_BYTES)],
};
