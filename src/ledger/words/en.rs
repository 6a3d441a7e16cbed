//! English.

use super::Words;
use crate::{components::format::count, i18n::FieldWords};

pub static EN: Words = Words {
    title: "Ledger",
    intro: "Every change to every sale, newest first, from the database of record.",

    sale: FieldWords { label: "Sale", hint: "", error: "Use 1 to 64 printable bytes." },
    user: FieldWords { label: "User", hint: "", error: "Enter a name of 1 to 64 printable bytes." },
    request_id: FieldWords { label: "Request ID", hint: "", error: "Use 1 to 64 printable bytes." },
    any_outcome: "Any",
    outcome_name: |name| match name {
        "opened" => Some("Opened"),
        "closed" => Some("Closed"),
        "refunded" => Some("Refunded"),
        "recovered" => Some("Recovered"),
        _ => None,
    },
    search: "Search",

    history: "History",
    history_rows: "Rows, newest first",
    item: "Item",
    event_id: "Event ID",
    rows_found: |number, at_least| {
        let rows = [count(number).as_str(), if number == 1 { " row" } else { " rows" }].concat();
        if at_least { ["At least ", &rows].concat() } else { rows }
    },
    nothing_found: "No matches. Remove a filter; recent changes may take a moment to appear.",
    newest: "Newest",
    older_rows: "Older rows",
    export_csv: "Export as CSV",
    export_jsonl: "Export as JSON Lines",

    behind: "Lag",
    behind_by: |events, seconds| {
        [count(events).as_str(), if events == 1 { " event, " } else { " events, " }, &seconds, " s"].concat()
    },
    last_event: "Last event recorded",
    dead_letters: |number| {
        [count(number).as_str(), if number == 1 { " entry" } else { " entries" }, " set aside"].concat()
    },
    dead_letters_hint: "These could not be recorded. Fix the cause and retry; nothing is lost meanwhile.",
    tried: |times| if times == 1 { "tried once".to_owned() } else { ["tried ", &times.to_string(), " times"].concat() },
    retried: |applied, still| [&applied, " recorded, ", &still, " still set aside."].concat(),
    long_stream: |length| {
        [
            "The stream has grown past its limit: ",
            &length,
            " entries. None is dropped; check that the ledger is being written.",
        ]
        .concat()
    },
    not_in_redis: "In the ledger, not in Redis: run",
    suspended: "Suspended until recovered from the ledger: run",
    writer: "Ledger writer:",
    no_writer: "No server is writing the ledger. Start one; until then events wait in Redis, and none is lost.",
    unreachable: "The ledger is unreachable. Sales go on, and their events wait in Redis. Check that the database is running.",

    board_title: "Audit",
    board_intro: "The invariants of every sale: in Redis, in the ledger, and between the two.",
    board_empty: "No sales yet. Open the first one, and it appears here in a moment.",
    audit_all: "Audit all",
    not_audited: "Not audited yet",
};
