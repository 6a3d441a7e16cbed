//! The kinds of sale, and what they share.
//!
//! The pure part of each kind compiles for server and browser alike and is tested without either.

#[cfg(feature = "ssr")]
pub mod audit;
pub mod closing;
pub mod coupon;
#[cfg(feature = "ssr")]
pub mod description;
#[cfg(feature = "ssr")]
pub mod expiry;
pub mod explain;
#[cfg(feature = "ssr")]
pub mod kind;
pub mod list;
mod open_form;
#[cfg(feature = "ssr")]
pub mod recovery;
#[cfg(feature = "ssr")]
pub mod recovery_guards;
pub mod red_packet;
#[cfg(feature = "ssr")]
pub mod refused_sample;
pub mod snapshot;
mod stage;
pub mod stock;
#[cfg(feature = "ssr")]
pub mod terms;
pub mod ticket;
#[cfg(feature = "ssr")]
mod unrecorded;

use crate::{
    crowd::panel::CrowdKindForm,
    domain::{KindInfo, OfKind},
    i18n::{KindWords, Kinds},
};
use leptos::prelude::AnyView;
use list::SaleSummary;
use std::sync::LazyLock;

/// The registry: every kind of sale, one entry each.
pub static KINDS: &[Registration] =
    &[red_packet::REGISTRATION, ticket::REGISTRATION, coupon::REGISTRATION, stock::REGISTRATION];

/// What a kind of sale registers.
pub struct Registration {
    /// The names of the kind.
    pub info: &'static KindInfo,
    /// Its pages.
    pub pages: KindPages,
    /// What it registers with the server.
    #[cfg(feature = "ssr")]
    pub server: &'static kind::ServerPart,
}

impl OfKind for Registration {
    fn info(&self) -> &'static KindInfo {
        self.info
    }
}

/// What a kind of sale shows.
pub struct KindPages {
    /// Its texts that other rooms show.
    pub words: fn() -> &'static KindWords,
    /// The page of a sale, at `/<pages>/<id>`.
    pub sale_page: fn() -> AnyView,
    /// The form that opens a sale.
    pub open_form: fn() -> AnyView,
    /// What it adds to crowds.
    pub crowd: CrowdKindForm,
    /// What the list shows of a sale besides how much is left.
    pub summary: fn(&SaleSummary) -> Vec<String>,
}

/// The kind with this id.
pub fn kind_of(id: &str) -> Option<&'static Registration> {
    KINDS.iter().find(|kind| kind.info.id == id)
}

/// The kind whose pages have this segment in their URLs.
pub fn kind_of_pages(segment: &str) -> Option<&'static Registration> {
    KINDS.iter().find(|kind| kind.info.pages == segment)
}

/// The texts of every kind, for the rooms that know kinds only by their ids.
pub fn kind_words() -> Kinds {
    static WORDS: LazyLock<Vec<fn() -> &'static KindWords>> =
        LazyLock::new(|| KINDS.iter().map(|kind| kind.pages.words).collect());
    Kinds(&WORDS)
}
