//! English.

use super::Words;
use crate::{i18n::FieldWords, ui::format::count};

pub static EN: Words = Words {
    title: "Ledger",
    intro: "Whatever changed in any sale, newest first, as the database of record has it.",

    sale: FieldWords { label: "Sale", hint: "", error: "Use 1 to 64 printable bytes." },
    user: FieldWords { label: "User", hint: "", error: "Enter a name of 1 to 64 printable bytes." },
    request_id: FieldWords { label: "Request id", hint: "", error: "Use 1 to 64 printable bytes." },
    any_outcome: "Any",
    outcome_name: |name| match name {
        "opened" => Some("Opened"),
        "refunded" => Some("Refunded"),
        "recovered" => Some("Recovered"),
        _ => None,
    },
    search: "Search",

    history: "History",
    history_rows: "Rows, newest first",
    item: "Item",
    event_id: "Event id",
    rows_found: |number, at_least| {
        let rows = [count(number).as_str(), if number == 1 { " row" } else { " rows" }].concat();
        if at_least { ["At least ", &rows].concat() } else { rows }
    },
    nothing_found: "Nothing was found. Take a condition away; what has just happened is here in a moment.",
    newest: "Newest",
    older_rows: "Older rows",
    export_csv: "Export as CSV",
    export_jsonl: "Export as JSON Lines",

    behind: "Behind by",
    behind_by: |events, seconds| {
        [count(events).as_str(), if events == 1 { " event, " } else { " events, " }, &seconds, " s"].concat()
    },
    last_event: "Last event in the ledger",
    dead_letters: |number| {
        [count(number).as_str(), if number == 1 { " entry" } else { " entries" }, " set aside"].concat()
    },
    dead_letters_hint: "The ledger could not take these in. Mend the cause, then try again; nothing is lost meanwhile.",
    tried: |times| if times == 1 { "tried once".to_owned() } else { ["tried ", &times.to_string(), " times"].concat() },
    retried: |applied, still| [&applied, " taken in, ", &still, " still set aside."].concat(),
    long_stream: |length| {
        ["The stream is longer than its bound: ", &length, " entries. None is dropped; see that the ledger is written."]
            .concat()
    },
    not_in_redis: "In the ledger, not in Redis: run",
    suspended: "Suspended until it is recovered from the ledger: run",
    writer: "The ledger is written by",
    no_writer: "Nobody writes the ledger now. Start a server; until then events wait in Redis, and none is lost.",
    unreachable: "The ledger cannot be reached. Sales go on, and their events wait in Redis. See that its database runs.",

    board_title: "Audit",
    board_intro: "What must hold, for each sale: in Redis, in the ledger, and between the two.",
    board_empty: "There is no sale yet. Open the first one, and it is here in a moment.",
    audit_all: "Audit all",
    not_audited: "Not looked yet",
};
