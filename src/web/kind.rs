//! The kinds of sale as pages and the description of the API know them.

#[cfg(feature = "ssr")]
use crate::openapi::{Group, MakeSchema};
use crate::{
    coupon,
    crowd::panel::CrowdKindForm,
    i18n::{KindWords, Kinds},
    red_packet, stock, ticket,
};
use leptos::prelude::AnyView;
use model::{KindInfo, OfKind, list::SaleSummary};
#[cfg(feature = "ssr")]
use serde_json::{Map, Value};
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
    /// Describes its API.
    #[cfg(feature = "ssr")]
    pub description: fn() -> KindDescription,
    /// Endpoints that accept larger bodies than others, with their limits in bytes.
    #[cfg(feature = "ssr")]
    pub large_bodies: &'static [(&'static str, usize)],
}

impl OfKind for Registration {
    fn info(&self) -> &'static KindInfo {
        self.info
    }
}

/// What a kind of sale adds to the description of the API.
#[cfg(feature = "ssr")]
pub struct KindDescription {
    /// Its own endpoints.
    pub group: Group,
    /// The schema of a snapshot, which its live view sends.
    pub snapshot: MakeSchema,
    /// The schema of the fields that its sales have on the list, beside those of every kind.
    pub summary: MakeSchema,
    /// The fields of a crowd's request that say how its users behave.
    pub behavior: Map<String, Value>,
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
