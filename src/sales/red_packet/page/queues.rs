//! The two queues: what is still to be had drains, what is claimed fills.

use super::{Sale, Snapshot, ledger};
use crate::{
    nodes,
    sales::red_packet::words::words,
    ui::{
        draw,
        drawing::drawing,
        format::{count, money, percent},
        node::{El, el, live},
        platform::Surface,
    },
};

pub fn queues(sale: Sale) -> El {
    use leptos::prelude::WithUntracked;
    let words = words();
    let all = sale.snapshot.with_untracked(|sale| sale.count);
    let refunded = move || match sale.read(|sale| (sale.refunded, sale.refunded_cents)) {
        (0, _) => String::new(),
        (number, cents) => (words.refunded_line)(number, money(cents)),
    };
    let pending = Queue {
        title: words.pending,
        explained: words.pending_hint,
        class: "queue pending",
        colour: "--vermilion",
        held: |sale| sale.pending,
        cents: |sale| sale.pending_cents,
    };
    let claimed = Queue {
        title: words.claimed,
        explained: words.claimed_hint,
        class: "queue claimed",
        colour: "--gold",
        held: |sale| sale.claimed,
        cents: |sale| sale.claimed_cents,
    };
    el("section").class("card queues").attr("aria-labelledby", "queues-title").with(nodes![
        el("h2").attr("id", "queues-title").text(words.queues),
        el("div").class("pair").with(nodes![queue(sale, all, pending), queue(sale, all, claimed)]),
        el("p").class("legend").with(nodes![
            el("span").text((words.per_cell)(draw::per_cell(all))),
            el("span").with(nodes![live(refunded)]),
        ]),
        ledger::ledger(sale),
    ])
}

struct Queue {
    title: &'static str,
    explained: &'static str,
    class: &'static str,
    colour: &'static str,
    held: fn(&Snapshot) -> u64,
    cents: fn(&Snapshot) -> i64,
}

fn queue(sale: Sale, all: u64, Queue { title, explained, class, colour, held, cents }: Queue) -> El {
    let words = words();
    let held = move || sale.read(held);
    let cents = move || money(sale.read(cents));
    let draw = move |surface: &Surface| draw::queue(surface, all, held(), colour, "--cell");
    // As wide as it will ever be, so that what follows stands still.
    let width = ["--digits:", &count(all).len().to_string()].concat();
    el("div").class(class).with(nodes![
        el("h3").with(nodes![title, el("span").class("aside").text(explained)]),
        el("div").class("number").with(nodes![
            el("b").attr("style", width).with(nodes![live(move || count(held()))]),
            el("span").class("of").text((words.of)(count(all))),
        ]),
        el("div")
            .attr("role", "meter")
            .attr("aria-label", title)
            .attr("aria-valuemin", "0")
            .attr("aria-valuemax", all.to_string())
            .live("aria-valuenow", move || held().to_string())
            .live("aria-valuetext", move || (words.queue_text)(count(held()), count(all), cents()))
            .with(nodes![drawing("cells", draw)]),
        el("div").class("sub").with(nodes![
            el("span").class("money").with(nodes![live(cents)]),
            el("span").with(nodes![live(move || percent(held(), all))]),
        ]),
    ])
}
