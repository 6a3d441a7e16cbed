//! Stampede decides who gets what everyone wants, exactly once each.
//!
//! One crate, two programs: with `ssr` the server, with `hydrate` the browser side.

pub mod app;
pub mod crowd;
pub mod error;
pub mod ledger;
pub mod live;
pub mod sales;
#[cfg(feature = "ssr")]
pub mod server;
#[cfg(feature = "ssr")]
pub mod store;
pub mod ui;
pub mod wire;
pub mod words;
