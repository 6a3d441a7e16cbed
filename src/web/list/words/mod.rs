//! The texts of the list of sales.

mod en;
mod zh;

use crate::i18n::by_lang;

/// The texts in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&en::EN, &zh::ZH)
}

/// The catalogue. Figures are passed as formatted text; a bare number is passed if it selects singular or plural.
pub struct Words {
    pub title: &'static str,
    pub intro: &'static str,
    pub sales: &'static str,
    pub empty: &'static str,
    /// Followed by the command.
    pub lost: &'static str,
    /// Instead of what is left.
    pub no_limit: &'static str,
    /// The badge of a sale that Redis has lost.
    pub missing: &'static str,
    /// How many sales Redis has lost; followed by the command.
    pub missing_sales: fn(u64) -> String,
    /// After the names of some of them: how many more there are.
    pub missing_others: fn(u64) -> String,
    /// How many sales are suspended; followed by the command.
    pub suspended_sales: fn(u64) -> String,
    pub crowd_running: &'static str,
    /// The label of a sale's meter.
    pub left: &'static str,
    pub expires_at: &'static str,
    pub left_of: fn(String, String) -> String,
    /// Events that the ledger has not applied yet.
    pub lag: fn(u64) -> String,

    // The filter.
    pub filter: &'static str,
    pub filter_id: &'static str,
    pub filter_kind: &'static str,
    pub filter_state: &'static str,
    pub all_kinds: &'static str,
    pub all_states: &'static str,
    pub clear_filter: &'static str,
    pub no_match: &'static str,
    pub archived_left_out: &'static str,
    pub search_archived: &'static str,
    /// The filter in the address is not valid.
    pub bad_filter: &'static str,

    // Pages.
    pub pages: &'static str,
    pub newest: &'static str,
    pub older: &'static str,

    pub open_title: &'static str,
}
