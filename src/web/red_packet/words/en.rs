//! English.

use crate::{
    components::format::count,
    i18n::{FieldWords, KindWords},
    red_packet::words::Words,
};
use model::red_packet::{INFO, Splitter};

/// `1 packet`, `1,000 packets`
fn packets(number: u64) -> String {
    format!("{} {}", count(number), if number == 1 { "packet" } else { "packets" })
}

pub static EN: Words = Words {
    kind: KindWords {
        info: &INFO,
        name: "Red packets",
        effect_of_closing: "Unclaimed money is refunded to the sender.",
        explained_attempt: "The attempt is for one packet.",
        item_name: |number| format!("#{number}"),
        outcome_name: |name| match name {
            "won" => Some("Won"),
            _ => None,
        },
        invariant_name: |name| match name {
            "packets" => Some("All packets accounted for"),
            "money" => Some("All money accounted for"),
            "doubled" => Some("Packets given twice"),
            "twice" => Some("Users with two packets"),
            "events" => Some("One event per win"),
            "claimed_cents" => Some("Claimed amount"),
            "ledger" => Some("Every win is in the ledger"),
            "ledger_cents" => Some("Claimed amount in the ledger"),
            _ => None,
        },
    },

    money_of: |left, all| format!("{left} of {all}"),
    money_refunded: |money| format!("{money} refunded"),
    open_title: "Open a red packet sale",
    count: FieldWords { label: "Packets", hint: "1 to 1,000,000", error: "Enter a whole number from 1 to 1,000,000." },
    total_yuan: FieldWords {
        label: "Total (¥)",
        hint: "At least ¥0.01 per packet",
        error: "Enter an amount with up to two decimals: at least ¥0.01 per packet, at most ¥10 billion.",
    },
    hours: FieldWords {
        label: "Expires after (hours)",
        hint: "Unclaimed money is then refunded to the sender",
        error: "Enter a duration from 1 second to 366 days.",
    },
    minutes: FieldWords { label: "Minutes", hint: "", error: "Enter a whole number of minutes." },
    splitter: "Split",
    splitter_name: |splitter| match splitter {
        Splitter::DoubleMean => "Double mean",
        Splitter::LineCut => "Line cut",
        Splitter::Equal => "Equal",
    },
    splitter_hint: |splitter| match splitter {
        Splitter::DoubleMean => "Random amounts, each from ¥0.01 to twice the mean of what is left.",
        Splitter::LineCut => "Random cuts: a few large packets, many small ones.",
        Splitter::Equal => "Equal amounts, at most ¥0.01 apart.",
    },

    expires_at: "Expires",
    refund: "Refund unclaimed money",
    refund_question: |money, number| format!("Refund {money} in {} to the sender?", packets(number)),
    refund_yes: "Refund",
    refund_no: "Not now",
    refunded_now: |money| format!("{money} was refunded to the sender."),
    refunded_before: |money| format!("{money} had already been refunded to the sender."),
    not_expired: "The sale has not expired. Nothing was refunded.",

    queues: "Queues",
    pending: "Pending",
    pending_hint: "not claimed yet",
    claimed: "Claimed",
    claimed_hint: "one per user",
    of: |all| format!("of {all}"),
    queue_text: |held, all, money| format!("{held} of {all}, {money}"),
    per_cell: |number| format!("Each cell stands for {}.", packets(number)),
    refunded_line: |number, money| {
        format!("{} ({money}) {} refunded to the sender.", packets(number), if number == 1 { "was" } else { "were" })
    },
    figures: "Figures",
    total: "Total",
    remaining: "Remaining",
    packets: "Packets",
    mean_batch: "Attempts per call",
    luckiest: "Luckiest",
    luckiest_who: |user, packet| format!("{user}, packet #{packet}"),
    luckiest_none: "No one yet",
    histogram: "Amounts claimed",
    histogram_empty: "Nothing claimed yet.",
    packets_at_most: |number| format!("Tallest bar: {}", packets(number)),

    won: "Won",
    sold_out: "Sold out",
    expired: "Expired",
    closed: "Closed",

    feed: "Attempts",
    feed_rows: "Newest attempts",
    feed_sample: "Under load, only a sample is shown; the counts are exact.",
    feed_empty: "No attempts to show.",
    filter: "Show",
    paused: |news| format!("Paused, {news} new"),
    packet: "Packet",

    claim: "Claim a packet",
    you_won: |packet| format!("is yours: packet #{packet}."),
    already_yours: |packet| format!("You already have packet #{packet}. Nothing changed."),
    too_late: "Sold out: every packet has been claimed.",
    sale_expired: "This sale has expired. Unclaimed money is refunded to the sender.",
    sale_closed: "This sale was closed. Unclaimed money was refunded to the sender.",

    not_audited: "Not audited yet. An audit counts every packet in Redis.",
};
