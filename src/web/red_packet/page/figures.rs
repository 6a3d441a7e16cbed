//! The figures of a sale, all exact.

use crate::{
    components::{
        Definition,
        format::{NO_VALUE, count, tenths},
    },
    i18n, life,
    red_packet::{page::Sale, words::words},
};
use leptos::prelude::*;

/// Shows money, packets, attempts by outcome, and the luckiest user.
#[component]
pub fn Figures(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let (words, shared, life) = (words(), i18n::words(), life::words());
    let luckiest = Memo::new(move |_| sale.read(|sale| sale.luckiest.clone()));
    let largest = move || {
        luckiest.with(|claim| claim.as_ref().map_or_else(|| NO_VALUE.to_owned(), |claim| sale.money(claim.cents)))
    };
    let winner = move || match luckiest.get() {
        Some(claim) => (words.luckiest_who)(claim.user, count(claim.packet.into())),
        None => words.luckiest_none.to_owned(),
    };
    view! {
        <section class="card figures" aria-labelledby="figures-title">
            <h2 id="figures-title">{words.figures}</h2>
            <dl class="tiles">
                <Definition term=words.total>{move || sale.money(sale.read(|sale| sale.total_cents))}</Definition>
                <Definition term=words.remaining>{move || sale.money(sale.read(|sale| sale.pending_cents))}</Definition>
                <Definition term=words.packets>{move || sale.read(|sale| count(sale.count))}</Definition>
                <Definition term=shared.attempts>{move || sale.read(|sale| count(sale.outcomes.total()))}</Definition>
                <Definition term=words.won>{move || sale.read(|sale| count(sale.outcomes.won))}</Definition>
                <Definition term=shared.repeat>{move || sale.read(|sale| count(sale.outcomes.repeat))}</Definition>
                <Definition term=words.sold_out>{move || sale.read(|sale| count(sale.outcomes.sold_out))}</Definition>
                <Definition term=words.expired>{move || sale.read(|sale| count(sale.outcomes.expired))}</Definition>
                <Definition term=words.closed>{move || sale.read(|sale| count(sale.outcomes.closed))}</Definition>
                <Definition term=life.not_open>{move || sale.read(|sale| count(sale.outcomes.not_open))}</Definition>
                <Definition term=life.paused>{move || sale.read(|sale| count(sale.outcomes.paused))}</Definition>
                <Definition term=shared.calls>{move || sale.read(|sale| count(sale.calls))}</Definition>
                <Definition term=words.mean_batch>
                    {move || sale.read(|sale| mean_batch(sale.outcomes.total(), sale.calls))}
                </Definition>
                <Definition term=words.luckiest class="lucky">
                    <b>{largest}</b>
                    <span class="who">{winner}</span>
                </Definition>
            </dl>
        </section>
    }
    .into_any()
}

fn mean_batch(attempts: u64, calls: u64) -> String {
    (attempts * 10).checked_div(calls).map_or_else(|| NO_VALUE.to_owned(), tenths)
}
