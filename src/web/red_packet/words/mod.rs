//! The texts of red packets.

mod en;
mod zh;

use crate::i18n::{FieldWords, KindWords, by_lang};
use model::red_packet::Splitter;

/// The texts in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&en::EN, &zh::ZH)
}

/// The catalogue. Figures are passed as formatted text; a bare number is passed if it
/// selects singular or plural.
pub struct Words {
    pub kind: KindWords,

    // The list of sales, and the form that opens one.
    pub money_of: fn(String, String) -> String,
    /// What went back when the sale ended.
    pub money_refunded: fn(String) -> String,
    pub open_title: &'static str,
    pub count: FieldWords,
    pub total_yuan: FieldWords,
    pub hours: FieldWords,
    pub minutes: FieldWords,
    pub splitter: &'static str,
    pub splitter_name: fn(Splitter) -> &'static str,
    pub splitter_hint: fn(Splitter) -> &'static str,

    // The head of a sale.
    pub expires_at: &'static str,
    pub refund: &'static str,
    pub refund_question: fn(String, u64) -> String,
    pub refund_yes: &'static str,
    pub refund_no: &'static str,
    pub refunded_now: fn(String) -> String,
    pub refunded_before: fn(String) -> String,
    pub not_expired: &'static str,

    // Queues and figures.
    pub queues: &'static str,
    pub pending: &'static str,
    pub pending_hint: &'static str,
    pub claimed: &'static str,
    pub claimed_hint: &'static str,
    pub of: fn(String) -> String,
    pub queue_text: fn(String, String, String) -> String,
    pub per_cell: fn(u64) -> String,
    pub refunded_line: fn(u64, String) -> String,
    pub figures: &'static str,
    pub total: &'static str,
    pub remaining: &'static str,
    pub packets: &'static str,
    pub mean_batch: &'static str,
    pub luckiest: &'static str,
    pub luckiest_who: fn(String, String) -> String,
    pub luckiest_none: &'static str,
    pub histogram: &'static str,
    pub histogram_empty: &'static str,
    pub packets_at_most: fn(u64) -> String,

    // Outcomes.
    pub won: &'static str,
    pub sold_out: &'static str,
    pub expired: &'static str,
    pub closed: &'static str,

    // The attempts.
    pub feed: &'static str,
    pub feed_rows: &'static str,
    pub feed_sample: &'static str,
    pub feed_empty: &'static str,
    pub filter: &'static str,
    pub paused: fn(String) -> String,
    pub packet: &'static str,

    // The visitor's own attempt.
    pub claim: &'static str,
    pub you_won: fn(String) -> String,
    pub already_yours: fn(String) -> String,
    pub too_late: &'static str,
    pub sale_expired: &'static str,
    pub sale_closed: &'static str,

    // The audit.
    pub not_audited: &'static str,
}
