//! The figures of a sale, each exact.

use super::Sale;
use crate::{
    ui::format::{count, money, tenths},
    words::words,
};
use leptos::prelude::*;

pub fn figures(sale: Sale) -> AnyView {
    let words = words();
    let luckiest = Memo::new(move |_| sale.snapshot.with(|sale| sale.luckiest.clone()));
    let lucky_amount = move || luckiest.with(|lucky| lucky.as_ref().map_or_else(|| "–".to_owned(), |lucky| money(lucky.cents)));
    let lucky_user = move || {
        luckiest.with(|lucky| match lucky {
            Some(lucky) => (words.luckiest_who)(lucky.user.clone(), count(lucky.packet.into())),
            None => words.luckiest_none.to_owned(),
        })
    };
    view! {
        <section class="card figures" aria-labelledby="figures-title">
            <h2 id="figures-title">{words.figures}</h2>
            <dl>
                {figure(words.total, sale.text(|sale| money(sale.total_cents)))}
                {figure(words.remaining, sale.text(|sale| money(sale.pending_cents)))}
                {figure(words.packets, sale.text(|sale| count(sale.count)))}
                {figure(words.attempts, sale.text(|sale| count(sale.outcomes.total())))}
                {figure(words.won, sale.text(|sale| count(sale.outcomes.won)))}
                {figure(words.repeat, sale.text(|sale| count(sale.outcomes.repeat)))}
                {figure(words.sold_out, sale.text(|sale| count(sale.outcomes.sold_out)))}
                {figure(words.expired, sale.text(|sale| count(sale.outcomes.expired)))}
                {figure(words.calls, sale.text(|sale| count(sale.calls)))}
                {figure(words.mean_batch, sale.text(|sale| mean_batch(sale.outcomes.total(), sale.calls)))}
                <div class="lucky">
                    <dt>{words.luckiest}</dt>
                    <dd><b>{lucky_amount}</b> <span class="who">{lucky_user}</span></dd>
                </div>
            </dl>
        </section>
    }
    .into_any()
}

/// A name and its figure, for a `<dl>`.
pub fn figure(name: &'static str, value: Signal<String>) -> AnyView {
    view! { <div><dt>{name}</dt><dd>{value}</dd></div> }.into_any()
}

fn mean_batch(attempts: u64, calls: u64) -> String {
    if calls == 0 { "–".to_owned() } else { tenths(attempts * 10 / calls) }
}
