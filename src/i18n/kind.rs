//! The kinds of sale and their words, for rooms below them: these know a kind only by its id.

use crate::domain::KindInfo;
use leptos::prelude::use_context;

/// What a kind of sale calls what the audit and the ledger show of it.
pub struct KindWords {
    pub info: &'static KindInfo,
    pub name: &'static str,
    /// Outcomes in the ledger, by their stable names.
    pub outcome_name: fn(&str) -> Option<&'static str>,
    /// Invariants of the audit, by their stable names.
    pub invariant_name: fn(&str) -> Option<&'static str>,
}

/// The words of all kinds; the application provides them as a context.
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

/// What an invariant is called, by its stable name: as this kind calls it, or as all do.
pub fn invariant_name(kind_id: &str, invariant: &str) -> Option<&'static str> {
    let own = kind(kind_id).and_then(|words| (words.invariant_name)(invariant));
    own.or_else(|| (super::words().invariant_name)(invariant))
}

/// What an outcome in the ledger is called, by its stable name, where a kind has a word for it.
pub fn outcome_name(outcome: &str) -> Option<&'static str> {
    kinds().find_map(|words| (words.outcome_name)(outcome))
}

/// The outcomes that the ledger records of any kind, by their stable names.
pub fn outcomes() -> Vec<&'static str> {
    let mut all = Vec::new();
    for outcome in kinds().flat_map(|words| words.info.outcomes) {
        if !all.contains(outcome) {
            all.push(*outcome);
        }
    }
    all
}
