//! The kinds of sale, as pages and the API description see them.

#[cfg(feature = "ssr")]
use crate::openapi::{Group, MakeSchema};
use crate::{
    components::{Fields, RequestIds},
    crowd::panel::CrowdKindForm,
    i18n::KindWords,
};
use futures::future::BoxFuture;
use leptos::prelude::{AnyView, Callback, Get, Memo, Signal, With};
use model::{KindInfo, OfKind, error::Result, ledger::OwnedItem, list::SaleSummary};
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
    /// The page of an order, at `/orders/<id>`, if the kind sells in orders.
    pub order_page: Option<fn() -> AnyView>,
    /// What an operator can do about items of a sale on the page of the user who has them, unless that is done on an
    /// order's page.
    pub item_actions: Option<fn(ItemsAtSale) -> ItemActions>,
    /// The form that opens a sale.
    pub open_form: fn() -> AnyView,
    /// Loads the fields of that form, as they open a sale like the one with this id.
    pub fields_like: fn(String) -> BoxFuture<'static, Result<Fields>>,
    /// Its part of crowds.
    pub crowd: CrowdKindForm,
    /// Returns the facts about a sale on the list, besides the number of items left.
    pub summary: fn(&SaleSummary) -> Vec<String>,
    /// Its demonstration on the first page.
    pub miniature: Miniature,
}

/// The items that a user has at a sale, on the user's page.
pub struct ItemsAtSale {
    /// The id of the sale.
    pub sale: String,
    /// Shows a sentence that says what came of an action, or the error.
    pub done: Callback<Result<String>>,
    /// Returns the ids for what is done about the item of a request. They outlive its line, which is made anew whenever
    /// the list is loaded.
    pub request_ids: Callback<String, RequestIds<()>>,
}

/// Renders the buttons of an item: nothing if nothing can be done about it.
pub type ItemActions = Box<dyn Fn(&OwnedItem) -> AnyView>;

/// A kind of sale's demonstration on the first page.
pub struct Miniature {
    /// Returns the sentence beside the picture: what is to be seen, and why it is hard.
    pub sentence: fn() -> &'static str,
    /// Renders the picture, which the figures beside it repeat for screen readers.
    pub picture: fn(MiniatureSale) -> AnyView,
}

/// The sale of which a miniature is the picture.
#[derive(Clone, Copy)]
pub struct MiniatureSale {
    /// The sale, as the list has it, refreshed regularly.
    pub sale: Memo<SaleSummary>,
    /// The share of what is given away that is shown: 1, unless a replay has not come to its end.
    pub played: Signal<f64>,
    /// The numbers of items left in the course of time, at equal distances; NaN for what is to come.
    pub course: Signal<Vec<f64>>,
}

impl MiniatureSale {
    /// Returns the number of all items.
    pub fn total(self) -> u64 {
        self.sale.with(|sale| sale.total.unwrap_or(0))
    }

    /// Returns the number of items that are shown as given away.
    pub fn given(self) -> u64 {
        let given = self.sale.with(SaleSummary::given_away);
        (given as f64 * self.played.get()).round() as u64
    }

    /// Returns the share of the items that is shown as given away.
    pub fn share(self) -> f64 {
        self.given() as f64 / self.total().max(1) as f64
    }
}
