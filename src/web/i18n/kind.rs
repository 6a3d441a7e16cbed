//! The kinds of sale and their texts, for the rooms below `sales`, which know a kind only by its id.

use leptos::prelude::use_context;
use model::KindInfo;

/// The texts of a kind of sale that other rooms show, such as audit and ledger.
pub struct KindWords {
    /// The kind.
    pub info: &'static KindInfo,
    /// Its name on screen, in the plural.
    pub name: &'static str,
    /// What closing a sale means for what is not given out or not paid for yet: a sentence.
    pub effect_of_closing: &'static str,
    /// What an attempt that is explained asks for: a sentence.
    pub explained_attempt: &'static str,
    /// The text for an item, from its name in the ledger.
    pub item_name: fn(&str) -> String,
    /// Labels of outcomes in the ledger, by their stable names.
    pub outcome_name: fn(&str) -> Option<&'static str>,
    /// Labels of invariants of the audit, by their stable names.
    pub invariant_name: fn(&str) -> Option<&'static str>,
}

/// The texts of all kinds; the application provides them as a context.
#[derive(Clone, Copy)]
pub struct Kinds(pub &'static [fn() -> &'static KindWords]);

fn kinds() -> impl Iterator<Item = &'static KindWords> {
    use_context().map_or(&[][..], |Kinds(kinds)| kinds).iter().map(|words| words())
}

fn kind(id: &str) -> Option<&'static KindWords> {
    kinds().find(|words| words.info.id == id)
}

/// The kind with this id.
pub fn kind_info(id: &str) -> Option<&'static KindInfo> {
    kind(id).map(|words| words.info)
}

/// The name of the kind with this id on screen, in the plural.
pub fn kind_name(id: &str) -> Option<&'static str> {
    kind(id).map(|words| words.name)
}

/// The id of each kind, and its name on screen.
pub fn kind_names() -> Vec<(&'static str, &'static str)> {
    kinds().map(|words| (words.info.id, words.name)).collect()
}

/// The label of an invariant with this stable name: the kind's own, or the one shared by all kinds.
pub fn invariant_name(kind_id: &str, invariant: &str) -> Option<&'static str> {
    let own = kind(kind_id).and_then(|words| (words.invariant_name)(invariant));
    own.or_else(|| (crate::i18n::words().invariant_name)(invariant))
}

/// An item of the ledger's, as its kind calls it on screen.
pub fn item_name(kind_id: &str, item: String) -> String {
    match kind(kind_id) {
        Some(words) => (words.item_name)(&item),
        None => item,
    }
}

/// What closing a sale of this kind means for what is not given out or not paid for yet: a sentence.
pub fn effect_of_closing(kind_id: &str) -> &'static str {
    kind(kind_id).map_or("", |words| words.effect_of_closing)
}

/// What an attempt at a sale of this kind asks for when it is explained: a sentence.
pub fn explained_attempt(kind_id: &str) -> &'static str {
    kind(kind_id).map_or("", |words| words.explained_attempt)
}

/// The label that a kind has for an outcome in the ledger with this stable name.
pub fn outcome_name(kind_id: &str, outcome: &str) -> Option<&'static str> {
    kind(kind_id).and_then(|words| (words.outcome_name)(outcome))
}

/// The labels that kinds have for an outcome in the ledger with this stable name, each once.
pub fn outcome_names(outcome: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    for name in kinds().filter_map(|words| (words.outcome_name)(outcome)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The stable names of all outcomes that the ledger records, for any kind.
pub fn outcomes() -> Vec<&'static str> {
    let mut all = Vec::new();
    for outcome in kinds().flat_map(|words| words.info.outcomes) {
        if !all.contains(outcome) {
            all.push(*outcome);
        }
    }
    all
}
