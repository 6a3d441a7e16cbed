//! How attempts went: counted exactly, and a sample of those that changed nothing.

use super::Sale;
use crate::{
    nodes,
    sales::ticket::{DeclinedAttempt, Snapshot},
    ui::{
        format::count,
        moment::moment,
        node::{El, each, el, item, live, maybe},
        platform::Style,
        term::term,
    },
    words::{ticket::ticket_words, words},
};
use leptos::prelude::*;

pub fn attempts(sale: Sale) -> El {
    let (words, all) = (ticket_words(), words());
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
        empty.then(|| item("empty", move || el("p").class("empty").text(words.nobody_refused)))
    });
    let heads = [all.time, all.user, all.outcome].map(|name| el("th").attr("scope", "col").text(name).into());
    el("section").class("card attempts").attr("aria-labelledby", "attempts-title").with(nodes![
        el("h2").attr("id", "attempts-title").text(all.attempts),
        el("dl").class("tiles").with(nodes![
            figure(words.got_held, |sale| sale.outcomes.held),
            figure(words.got_taken, |sale| sale.outcomes.seat_taken),
            figure(words.got_not_enough, |sale| sale.outcomes.not_enough_seats),
            figure(words.got_limit, |sale| sale.outcomes.limit_reached),
            figure(all.repeat, |sale| sale.outcomes.repeat),
            figure(words.paid, |sale| sale.outcomes.paid),
            figure(words.cancelled, |sale| sale.outcomes.cancelled),
            figure(words.expired, |sale| sale.outcomes.expired),
            figure(words.refunded, |sale| sale.outcomes.refunded),
            figure(words.late, |sale| sale.outcomes.late),
            figure(all.calls, |sale| sale.calls),
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
        el("td").text((ticket_words().declined)(attempt.outcome)),
    ])
}
