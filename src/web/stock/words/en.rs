//! English.

use crate::{
    components::format::count,
    i18n::{FieldWords, KindWords},
    stock::words::{Words, signed},
};
use model::stock::{Adjusted, Declined, Expired, GivenBack, INFO, Outcome, Paused};

const QUANTITY_ERROR: &str = "Enter a whole number from 1 to 1,000,000.";
const SHARE_ERROR: &str = "Enter a percentage from 0 to 100.";

pub static EN: Words = Words {
    kind: KindWords {
        info: &INFO,
        name: "Stock",
        effect_of_closing: "Nothing more can be deducted. What was deducted can still be given back.",
        explained_attempt: "The attempt is for one unit.",
        item_name: crate::stock::words::units,
        outcome_name: |name| match name {
            "won" => Some("Deducted"),
            "returned" => Some("Given back"),
            "restocked" => Some("Restocked"),
            "corrected" => Some("Corrected"),
            _ => None,
        },
        invariant_name: |name| match name {
            "quantity" => Some("All units accounted for"),
            "cached" => Some("The quantity in the cache"),
            "ledger_quantity" => Some("The quantity in the ledger"),
            "events" => Some("One event per deduction"),
            "deducted" => Some("Units deducted"),
            "returned" => Some("Units given back"),
            "restocked" => Some("Units restocked"),
            "corrected" => Some("Units corrected"),
            "requests" => Some("Requests stored"),
            "negative" => Some("Deductions of more than was left"),
            "doubled" => Some("Requests answered twice"),
            "returned_twice" => Some("Orders given back twice"),
            "ledger" => Some("Every deduction is in the ledger"),
            _ => None,
        },
    },

    deducted_and_returned: |deducted, returned| format!("Units: {deducted} deducted, {returned} given back"),
    is_low: "Low stock",
    open_title: "Open a stock sale",
    quantity: FieldWords { label: "Quantity", hint: "", error: QUANTITY_ERROR },
    ttl_s: FieldWords {
        label: "Time to live",
        hint: "Seconds that the quantity stays in Redis after a deduction",
        error: "Enter 1 to 86,400 seconds.",
    },
    low_mark: FieldWords { label: "Low mark", hint: "Leave empty for none", error: QUANTITY_ERROR },

    stage: "Quantity",
    in_redis: "In Redis",
    in_ledger: "In the ledger",
    on_the_way: |change| format!("{change} on the way"),
    up_to_date: "Up to date",
    not_cached: "Not cached",
    not_cached_hint: "The next attempt loads it, after a comparison with the ledger.",
    time_to_live: "Expires in",
    renewed: |time| format!("Each deduction resets it to {time}."),
    unknown: "Unknown",
    over_time: "Quantity over time",
    span: "Time span",
    last_minute: "Last minute",
    last_ten_minutes: "Last 10 minutes",
    newest_rows: |rows| format!("Only the newest {rows} are shown."),
    units_deducted: "Units deducted",
    units_returned: "Units given back",
    units_restocked: "Units restocked",
    units_corrected: "Units corrected",
    oversold: |units| format!("Oversold by {units}. Restocks, corrections and returns make up for that first."),
    low: |mark, times| match times {
        0 | 1 => format!("Low stock: {mark} or less."),
        times => format!("Low stock: {mark} or less (crossed {times} times).", times = count(times)),
    },
    is_paused: "The ledger's writer skips this sale, so the ledger falls behind.",
    resumes_in: |time| format!("It resumes in {time}."),
    rebuilds: "Loads",
    no_rebuilds: "Not loaded yet.",
    process: "Process",
    ledger_difference: "Ledger differed by",

    drift: "Cache and ledger",
    expire: "Let it expire now",
    expired: |expired| match expired {
        Expired::Expired => "The quantity has expired.",
        Expired::NotCached => "The quantity was not cached.",
    },
    pause: "Pause the ledger",
    resume: "Resume the ledger",
    paused: |paused| match paused {
        Paused::Paused { seconds: 1 } => "Paused for 1 second.".to_owned(),
        Paused::Paused { seconds } => format!("Paused for {seconds} seconds."),
        Paused::Resumed => "The ledger is recording this sale again.".to_owned(),
    },
    restock_title: "Restock",
    restock_quantity: FieldWords { label: "Quantity to add", hint: "", error: QUANTITY_ERROR },
    restock: "Add",
    correct_title: "Correct",
    counted: FieldWords {
        label: "Counted",
        hint: "Deductions while you type are taken into account",
        error: "Enter a whole number from 0 to 1,000,000,000,000.",
    },
    correct: "Correct",
    adjusted: |adjusted| match adjusted {
        Adjusted::Corrected { left, change: 0 } => format!("The count agrees: {} left.", count(left)),
        Adjusted::Restocked { left, change } | Adjusted::Corrected { left, change } => {
            format!("{}: {} left now.", signed(change), count(left))
        }
        Adjusted::Repeat { left, change } => {
            format!("{} was already done by the same request: {} left then.", signed(change), count(left))
        }
        Adjusted::NotEnough { left } => {
            format!("Only {} left, less than this takes away. Nothing changed.", count(left))
        }
        Adjusted::Closed => "This sale is closed. Nothing changed.".to_owned(),
    },

    wanted: FieldWords { label: "How many", hint: "", error: QUANTITY_ERROR },
    deduct: "Deduct",
    outcome: |outcome| match outcome {
        Outcome::Won { left } => format!("Deducted. {} left.", count(left)),
        Outcome::Repeat { left } => {
            format!("Already deducted by the same request, with {} left then. Nothing changed.", count(left))
        }
        Outcome::NotEnough { left: 0 } => "Sold out.".to_owned(),
        Outcome::NotEnough { left } => format!("Not enough: only {} left.", count(left)),
        Outcome::Closed { .. } => "This sale is closed. What was deducted can still be given back.".to_owned(),
    },
    give_back: "Give it back",
    given_back: |given| match given {
        GivenBack::Returned { quantity, .. } => format!("Given back: {}.", count(quantity)),
        GivenBack::Repeat { .. } => "It was given back before. Nothing changed.".to_owned(),
        GivenBack::UnknownRequest => "This sale does not know that request.".to_owned(),
    },
    sale_closed: "This sale is closed. What was deducted can still be given back.",

    won: "Deducted",
    returned: "Given back",
    not_enough: "Not enough",
    sale_closed_short: "Closed",
    refused: "Refused",
    declined: |declined| match declined {
        Declined::Repeat => "Repeat",
        Declined::NotEnough => "Not enough",
        Declined::Closed => "Closed",
        Declined::Reused => "Request ID reused",
    },
    latest: "Newest deductions",
    none_deducted: "Nothing deducted yet.",
    amount: "Quantity",
    left: "Left",

    opened_with: "Opened with",
    kept_for: "Time to live",
    no_low_mark: "None",

    several: FieldWords { label: "Several", hint: "Percent of users who want two or three", error: SHARE_ERROR },
    fail: FieldWords { label: "Failed orders", hint: "Percent of orders given back right away", error: SHARE_ERROR },
    all_fail: "All orders fail",
    all_fail_hint: "Everything is given back right away: nothing may be lost or returned twice.",

    not_audited: "Not audited yet. An audit compares the quantities in Redis and in the ledger, and every request.",
};
