//! The figures of a sale, each exact.

use super::{Sale, Snapshot};
use crate::{
    i18n, nodes,
    sales::red_packet::words::words,
    ui::{
        format::{count, money, tenths},
        node::{El, el, live},
        term::term,
    },
};

/// What stands where there is no figure yet.
const NONE: &str = "–";

pub fn figures(sale: Sale) -> El {
    let (words, shared) = (words(), i18n::words());
    let figure = |name: &'static str, read: fn(&Snapshot) -> String| term(name, nodes![sale.text(read)]);
    let amount = |sale: &Snapshot| sale.luckiest.as_ref().map_or_else(|| NONE.to_owned(), |lucky| money(lucky.cents));
    let who = move || match sale.read(|sale| sale.luckiest.clone()) {
        Some(lucky) => (words.luckiest_who)(lucky.user, count(lucky.packet.into())),
        None => words.luckiest_none.to_owned(),
    };
    el("section").class("card figures").attr("aria-labelledby", "figures-title").with(nodes![
        el("h2").attr("id", "figures-title").text(words.figures),
        el("dl").class("tiles").with(nodes![
            figure(words.total, |sale| money(sale.total_cents)),
            figure(words.remaining, |sale| money(sale.pending_cents)),
            figure(words.packets, |sale| count(sale.count)),
            figure(shared.attempts, |sale| count(sale.outcomes.total())),
            figure(words.won, |sale| count(sale.outcomes.won)),
            figure(shared.repeat, |sale| count(sale.outcomes.repeat)),
            figure(words.sold_out, |sale| count(sale.outcomes.sold_out)),
            figure(words.expired, |sale| count(sale.outcomes.expired)),
            figure(shared.calls, |sale| count(sale.calls)),
            figure(words.mean_batch, |sale| mean_batch(sale.outcomes.total(), sale.calls)),
            term(
                words.luckiest,
                nodes![el("b").with(nodes![sale.text(amount)]), el("span").class("who").with(nodes![live(who)]),]
            )
            .class("lucky"),
        ]),
    ])
}

fn mean_batch(attempts: u64, calls: u64) -> String {
    (attempts * 10).checked_div(calls).map_or_else(|| NONE.to_owned(), tenths)
}
