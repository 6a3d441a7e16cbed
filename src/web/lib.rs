//! The pages, and the server functions that they call.
//!
//! The crate is compiled twice: with `ssr` for the server, which renders each page first, and with `hydrate` for the
//! browser, which hydrates it. On the server, server functions call the services of the request's context
//! ([`services`]).

// The type of a view is nested as deeply as its markup.
#![recursion_limit = "256"]

pub mod app;
pub mod base_path;
pub mod closing;
pub mod components;
pub mod cookie;
pub mod coupon;
pub mod crowd;
pub mod explain;
pub mod health;
pub mod i18n;
pub mod kind;
#[cfg(feature = "ssr")]
pub mod kind_description;
pub mod lab;
pub mod ledger;
pub mod life;
pub mod list;
pub mod live;
pub mod notes;
mod open_form;
pub mod openapi;
#[cfg(feature = "ssr")]
pub mod parameters;
pub mod people;
pub mod playback;
pub mod red_packet;
pub mod runs;
#[cfg(feature = "ssr")]
pub mod services;
mod stage;
pub mod status;
pub mod stock;
pub mod templates;
pub mod ticket;

use i18n::{KindWords, Kinds};
use kind::Registration;
use std::sync::LazyLock;

/// The registry: one entry for each kind of sale.
pub static KINDS: &[Registration] =
    &[red_packet::REGISTRATION, ticket::REGISTRATION, coupon::REGISTRATION, stock::REGISTRATION];

/// Returns the kind with this id.
pub fn kind_of(id: &str) -> Option<&'static Registration> {
    KINDS.iter().find(|kind| kind.info.id == id)
}

/// Returns the kind with this segment in the URLs of its pages.
pub fn kind_of_pages(segment: &str) -> Option<&'static Registration> {
    KINDS.iter().find(|kind| kind.info.pages == segment)
}

/// Returns the texts of every kind, for modules that know kinds only by their ids.
pub fn kind_words() -> Kinds {
    static WORDS: LazyLock<Vec<fn() -> &'static KindWords>> =
        LazyLock::new(|| KINDS.iter().map(|kind| kind.pages.words).collect());
    Kinds(&WORDS)
}
