//! English.

use super::Words;
use crate::{
    i18n::{FieldWords, KindWords},
    sales::red_packet::{Splitter, page::Standing},
    ui::format::count,
};

/// `1 packet`, `1,000 packets`
fn packets(number: u64) -> String {
    [count(number).as_str(), if number == 1 { " packet" } else { " packets" }].concat()
}

pub static EN: Words = Words {
    kind: KindWords {
        id: "red_packet",
        name: "Red packet",
        outcome_name: |name| match name {
            "won" => Some("Won"),
            _ => None,
        },
        invariant_name: |name| match name {
            "packets" => Some("All packets are there"),
            "money" => Some("All money is there"),
            "doubled" => Some("Given to two users"),
            "twice" => Some("Users with two packets"),
            "claimed_cents" => Some("Money claimed, as counted"),
            "ledger_cents" => Some("Money won, in the ledger"),
            _ => None,
        },
    },

    left_of: |left, all| [&left, " of ", &all, " left"].concat(),
    money_of: |left, all| [&left, " of ", &all].concat(),
    open_title: "Open a new sale",
    open: "Open the sale",
    count: FieldWords { label: "Packets", hint: "1 to 1,000,000", error: "Enter a whole number from 1 to 1,000,000." },
    total_yuan: FieldWords {
        label: "Total (¥)",
        hint: "At least ¥0.01 per packet",
        error: "Enter yuan with at most two decimals: at least a cent per packet, at most ten billion.",
    },
    hours: FieldWords {
        label: "Expires in hours",
        hint: "What is left then can go back to the sender",
        error: "Give it more than no time, and at most 366 days.",
    },
    minutes: FieldWords { label: "and minutes", hint: "", error: "" },
    splitter: "Split",
    splitter_name: |splitter| match splitter {
        Splitter::DoubleMean => "Double mean",
        Splitter::LineCut => "Line cut",
        Splitter::Equal => "Equal",
    },
    splitter_hint: |splitter| match splitter {
        Splitter::DoubleMean => "Each packet is drawn from a cent to twice the mean of what is left.",
        Splitter::LineCut => "Random cuts through all the money: few large packets, many small ones.",
        Splitter::Equal => "As equal as cents allow.",
    },

    standing: |standing| match standing {
        Standing::Opening => "Opening",
        Standing::Open => "Open",
        Standing::SoldOut => "Sold out",
        Standing::Expired => "Expired",
        Standing::Refunded => "Refunded",
        Standing::Suspended => "Suspended",
    },
    expires_at: "Expires",
    refund: "Return what is left to the sender",
    refund_question: |money, number| ["Return ", &money, " in ", &packets(number), " to the sender?"].concat(),
    refund_yes: "Return it",
    refund_no: "Keep it",
    refunded_now: |money| [&money, " went back to the sender."].concat(),
    refunded_before: |money| [&money, " had gone back to the sender before."].concat(),
    not_expired: "The sale still runs; nothing was returned.",

    queues: "The two queues",
    pending: "Pending",
    pending_hint: "not yet claimed",
    claimed: "Claimed",
    claimed_hint: "each by one user",
    of: |all| ["of ", &all].concat(),
    queue_text: |held, all, money| [&held, " of ", &all, ", ", &money].concat(),
    per_cell: |number| ["One cell is ", &packets(number), "."].concat(),
    refunded_line: |number, money| [&packets(number), " with ", &money, " went back to the sender."].concat(),
    figures: "Figures",
    total: "Total",
    remaining: "Remaining",
    packets: "Packets",
    mean_batch: "Attempts per call",
    luckiest: "Luckiest",
    luckiest_who: |user, packet| [&user, ", packet #", &packet].concat(),
    luckiest_none: "nobody yet",
    histogram: "Amounts claimed",
    histogram_empty: "Nothing is claimed yet.",
    packets_at_most: |number| ["Highest column: ", &packets(number)].concat(),

    won: "Won",
    sold_out: "Sold out",
    expired: "Expired",

    feed: "Attempts",
    feed_rows: "Newest attempts",
    feed_sample: "Under load this is a sample; the counts are exact.",
    feed_empty: "No attempt to show.",
    filter: "Show",
    filter_user: "Filter by user",
    pause: "Pause",
    paused: |news| ["Paused, ", &news, " new"].concat(),
    packet: "Packet",

    try_it: "Your own try",
    claim: "Grab a packet",
    you_won: |packet| ["is yours: packet #", &packet, "."].concat(),
    already_yours: |packet| ["You already have packet #", &packet, "; nothing changed."].concat(),
    too_late: "Too late: every packet is claimed.",
    sale_expired: "The sale has expired; what was left goes back to the sender.",

    not_audited: "Not looked yet. An audit counts the packets in Redis themselves.",
};
