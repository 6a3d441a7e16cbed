//! Stampede decides who gets what when demand exceeds supply, and gives every item away exactly once.
//!
//! One crate makes two programs: the server with the feature `ssr`, and with `hydrate` the browser side, which
//! `src/frontend` starts.

// The type of a view is nested as deeply as its markup.
#![recursion_limit = "256"]

pub mod app;
pub mod components;
pub mod cookie;
pub mod crowd;
pub mod domain;
pub mod error;
pub mod i18n;
pub mod lab;
pub mod ledger;
pub mod live;
pub mod openapi;
#[cfg(feature = "ssr")]
pub mod runtime;
pub mod sales;
#[cfg(feature = "ssr")]
pub mod server;
#[cfg(feature = "ssr")]
pub mod store;
