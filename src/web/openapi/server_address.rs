//! The address of this server in the reader's request, to which the examples send theirs.

use crate::base_path::under_base;
use http::{header, request::Parts, uri::Scheme};
use leptos::prelude::use_context;

/// Returns the address, to which the paths of endpoints are added: `http://127.0.0.1:3000`
pub(super) fn server_address() -> String {
    let parts = use_context::<Parts>();
    let host = parts.as_ref().and_then(|parts| match parts.uri.authority() {
        Some(host) => Some(host.as_str()),
        None => parts.headers.get(header::HOST)?.to_str().ok(),
    });
    // Of this server or, behind a trusted proxy, the one by which the proxy was asked.
    let scheme = parts.as_ref().and_then(|parts| parts.extensions.get::<Scheme>()).unwrap_or(&Scheme::HTTP);
    format!("{scheme}://{}{}", host.unwrap_or("localhost"), under_base(""))
}
