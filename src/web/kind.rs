//! The kinds of sale, as pages and the API description see them.

#[cfg(feature = "ssr")]
use crate::openapi::{Group, MakeSchema};
use crate::{crowd::panel::CrowdKindForm, i18n::KindWords};
use leptos::prelude::AnyView;
use model::{KindInfo, OfKind, list::SaleSummary};
#[cfg(feature = "ssr")]
use serde_json::{Map, Value};

/// A kind of sale's entry in the registry.
pub struct Registration {
    /// The names of the kind.
    pub info: &'static KindInfo,
    /// Its pages.
    pub pages: KindPages,
    /// Returns the description of its API.
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

/// A kind of sale's part of the API description.
#[cfg(feature = "ssr")]
pub struct KindDescription {
    /// Its own endpoints.
    pub group: Group,
    /// The schema of a snapshot, as in its live view.
    pub snapshot: MakeSchema,
    /// The schema of the additional fields of its sales on the list.
    pub summary: MakeSchema,
    /// The fields of a crowd's request for the behavior of users.
    pub behavior: Map<String, Value>,
}

/// The pages of a kind of sale.
pub struct KindPages {
    /// Its texts that other modules show.
    pub words: fn() -> &'static KindWords,
    /// The page of a sale, at `/<pages>/<id>`.
    pub sale_page: fn() -> AnyView,
    /// The form that opens a sale.
    pub open_form: fn() -> AnyView,
    /// Its part of crowds.
    pub crowd: CrowdKindForm,
    /// Returns the facts about a sale on the list, besides the number of items left.
    pub summary: fn(&SaleSummary) -> Vec<String>,
}
