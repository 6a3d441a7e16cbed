//! English.

use crate::{
    components::format::count,
    i18n::{FieldWords, id_error},
    ledger::words::Words,
};

pub static EN: Words = Words {
    title: "Ledger",
    intro: "Every change to every sale, newest first, from the database of record.",

    sale: FieldWords {
        label: "Sale",
        hint: "demo* matches any ending",
        error: concat!(
            id_error!(en),
            " Or use the beginning of an ID and *. If there are too many matches, type more."
        ),
    },
    user: FieldWords {
        label: "User",
        hint: "ann* matches any ending",
        error: concat!(
            id_error!(en),
            " Or use the beginning of a name and *. If there are too many matches, type more."
        ),
    },
    request_id: FieldWords { label: "Request ID", hint: "", error: id_error!(en) },
    order: FieldWords { label: "Order", hint: "", error: id_error!(en) },
    from: FieldWords { label: "From", hint: "Recorded at or after, in", error: "Choose a time from 1970 to 9999." },
    to: FieldWords { label: "To", hint: "Recorded before, in", error: "Choose a time that is later than the start." },
    unknown_kind: "There is no such kind. Choose one from the list.",
    any_outcome: "Any",
    unknown_outcome: "There is no such outcome. Choose one from the list.",
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
        let rows = format!("{} {}", count(number), if number == 1 { "row" } else { "rows" });
        if at_least { format!("At least {rows}") } else { rows }
    },
    nothing_found: "No matches. Remove a filter; recent changes may take a moment to appear.",
    newest: "Newest",
    older_rows: "Older rows",
    follow: "Follow",
    follow_hint: "Show new rows as they are recorded",
    following: "Following",
    follow_paused: "Paused. To continue, leave the rows and go back to the newest.",
    export_csv: "Export as CSV",
    export_jsonl: "Export as JSON Lines",

    row_details: "Row details",
    close_details: "Close",
    kind: "Kind",
    holder: "Holder",
    rows_of_order: "All rows of this order",
    recorded_at: "Recorded",
    place: "Place in event",
    row_id: "Row ID",

    behind: "Lag",
    behind_by: |events, seconds| {
        format!("{} {}, {seconds} s", count(events), if events == 1 { "event" } else { "events" })
    },
    last_event: "Last event recorded",
    dead_letters: |number| {
        format!("{} {} could not be recorded", count(number), if number == 1 { "event" } else { "events" })
    },
    dead_letters_hint: "Fix the cause and try again; nothing is lost in the meantime.",
    tried: |times| if times == 1 { "tried once".to_owned() } else { format!("tried {times} times") },
    retried: |applied, still| format!("{applied} recorded, {still} still cannot be recorded."),
    missing_events: |number| {
        format!(
            "The ledger has lost {} {} that it had recorded, and Redis no longer has {}. Restore its database.",
            count(number),
            if number == 1 { "event" } else { "events" },
            if number == 1 { "it" } else { "them" }
        )
    },
    long_stream: |length| {
        format!(
            "The event stream has exceeded its limit: {length} events. Nothing is dropped; check that a server is writing the ledger."
        )
    },
    not_in_redis: "This sale is in the ledger but not in Redis. To recover it, run",
    suspended: "This sale is suspended. To recover it from the ledger, run",
    writer: "Ledger writer:",
    no_writer: "No server is writing the ledger. Start one; until then, events wait in Redis and none is lost.",
    unreachable: "The ledger is unreachable. Sales go on, and their events wait in Redis. Check that the database is running.",

    board_title: "Audit",
    board_intro: "The invariants of every sale: in Redis, in the ledger, and between the two.",
    board_empty: "No sales yet. Open one, and it appears here in a moment.",
    hold_of: |holding, all| {
        format!("{} of {} {}", count(holding), count(all), if holding == 1 { "holds" } else { "hold" })
    },
    all_kinds: "All kinds",
    all_verdicts: "All verdicts",
    filter: "Filter",
    clear_filter: "Clear filter",
    bad_filter: "This filter is not valid, so it was not applied: all sales are listed.",
    board_no_match: "No matches. Change or clear the filter.",
    audit_all: "Audit all",
    not_audited: "Not audited yet",
};
