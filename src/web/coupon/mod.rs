//! Coupons: pages, texts and server functions.

pub mod api;
#[cfg(feature = "ssr")]
mod description;
pub mod page;
pub mod words;

use crate::kind::Registration;
use model::coupon::INFO;

/// The kind, for the registry.
pub const REGISTRATION: Registration = Registration {
    info: &INFO,
    pages: page::PAGES,
    #[cfg(feature = "ssr")]
    description: description::description,
    #[cfg(feature = "ssr")]
    large_bodies: &[],
};
