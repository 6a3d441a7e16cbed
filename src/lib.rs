//! Stampede decides who gets what everyone wants, exactly once each.
//!
//! One crate, two programs: with `ssr` the server, with `hydrate` the browser side.

// A view is one type, as deep as its markup.
#![recursion_limit = "256"]

pub mod app;
pub mod components;
pub mod crowd;
pub mod domain;
pub mod error;
pub mod i18n;
pub mod ledger;
pub mod live;
#[cfg(feature = "ssr")]
pub mod runtime;
pub mod sales;
#[cfg(feature = "ssr")]
pub mod server;
#[cfg(feature = "ssr")]
pub mod store;

/// Takes over the page that the server rendered; `HydrationScripts` calls it.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_body(app::App);
}
