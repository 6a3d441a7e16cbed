//! The texts of the ledger and of the audit board.

mod en;
mod zh;

use crate::i18n::{self, FieldWords, by_lang};

/// The texts in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&en::EN, &zh::ZH)
}

/// The label of an outcome of a kind's sales in the history, by its stable name: the kind's own, or the ledger's for
/// outcomes that all kinds have; the name itself if there is none.
pub fn outcome_name(kind: &str, outcome: &str) -> String {
    i18n::outcome_name(kind, outcome).or_else(|| (words().outcome_name)(outcome)).unwrap_or(outcome).to_owned()
}

/// The same of any kind: what is called differently has all of its labels.
pub fn any_outcome_name(outcome: &str) -> String {
    let names = i18n::outcome_names(outcome);
    if names.is_empty() { outcome_name("", outcome) } else { names.join(" / ") }
}

/// The catalogue. Figures are passed as formatted text; a bare number is passed if it
/// selects singular or plural.
pub struct Words {
    pub title: &'static str,
    pub intro: &'static str,

    // The search.
    pub sale: FieldWords,
    pub user: FieldWords,
    pub request_id: FieldWords,
    pub order: FieldWords,
    /// The time from which on, and before which; the hint stands before the name of a time zone.
    pub from: FieldWords,
    pub to: FieldWords,
    pub unknown_kind: &'static str,
    pub any_outcome: &'static str,
    pub unknown_outcome: &'static str,
    /// Labels of outcomes that all kinds have, by their stable names.
    pub outcome_name: fn(&str) -> Option<&'static str>,
    pub search: &'static str,

    // The history.
    pub history: &'static str,
    pub history_rows: &'static str,
    /// What a row is about: one item, or how many.
    pub item: &'static str,
    pub event_id: &'static str,
    /// Rows found, and whether that is only a lower bound.
    pub rows_found: fn(u64, bool) -> String,
    pub nothing_found: &'static str,
    pub newest: &'static str,
    pub older_rows: &'static str,
    /// The switch that keeps the newest rows coming, and what it does.
    pub follow: &'static str,
    pub follow_hint: &'static str,
    pub following: &'static str,
    pub follow_paused: &'static str,
    /// Followed by the time.
    pub export_csv: &'static str,
    pub export_jsonl: &'static str,

    // A row's details.
    pub row_details: &'static str,
    pub close_details: &'static str,
    pub kind: &'static str,
    /// Who an item is for, where that is not the user.
    pub holder: &'static str,
    pub rows_of_order: &'static str,
    /// When Redis recorded the event.
    pub recorded_at: &'static str,
    /// The place of the change in its event.
    pub place: &'static str,
    pub row_id: &'static str,

    // The ledger's lag and its problems.
    pub behind: &'static str,
    /// Events, and seconds with one decimal.
    pub behind_by: fn(u64, String) -> String,
    pub last_event: &'static str,
    pub dead_letters: fn(u64) -> String,
    pub dead_letters_hint: &'static str,
    pub tried: fn(u32) -> String,
    /// Entries recorded, and those that still cannot be.
    pub retried: fn(String, String) -> String,
    pub long_stream: fn(String) -> String,
    /// So many entries were recorded, and the ledger has lost them.
    pub missing_events: fn(u64) -> String,
    pub not_in_redis: &'static str,
    pub suspended: &'static str,
    pub writer: &'static str,
    pub no_writer: &'static str,
    pub unreachable: &'static str,

    // The audit board.
    pub board_title: &'static str,
    pub board_intro: &'static str,
    pub board_empty: &'static str,
    /// How many sales hold, of how many.
    pub hold_of: fn(u64, u64) -> String,
    pub all_kinds: &'static str,
    pub all_verdicts: &'static str,
    pub filter: &'static str,
    pub clear_filter: &'static str,
    /// The filter in the address is not valid.
    pub bad_filter: &'static str,
    pub board_no_match: &'static str,
    pub audit_all: &'static str,
    pub not_audited: &'static str,
}
