//! The kinds of sale and their texts, for modules that know a kind only by its id.

use leptos::prelude::use_context;
use model::KindInfo;

/// The texts of a kind of sale that other modules show, such as audit and ledger.
pub struct KindWords {
    /// The kind.
    pub info: &'static KindInfo,
    /// Its name on screen, in the plural.
    pub name: &'static str,
    /// A sentence: the effect of closing a sale on items that are not given out or not paid for yet.
    pub effect_of_closing: &'static str,
    /// A closed sale can be reopened.
    pub reopens: bool,
    /// A sentence: the item that an explained attempt asks for.
    pub explained_attempt: &'static str,
    /// Returns the text for an item, by its name in the ledger.
    pub item_name: fn(&str) -> String,
    /// Returns the label of an outcome in the ledger, by its stable name.
    pub outcome_name: fn(&str) -> Option<&'static str>,
    /// Returns the label of an invariant of the audit, by its stable name.
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

/// Returns the kind with this id.
pub fn kind_info(id: &str) -> Option<&'static KindInfo> {
    kind(id).map(|words| words.info)
}

/// Returns the name on screen of the kind with this id, in the plural.
pub fn kind_name(id: &str) -> Option<&'static str> {
    kind(id).map(|words| words.name)
}

/// Returns the id of each kind, and its name on screen.
pub fn kind_names() -> Vec<(&'static str, &'static str)> {
    kinds().map(|words| (words.info.id, words.name)).collect()
}

/// Returns the label of an invariant with this stable name: the kind's own, or the one shared by all kinds.
pub fn invariant_name(kind_id: &str, invariant: &str) -> Option<&'static str> {
    let own = kind(kind_id).and_then(|words| (words.invariant_name)(invariant));
    own.or_else(|| (crate::i18n::words().invariant_name)(invariant))
}

/// Returns the kind's name on screen for an item of the ledger.
pub fn item_name(kind_id: &str, item: String) -> String {
    match kind(kind_id) {
        Some(words) => (words.item_name)(&item),
        None => item,
    }
}

/// Returns a sentence: the effect of closing a sale of this kind on items that are not given out or not paid for yet.
pub fn effect_of_closing(kind_id: &str) -> &'static str {
    kind(kind_id).map_or("", |words| words.effect_of_closing)
}

/// Returns whether a closed sale of this kind can be reopened.
pub fn reopens(kind_id: &str) -> bool {
    kind(kind_id).is_some_and(|words| words.reopens)
}

/// Returns a sentence: the item that an explained attempt at a sale of this kind asks for.
pub fn explained_attempt(kind_id: &str) -> &'static str {
    kind(kind_id).map_or("", |words| words.explained_attempt)
}

/// Returns the kind's label for an outcome in the ledger with this stable name.
pub fn outcome_name(kind_id: &str, outcome: &str) -> Option<&'static str> {
    kind(kind_id).and_then(|words| (words.outcome_name)(outcome))
}

/// Returns all kinds' labels for an outcome in the ledger with this stable name, each once.
pub fn outcome_names(outcome: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    for name in kinds().filter_map(|words| (words.outcome_name)(outcome)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns the stable names of all outcomes that the ledger records, for any kind.
pub fn outcomes() -> Vec<&'static str> {
    let mut all = Vec::new();
    for outcome in kinds().flat_map(|words| words.info.outcomes) {
        if !all.contains(outcome) {
            all.push(*outcome);
        }
    }
    all
}
