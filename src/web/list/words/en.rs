//! English.

use crate::{components::format::count, list::words::Words};

pub static EN: Words = Words {
    title: "Every item sold exactly once",
    intro: "Every sale has more takers than items. Atomic Redis scripts decide who gets each item. Watch it live, and check that nothing is given out twice.",
    sales: "Sales",
    empty: "No sales yet. Open the first one with the form.",
    no_limit: "No limit",
    lost: "Redis has lost its sales, but the ledger still has them. To bring them back, run",
    missing: "Lost",
    missing_sales: |number| {
        let sales = if number == 1 { "1 sale is" } else { &format!("{} sales are", count(number)) };
        format!(
            "{sales} missing from Redis, but still in the ledger. No attempts are possible there. To recover {}, run",
            if number == 1 { "it" } else { "all of them" }
        )
    },
    missing_others: |number| format!("and {} more", count(number)),
    suspended_sales: |number| {
        let (sales, their, them) = match number {
            1 => ("1 sale is".to_owned(), "its", "it"),
            _ => (format!("{} sales are", count(number)), "their", "all of them"),
        };
        format!(
            "{sales} suspended: Redis has lost some of {their} data, so no attempts are possible. To recover {them}, run"
        )
    },
    crowd_running: "Crowd running",
    expires_at: "Expires",
    left: "Left",
    left_of: |left, all| format!("{left} of {all} left"),
    lag: |events| format!("The ledger is {} {} behind", count(events), if events == 1 { "event" } else { "events" }),

    filter: "Filter",
    filter_id: "Sale ID starts with",
    filter_kind: "Kind",
    filter_state: "State",
    all_kinds: "All kinds",
    all_states: "All except archived",
    clear_filter: "Clear filter",
    no_match: "No matches. Change or clear the filter.",
    archived_left_out: "Archived sales were left out.",
    search_archived: "Search archived sales",
    bad_filter: "This filter is not valid, so it was not applied: all sales are listed.",

    pages: "Pages",
    newest: "Newest",
    older: "Older",

    open_title: "Open a sale",
};
