//! Coupons: pages, texts and server functions.

pub mod api;
#[cfg(feature = "ssr")]
mod description;
pub mod page;
pub mod words;

use crate::kind::Registration;
#[cfg(feature = "ssr")]
use leptos::server_fn::ServerFn;
use model::coupon::INFO;
#[cfg(feature = "ssr")]
use model::{MAX_ID_BYTES, coupon::LISTED_AT_A_TIME};

/// The most bytes of a request that uploads a part of a list. JSON may escape each byte of an entry by six.
#[cfg(feature = "ssr")]
const MAX_PART_BYTES: usize = LISTED_AT_A_TIME * (6 * MAX_ID_BYTES + 4) + 1_024;

/// The kind, for the registry.
pub const REGISTRATION: Registration = Registration {
    info: &INFO,
    pages: page::PAGES,
    #[cfg(feature = "ssr")]
    description: description::description,
    #[cfg(feature = "ssr")]
    large_bodies: &[(<api::UploadListRequest as ServerFn>::PATH, MAX_PART_BYTES)],
};
