//! English.

use crate::i18n::{FieldWords, Words, id_error};
use model::{SaleState, Verdict, error::Code};

pub static EN: Words = Words {
    brand: "Stampede",
    without_script: "JavaScript is off: on the page of a sale you can still make an attempt, and each page shows how things stood when it was loaded. Times are UTC, or in the time zone that this browser last reported.",
    update: "Update this page",
    attempt_made: "You have made an attempt, and this page cannot show what came of it. It is safe to send it again: you get the original answer.",
    send_again: "Send it again",
    skip: "Skip to content",
    navigation: "Main",
    theme: "Theme",
    theme_system: "System",
    theme_light: "Light",
    theme_dark: "Dark",
    loading: "Loading…",
    copied: "Copied",
    as_table: "View as table",
    days: |days| format!("{days} d "),
    time_left: |left| format!("{left} left"),

    error_title: |code| match code {
        Code::BadRequest => "Invalid request",
        Code::Forbidden => "Request refused",
        Code::UnknownSale => "Sale not found",
        Code::SaleArchived => "Sale archived",
        Code::NotArchivable => "Not ready to be archived",
        Code::UnknownOrder => "Order not found",
        Code::UnknownRun => "Run not found",
        Code::SaleExists => "ID already in use",
        Code::SaleOpening => "Sale is still opening",
        Code::RequestReused => "Request already used",
        Code::CrowdRunning => "A crowd is already running",
        Code::LabRunning => "The lab is in use",
        Code::FaultsDisabled => "Faults are disabled",
        Code::UnknownIncident => "Incident not found",
        Code::FaultActive => "The fault is in progress",
        Code::Busy => "Server is busy",
        Code::Unavailable => "Redis is unreachable",
        Code::StoreRefused => "Redis refused the request",
        Code::LedgerUnavailable => "The ledger is unreachable",
        Code::SaleSuspended => "Sale suspended",
        Code::SaleLost => "Sale lost from Redis",
        Code::Network => "The server is unreachable",
        Code::Internal => "Internal error",
    },
    error: |code| match code {
        Code::BadRequest => "The server could not process this request. Check what you entered and try again.",
        Code::Forbidden => {
            "This server does not take requests from other sites. Open the page at the server's own address."
        }
        Code::UnknownSale => "No sale has this ID. Check the ID, or open a sale.",
        Code::SaleArchived => "This sale was archived. Its history is in the ledger.",
        Code::NotArchivable => "Nothing was changed.",
        Code::UnknownOrder => "This sale has no order with this ID. Check the ID.",
        Code::UnknownRun => "This run has expired. Start a new crowd.",
        Code::SaleExists => "Another sale already has this ID. Choose a different one, or leave the field empty.",
        Code::SaleOpening => "The sale is still being opened. Try again in a moment.",
        Code::RequestReused => "This request was already used for something else. Try again: it is sent as a new one.",
        Code::CrowdRunning => "A crowd is already running here. Stop it, or wait until it is done.",
        Code::LabRunning => "A run of the lab is already in progress. Stop it, or wait until it is done.",
        Code::FaultsDisabled => "This server was started without --faults, so nothing was done.",
        Code::UnknownIncident => "This server no longer knows this incident. Reload the page.",
        Code::FaultActive => "This fault is already in progress. End it, or wait until it is over.",
        Code::Busy => {
            "The server cannot take this right now. Nothing was changed; try again in a moment. If it goes on, Redis may be full: /readyz says so."
        }
        Code::Unavailable => "Redis did not answer, so the outcome is unknown. Try again in a moment.",
        Code::Network => "The server did not answer, so the outcome is unknown. Try again in a moment.",
        Code::StoreRefused => "Redis refused the request, so nothing was changed. The server log says why.",
        Code::LedgerUnavailable => "The ledger did not answer. Sales are not affected; try again in a moment.",
        Code::SaleSuspended => {
            "Redis lost part of this sale. It stays suspended until it is recovered from the ledger."
        }
        Code::SaleLost => {
            "Redis has lost this sale, but the ledger still has it. No attempts are possible until it is recovered."
        }
        Code::Internal => "Something went wrong on the server. Try again; if it keeps happening, check the server log.",
    },
    attempt_error: |code| match code {
        Code::Unavailable => {
            "Redis did not answer, so the outcome is unknown. It is safe to try again: you get the original answer."
        }
        Code::Network => {
            "The server did not answer, so the outcome is unknown. It is safe to try again: you get the original answer."
        }
        other => (EN.error)(other),
    },
    outage_since: "Since",
    figures_as_of: "Figures as of",
    outage_advice: |code| match code {
        Code::Unavailable => {
            "Attempts get no answer until it is back; the ledger can still be searched. This page resumes by itself."
        }
        Code::LedgerUnavailable => "Sales go on. This page resumes by itself.",
        Code::Network => "What is shown can still be read. This page resumes by itself.",
        _ => "This page resumes by itself.",
    },
    load_error: |code| match code {
        Code::Unavailable => {
            "Redis is not answering, so this cannot be shown right now. Nothing that was won is lost; try again in a moment."
        }
        Code::Network => "The server is not answering, so this cannot be shown right now. Try again in a moment.",
        Code::UnknownSale => "No sale of this kind has this ID. Check the ID, or open a sale.",
        other => (EN.error)(other),
    },
    recover_by: "To bring it back, run",
    same_id_elsewhere: "Other kinds of sale with this ID:",
    not_found: "Page not found",
    not_found_hint: "There is nothing at this address.",
    try_again: "Try again",
    back_to_sales: "Go to sales",
    view_history: "View its history",

    sale: "Sale",
    sale_id: FieldWords { label: "ID", hint: "Optional; generated if empty", error: id_error!(en) },
    seed: FieldWords {
        label: "Seed",
        hint: "Optional; the same seed repeats the result",
        error: "Enter a whole number from 0 to 18,446,744,073,709,551,615, or leave it empty.",
    },
    your_name: FieldWords { label: "Your name", hint: "", error: id_error!(en) },
    open_sale: "Open sale",
    copy_id: "Copy ID",
    opened_at: "Opened",
    state_name: |state| match state {
        SaleState::Opening => "Opening",
        SaleState::Open => "Open",
        SaleState::SoldOut => "Sold out",
        SaleState::Expired => "Expired",
        SaleState::Refunded => "Refunded",
        SaleState::Suspended => "Suspended",
        SaleState::Closed => "Closed",
        SaleState::Archived => "Archived",
    },
    terms: "Terms",
    attempts: "Attempts",
    calls: "Script calls",
    repeat: "Repeat",
    time: "Time",
    user: "User",
    outcome: "Outcome",
    amount: "Amount",

    audit: "Audit",
    audit_now: "Audit now",
    audited_at: "Checked at",
    verdict_title: "Verdict",
    verdict: |verdict| match verdict {
        Verdict::Holds => "Holds",
        Verdict::Broken => "Broken",
        Verdict::Unknown => "Unknown",
    },
    verdict_unknown: "Redis or the ledger could not be read, so there is no verdict. Audit again.",
    invariant: "Invariant",
    invariants: "Invariants",
    invariant_name: |name| match name {
        "lost" => Some("Lost"),
        "unexpected" => Some("Unexpected"),
        "ledger_rows" => Some("Ledger rows match their count"),
        "ledger_ahead" => Some("Events missing from Redis"),
        "set_aside" => Some("Events that could not be recorded"),
        "in_redis" => Some("The sale is in Redis"),
        "state" => Some("State differs from the history"),
        "terms" => Some("Terms that differ from the ledger"),
        _ => None,
    },
    expected: "Expected",
    found: "Found",

    source: "Script",
    source_intro: "This script decides every attempt.",
    source_code: "Script source",
    show_source: "Show script",
    script: "Script",
    sha: "SHA-1",
    copy_sha: "Copy SHA-1",
    healed: "NOSCRIPT retries",
};
