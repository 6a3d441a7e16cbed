//! The kinds of sale as pages and the description of the API know them.

#[cfg(feature = "ssr")]
use crate::openapi::{Group, MakeSchema};
use crate::{crowd::panel::CrowdKindForm, i18n::KindWords};
use leptos::prelude::AnyView;
use model::{KindInfo, OfKind, list::SaleSummary};
#[cfg(feature = "ssr")]
use serde_json::{Map, Value};

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
