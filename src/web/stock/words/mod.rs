//! The texts of stock.

mod en;
mod zh;

use crate::i18n::{FieldWords, KindWords, by_lang};
use model::stock::{Adjusted, Declined, Expired, GivenBack, Outcome, Paused};

/// The texts in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&en::EN, &zh::ZH)
}

/// The catalogue. Figures are passed as formatted text.
pub struct Words {
    pub kind: KindWords,

    // The list of sales, and the form that opens one.
    pub deducted_and_returned: fn(String, String) -> String,
    pub is_low: &'static str,
    pub open_title: &'static str,
    pub quantity: FieldWords,
    pub ttl_s: FieldWords,
    pub low_mark: FieldWords,

    // The stage.
    pub stage: &'static str,
    pub in_redis: &'static str,
    pub in_ledger: &'static str,
    pub on_the_way: fn(String) -> String,
    pub up_to_date: &'static str,
    pub not_cached: &'static str,
    pub not_cached_hint: &'static str,
    pub time_to_live: &'static str,
    pub renewed: fn(String) -> String,
    pub unknown: &'static str,
    pub over_time: &'static str,
    /// Names the choice of how much of it is shown.
    pub span: &'static str,
    pub last_minute: &'static str,
    pub last_ten_minutes: &'static str,
    /// Below a table that is cut.
    pub newest_rows: fn(usize) -> String,
    // What has changed the quantity, in units; attempts are counted by themselves.
    pub units_deducted: &'static str,
    pub units_returned: &'static str,
    pub units_restocked: &'static str,
    pub units_corrected: &'static str,
    /// How much more was confirmed than there was.
    pub oversold: fn(String) -> String,
    /// The low mark, and how many times the quantity came down to it.
    pub low: fn(String, u64) -> String,
    pub is_paused: &'static str,
    pub resumes_in: fn(String) -> String,
    pub rebuilds: &'static str,
    pub no_rebuilds: &'static str,
    pub process: &'static str,
    pub ledger_difference: &'static str,

    // Cache and ledger, to be made to drift.
    pub drift: &'static str,
    pub expire: &'static str,
    pub expired: fn(Expired) -> &'static str,
    pub pause: &'static str,
    pub resume: &'static str,
    pub paused: fn(Paused) -> String,
    pub restock_title: &'static str,
    pub restock_quantity: FieldWords,
    pub restock: &'static str,
    pub correct_title: &'static str,
    pub counted: FieldWords,
    pub correct: &'static str,
    pub adjusted: fn(Adjusted) -> String,

    // The visitor's own attempt.
    pub wanted: FieldWords,
    pub deduct: &'static str,
    pub outcome: fn(Outcome) -> String,
    pub give_back: &'static str,
    pub given_back: fn(GivenBack) -> String,
    pub sale_closed: &'static str,

    // The attempts.
    /// Attempts that got what they wanted, and those that gave it back.
    pub won: &'static str,
    pub returned: &'static str,
    pub not_enough: &'static str,
    pub sale_closed_short: &'static str,
    pub refused: &'static str,
    pub declined: fn(Declined) -> &'static str,
    pub latest: &'static str,
    pub none_deducted: &'static str,
    pub amount: &'static str,
    pub left: &'static str,

    // The terms.
    pub opened_with: &'static str,
    pub kept_for: &'static str,
    pub no_low_mark: &'static str,

    // The crowd.
    pub several: FieldWords,
    pub fail: FieldWords,
    pub all_fail: &'static str,
    pub all_fail_hint: &'static str,

    // The audit.
    pub not_audited: &'static str,
}

/// A change with its sign.
pub fn signed(change: i64) -> String {
    let sign = match change {
        ..0 => "−",
        0 => "",
        1.. => "+",
    };
    format!("{sign}{}", crate::components::format::count(change.unsigned_abs()))
}

/// How many units an entry of the ledger is about, as pages write numbers.
fn units(item: &str) -> String {
    match item.parse::<i64>() {
        Ok(units @ ..0) => signed(units),
        Ok(units) => crate::components::format::count(units.unsigned_abs()),
        Err(_) => item.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{signed, units};

    #[test]
    fn units_of_entries_have_separators() {
        assert_eq!(["10000", "-3", "5", "?"].map(units), ["10,000", "−3", "5", "?"]);
    }

    #[test]
    fn changes_have_their_signs() {
        assert_eq!([-1_000, 0, 7].map(signed), ["−1,000", "0", "+7"]);
    }
}
