//! The words of the kinds of sale, for rooms below them: these know a kind only by its id.

use leptos::prelude::use_context;

/// How a kind of sale calls what the audit and the ledger show of it.
pub struct KindWords {
    /// As in keys: `red_packet`.
    pub id: &'static str,
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

/// What an invariant is called, by its stable name: as this kind calls it, or as all do.
pub fn invariant_name(kind: &str, invariant: &str) -> Option<&'static str> {
    let own = kinds().find(|words| words.id == kind).and_then(|words| (words.invariant_name)(invariant));
    own.or_else(|| (super::words().invariant_name)(invariant))
}

/// What an outcome in the ledger is called, by its stable name, where a kind has it.
pub fn outcome_name(outcome: &str) -> Option<&'static str> {
    kinds().find_map(|kind| (kind.outcome_name)(outcome))
}
