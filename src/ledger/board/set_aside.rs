//! The entries of a sale that could not be applied: why, and another try.

use super::behind::Entry;
use crate::{
    i18n,
    ledger::{
        DeadLetter,
        api::{RetryRequest, SetAsideRequest},
        words::words,
    },
    nodes,
    ui::{
        ask::ask,
        field::button,
        format::count,
        node::{El, Node, el, item, live, maybe},
        work::effect,
    },
};
use leptos::prelude::*;

/// A box for the entries, where there are any.
pub fn set_aside(entry: Entry) -> Node {
    // Made anew when their number changes: then others are listed.
    maybe(move || {
        let number = entry.read(|listed| listed.status.set_aside).filter(|number| *number > 0)?;
        Some(item(number, move || reasons(entry)))
    })
}

fn reasons(entry: Entry) -> El {
    let (words, shared) = (words(), i18n::words());
    let (list, said) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let retry = move || {
        ask(RetryRequest { sale: Some(entry.name().sale) }, move |answer| {
            // The page may be gone by then.
            _ = said.try_set(match answer {
                Ok(retried) => (words.retried)(count(retried.applied.into()), count(retried.still_set_aside.into())),
                Err(error) => (shared.error)(error.code).to_owned(),
            });
        });
    };
    effect(move || {
        ask(SetAsideRequest { sale: Some(entry.name().sale) }, move |answer| {
            let line = |aside: DeadLetter| {
                [&aside.event_id.to_string(), " · ", &aside.reason, " · ", &(words.tried)(aside.tries), "\n"].concat()
            };
            _ = list.try_set(answer.map_or_else(
                |error| (shared.load_error)(error.code).to_owned(),
                |entries| entries.into_iter().map(line).collect(),
            ));
        });
    });
    el("div").class("kept-aside").with(nodes![
        el("p").class("aside").text(words.dead_letters_hint),
        el("pre").with(nodes![live(move || list.get())]),
        el("div").class("actions").with(nodes![
            button("", || false, retry).text(shared.try_again),
            el("span").attr("role", "status").with(nodes![live(move || said.get())]),
        ]),
    ])
}
