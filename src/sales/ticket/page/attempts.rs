//! How attempts went: counted exactly, and a sample of those that changed nothing.

use super::Sale;
use crate::{
    i18n, nodes,
    sales::ticket::{DeclinedAttempt, Snapshot, words::words},
    ui::{
        format::count,
        moment::moment,
        node::{El, each, el, item, live, maybe},
        platform::Style,
        term::term,
    },
};
use leptos::prelude::*;

pub fn attempts(sale: Sale) -> El {
    let (words, shared) = (words(), i18n::words());
    let outcomes = &words.outcomes;
    let figure =
        |name: &'static str, read: fn(&Snapshot) -> u64| term(name, nodes![live(move || count(sale.read(read)))]);
    let rows = each(move || {
        let row = |attempt: &DeclinedAttempt| {
            let attempt = attempt.clone();
            item(attempt.id.clone(), move || line(attempt))
        };
        sale.snapshot.with(|sale| sale.declined.iter().map(row).collect())
    });
    let empty = maybe(move || {
        let empty = sale.read(|sale| sale.declined.is_empty());
        empty.then(|| item("empty", move || el("p").class("empty").text(words.none_refused)))
    });
    let heads = [shared.time, shared.user, shared.outcome].map(|name| el("th").attr("scope", "col").text(name).into());
    el("section").class("card attempts").attr("aria-labelledby", "attempts-title").with(nodes![
        el("h2").attr("id", "attempts-title").text(shared.attempts),
        el("dl").class("tiles").with(nodes![
            figure(outcomes.held, |sale| sale.outcomes.held),
            figure(outcomes.seat_taken, |sale| sale.outcomes.seat_taken),
            figure(outcomes.not_enough_seats, |sale| sale.outcomes.not_enough_seats),
            figure(outcomes.limit_reached, |sale| sale.outcomes.limit_reached),
            figure(shared.repeat, |sale| sale.outcomes.repeat),
            figure(outcomes.paid, |sale| sale.outcomes.paid),
            figure(outcomes.cancelled, |sale| sale.outcomes.cancelled),
            figure(outcomes.expired, |sale| sale.outcomes.expired),
            figure(outcomes.refunded, |sale| sale.outcomes.refunded),
            figure(outcomes.late, |sale| sale.outcomes.late),
            figure(shared.calls, |sale| sale.calls),
        ]),
        el("h3").text(words.refused),
        empty,
        el("div").class("scroll").attr("role", "region").attr("aria-label", words.refused).attr("tabindex", "0").with(
            nodes![
                el("table").with(nodes![
                    el("thead").with(nodes![el("tr").with(heads.into())]),
                    el("tbody").with(nodes![rows]),
                ])
            ],
        ),
    ])
}

fn line(attempt: DeclinedAttempt) -> El {
    el("tr").with(nodes![
        el("td").with(nodes![moment(attempt.at, Style::Clock)]),
        el("td").class("who").attr("translate", "no").text(attempt.user),
        el("td").text((words().refused_as)(attempt.outcome)),
    ])
}
