//! The stage: the quantity in Redis and in the ledger, what is on the way between them, and who has loaded it.

use super::{Sale, chart::Course};
use crate::{
    components::{
        Definition, LocalTime, TimeStyle,
        format::{count, countdown},
    },
    i18n,
    sales::stock::{
        Rebuild, Snapshot,
        words::{signed, words},
    },
};
use leptos::prelude::*;

/// Both quantities, their course, and the counts.
#[component]
pub fn Quantities(sale: Sale) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let cached = move || sale.read(|sale| sale.cached.map_or_else(|| words.not_cached.to_owned(), count));
    let ledger = move || {
        sale.read(|sale| {
            sale.ledger.map_or_else(|| words.unknown.to_owned(), |left| count(u64::try_from(left).unwrap_or(0)))
        })
    };
    let pending = move || sale.read(|sale| sale.pending.map_or_else(|| words.unknown.to_owned(), signed));
    let life = move || {
        sale.read(|sale| match (sale.cached, sale.ttl_ms) {
            (Some(_), Some(ms)) => (words.expires_in)(countdown(ms, shared.days)),
            _ => words.not_cached_hint.to_owned(),
        })
    };
    let low = Memo::new(move |_| {
        sale.read(|sale| {
            let mark = sale.low_mark.filter(|mark| sale.left <= *mark)?;
            Some((words.low)(count(mark), count(sale.crossings)))
        })
    });
    let paused = Memo::new(move |_| sale.read(|sale| sale.paused_ms));
    let figure = move |term: &'static str, read: fn(&Snapshot) -> u64| {
        view! { <Definition term>{move || count(sale.snapshot.with(read))}</Definition> }
    };
    view! {
        <section class="card stock-stage" aria-labelledby="quantity-title">
            <h2 id="quantity-title">{words.stage}</h2>
            <dl class="figures-of-three">
                <Definition term=words.in_redis>
                    <b class="cached">{cached}</b>
                </Definition>
                <Definition term=words.in_ledger>
                    <b class="recorded">{ledger}</b>
                </Definition>
                <Definition term=words.on_the_way>
                    <b class="pending">{pending}</b>
                </Definition>
            </dl>
            <p class="life">{life}</p>
            <p class="warning" role="status">
                {low}
            </p>
            <p class="warning" role="status">
                {move || paused.get().map(|ms| (words.paused_for)(countdown(ms, shared.days)))}
            </p>
            <Course sale />
            <dl class="tiles">
                {figure(words.deducted, |sale| sale.units.deducted)}
                {figure(words.returned, |sale| sale.units.returned)}
                {figure(words.restocked, |sale| sale.units.restocked)}
                <Definition term=words.corrected>{move || sale.read(|sale| signed(sale.units.corrected))}</Definition>
            </dl>
            <Rebuilds sale />
        </section>
    }
    .into_any()
}

/// The newest times at which the quantity was loaded.
#[component]
fn Rebuilds(sale: Sale) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let rebuilt = Memo::new(move |_| sale.read(|sale| sale.rebuilt.clone()));
    let title = move || format!("{} ({})", words.rebuilds, sale.read(|sale| count(sale.rebuilds)));
    view! {
        <h3>{title}</h3>
        <Show when=move || rebuilt.with(Vec::is_empty)>
            <p class="empty">{words.no_rebuilds}</p>
        </Show>
        <div class="scroll" role="region" aria-label=words.rebuilds tabindex="0">
            <table>
                <thead>
                    <tr>
                        <th scope="col">{shared.time}</th>
                        <th scope="col">{words.server}</th>
                        <th scope="col" class="figure">
                            {words.left}
                        </th>
                    </tr>
                </thead>
                <tbody>
                    <For
                        each=move || rebuilt.get()
                        key=|rebuild| (rebuild.at, rebuild.server.clone(), rebuild.quantity)
                        children=rebuild_row
                    />
                </tbody>
            </table>
        </div>
    }
}

fn rebuild_row(rebuild: Rebuild) -> impl IntoView {
    view! {
        <tr>
            <td>
                <LocalTime at=rebuild.at style=TimeStyle::Clock />
            </td>
            <td translate="no">{rebuild.server}</td>
            <td class="figure">{count(rebuild.quantity)}</td>
        </tr>
    }
}
