//! The form that searches: a plain one that the browser could send by itself, so it works before the
//! page wakes up.

use super::{
    History,
    address::{self, PATH, Wanted, conditions},
};
use crate::{
    i18n,
    ledger::{
        Search,
        words::{outcome_name, words},
    },
    nodes,
    ui::{
        field::{Field, filled},
        node::{El, el},
        platform,
    },
};
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;

/// What can have happened to a thing, as the history calls it.
const OUTCOMES: [&str; 10] =
    ["", "won", "held", "paid", "late", "cancelled", "expired", "opened", "refunded", "recovered"];

pub fn form(history: History, search: &Search) -> El {
    let words = words();
    let navigate = use_navigate();
    let send = move |event: leptos::ev::Event| {
        event.prevent_default();
        let typed = |name| Some(platform::typed(name)).filter(|text| !text.is_empty());
        let search = Search {
            sale: typed("sale"),
            user: typed("user"),
            request_id: typed("request_id"),
            outcome: typed("outcome"),
        };
        let wanted = Wanted { search, after: None };
        if history.window.with_untracked(|window| window.wanted == wanted) {
            // The address stays, so nothing else would look again.
            return history.begin(wanted);
        }
        navigate(&address::write(PATH, &wanted.search), Default::default());
    };
    let line = |name, words, value: &Option<String>| {
        filled(Field { name, words, ..Field::default() }, value.clone().unwrap_or_default(), history.error)
    };
    el("form").class("card search").attr("action", PATH).attr("role", "search").on("submit", send).with(nodes![
        line("sale", words.sale, &search.sale),
        line("user", words.user, &search.user),
        line("request_id", words.request_id, &search.request_id),
        outcomes(search.outcome.as_deref().unwrap_or_default()),
        // On from the start: the browser sends the form where the page cannot yet.
        el("button").class("strong").text(words.search),
    ])
}

fn outcomes(chosen: &str) -> El {
    let (words, shared) = (words(), i18n::words());
    let option = |outcome: &'static str| {
        let name = outcome_name(outcome).unwrap_or(words.any_outcome);
        let option = el("option").attr("value", outcome).text(name);
        if outcome == chosen { option.attr("selected", "") } else { option }.into()
    };
    el("div").class("field").with(nodes![
        el("label").attr("for", "outcome").text(shared.outcome),
        el("select").attr("id", "outcome").attr("name", "outcome").with(OUTCOMES.map(option).into()),
    ])
}

/// Shows a search in the form: the reader went back or forth to it.
pub fn fill(wanted: &Wanted) {
    for (name, value) in conditions(&wanted.search) {
        platform::type_in(name, value.as_deref().unwrap_or_default());
    }
}
