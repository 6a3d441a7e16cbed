//! English.

use super::Words;

pub static EN: Words = Words {
    title: "Every item sold exactly once",
    intro: "More people want it than there is: seats, red packets, coupons, stock. Atomic scripts in Redis decide who gets it. Watch them do it live, and check that nothing was given out twice.",
    sales: "Sales",
    empty: "No sale is open yet. Open the first one with the form.",
    crowd_running: "Crowd",
    left: "Left",
    left_of: |left, all| format!("{left} of {all} left"),
    lag: |events| format!("{events} events behind in the ledger"),

    filter: "Filter",
    filter_id: "Sale id begins with",
    filter_kind: "Kind",
    filter_state: "State",
    all_kinds: "All kinds",
    all_states: "All but archived",
    clear_filter: "Clear filter",
    no_match: "No matches. Change or clear the filter.",

    pages: "Pages",
    newest: "Newest",
    older: "Older",

    open_title: "Open a sale",
};
