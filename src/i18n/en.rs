//! English.

use super::{FieldWords, Words};
use crate::{domain::Verdict, error::Code};

pub static EN: Words = Words {
    brand: "Stampede",
    skip: "Skip to the content",
    navigation: "Main",
    theme: "Colours",
    theme_system: "As the system",
    theme_light: "Light",
    theme_dark: "Dark",
    loading: "Loading …",
    copied: "Copied",
    as_table: "As a table",
    days: |days| [&days.to_string(), " d "].concat(),
    time_left: |left| [&left, " left"].concat(),

    error_title: |code| match code {
        Code::BadRequest => "That is not an id",
        Code::UnknownSale => "There is no such sale",
        Code::UnknownOrder => "There is no such order",
        Code::UnknownRun => "There is no such run",
        Code::SaleExists => "This id is taken",
        Code::SaleOpening => "Still opening",
        Code::Busy => "Too busy",
        Code::Unavailable => "Redis is out of reach",
        Code::LedgerUnavailable => "The ledger is out of reach",
        Code::SaleSuspended => "The sale is suspended",
        Code::Network => "The server is out of reach",
        Code::Internal => "Something broke",
    },
    error: |code| match code {
        Code::BadRequest => "The server did not understand this. Check what you entered and try again.",
        Code::UnknownSale => "No sale has this id. Check it, or open the sale first.",
        Code::UnknownOrder => "The sale has no order of this id. Check it.",
        Code::UnknownRun => "This run is over and forgotten. Start a new crowd.",
        Code::SaleExists => "A sale with this id was opened on other terms. Choose another id, or leave it empty.",
        Code::SaleOpening => "The packets are still being put in. Try again in a moment.",
        Code::Busy => "A crowd is already here, or too many attempts wait. Nothing was tried; try again in a moment.",
        Code::Unavailable => {
            "Redis did not answer, so nobody knows the outcome. Try again: pressing twice cannot win twice."
        }
        Code::Network => {
            "The server did not answer, so nobody knows the outcome. Try again: pressing twice cannot win twice."
        }
        Code::LedgerUnavailable => "The ledger did not answer. Sales go on without it; try again in a moment.",
        Code::SaleSuspended => "Redis lost part of this sale. Nobody can claim until it is recovered from the ledger.",
        Code::Internal => "This is a defect on our side. Try again; if it stays, look into the server's log.",
    },
    load_error: |code| match code {
        Code::Unavailable => {
            "Redis does not answer, so there is nothing to show. What was won is safe; try again in a moment."
        }
        Code::Network => "The server does not answer, so there is nothing new to show. Try again in a moment.",
        other => (EN.error)(other),
    },
    not_found: "There is no such page",
    not_found_hint: "Nothing is at this address. The sales are one step away.",
    try_again: "Try again",
    back_to_sales: "To the sales",

    sale: "Sale",
    sale_id: FieldWords { label: "Id", hint: "Optional; made for you", error: "Use 1 to 64 printable bytes." },
    seed: FieldWords {
        label: "Seed",
        hint: "Optional; the same seed repeats it",
        error: "Enter a whole number from 0 to 18,446,744,073,709,551,615, or leave it empty.",
    },
    your_name: FieldWords { label: "Your name", hint: "", error: "Enter a name of 1 to 64 printable bytes." },
    copy_id: "Copy the id",
    opened_at: "Opened",
    attempts: "Attempts",
    calls: "Script calls",
    repeat: "Repeat",
    time: "Time",
    user: "User",
    outcome: "Outcome",
    amount: "Amount",

    audit: "Audit",
    audit_now: "Audit now",
    audited_at: "Looked at",
    verdict_title: "Verdict",
    verdict: |verdict| match verdict {
        Verdict::Holds => "Holds",
        Verdict::Broken => "Broken",
        Verdict::Unknown => "Unknown",
    },
    verdict_unknown: "Redis or the ledger could not be read, so nobody can say. Look again with an audit.",
    invariant: "What must hold",
    invariant_name: |name| match name {
        "events" => Some("One event for each win"),
        "lost" => Some("Lost"),
        "unexpected" => Some("From nowhere"),
        "ledger" => Some("Every win is in the ledger"),
        "ledger_rows" => Some("The ledger's rows, as it counts them"),
        "ledger_ahead" => Some("Events that Redis lost"),
        "set_aside" => Some("Entries set aside"),
        "in_redis" => Some("The sale is in Redis"),
        _ => None,
    },
    expected: "Expected",
    found: "Found",

    source: "Look up the source",
    source_intro: "This is the very script that decides each attempt.",
    source_code: "Source of the script",
    show_source: "Show the script",
    script: "Script",
    sha: "SHA-1",
    copy_sha: "Copy the SHA-1",
    healed: "NOSCRIPT healed",
};
