//! The two queues: what is still to be had drains, what is claimed fills.

use super::Sale;
use crate::{
    ui::{
        draw,
        drawing::drawing,
        format::{count, money, percent},
        platform::Surface,
    },
    words::words,
};
use leptos::prelude::*;

pub fn queues(sale: Sale) -> AnyView {
    let words = words();
    let all = sale.snapshot.with_untracked(|sale| sale.count);
    let cell = (words.per_cell)(draw::per_cell(all));
    let refunded = move || {
        let (refunded, cents) = sale.snapshot.with(|sale| (sale.refunded, sale.refunded_cents));
        (refunded > 0).then(|| (words.refunded_line)(refunded, money(cents)))
    };
    view! {
        <section class="card queues" aria-labelledby="queues-title">
            <h2 id="queues-title">{words.queues}</h2>
            <div class="pair">
                {queue(Queue {
                    title: words.pending,
                    explained: words.pending_means,
                    class: "queue pending",
                    colour: "--vermilion",
                    held: sale.number(|sale| sale.pending),
                    of: all,
                    money: sale.text(|sale| money(sale.pending_cents)),
                })}
                {queue(Queue {
                    title: words.claimed,
                    explained: words.claimed_means,
                    class: "queue claimed",
                    colour: "--gold",
                    held: sale.number(|sale| sale.claimed),
                    of: all,
                    money: sale.text(|sale| money(sale.claimed_cents)),
                })}
            </div>
            <p class="legend"><span>{cell}</span> <span class="refunded">{refunded}</span></p>
        </section>
    }
    .into_any()
}

struct Queue {
    title: &'static str,
    explained: &'static str,
    class: &'static str,
    colour: &'static str,
    held: Signal<u64>,
    of: u64,
    money: Signal<String>,
}

fn queue(Queue { title, explained, class, colour, held, of, money }: Queue) -> AnyView {
    let words = words();
    let figures = move || (words.queue_text)(count(held.get()), count(of), money.get());
    let share = move || percent(held.get(), of);
    // As wide as it will ever be, so that what follows stands still.
    let width = ["--digits:", &count(of).len().to_string()].concat();
    let draw = move |surface: &Surface| {
        draw::queue(surface, of, held.get(), colour, "--cell");
    };
    view! {
        <div class=class>
            <h3>{title} <span class="aside">{explained}</span></h3>
            <div class="number"><b style=width>{move || count(held.get())}</b> <span class="of">{(words.of)(count(of))}</span></div>
            <div
                role="meter"
                aria-label=title
                aria-valuemin="0"
                aria-valuemax=of.to_string()
                aria-valuenow=move || held.get().to_string()
                aria-valuetext=figures
            >
                {drawing("cells", draw)}
            </div>
            <div class="sub"><span class="money">{money}</span> <span>{share}</span></div>
        </div>
    }
    .into_any()
}
