//! The pages, and the server functions that they call.
//!
//! Compiled twice: with `ssr` for the server, which renders each page first, and with `hydrate` for the browser, which takes
//! it over. On the server, server functions call the services of the request's context ([`services`]).

// The type of a view is nested as deeply as its markup.
#![recursion_limit = "256"]

pub mod app;
pub mod closing;
pub mod components;
pub mod cookie;
pub mod coupon;
pub mod crowd;
pub mod explain;
pub mod i18n;
pub mod kind;
#[cfg(feature = "ssr")]
pub mod kind_description;
pub mod lab;
pub mod ledger;
pub mod list;
pub mod live;
mod open_form;
pub mod openapi;
#[cfg(feature = "ssr")]
pub mod parameters;
pub mod red_packet;
#[cfg(feature = "ssr")]
pub mod services;
mod stage;
pub mod status;
pub mod stock;
pub mod ticket;
