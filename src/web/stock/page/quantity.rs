//! The stage: the quantity that is left, how long it stays in Redis, the quantity in the ledger, and what is on the way
//! between them.

use crate::{
    components::{
        Badge, Meter, Tone,
        format::{NO_VALUE, count, countdown},
    },
    i18n,
    stock::{
        page::{
            Sale,
            chart::{Point, QuantityChart},
        },
        words::{signed, words},
    },
};
use leptos::prelude::*;

/// In milliseconds.
const SECOND: u64 = 1_000;

/// Both quantities and their course.
#[component]
pub fn Quantities(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// What the page has seen of both.
    course: RwSignal<Vec<Point>>,
    /// The instant that the reader points at on any chart of the page.
    pointer: RwSignal<Option<f64>>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let low = Memo::new(move |_| {
        sale.read(|sale| {
            // That more was confirmed than there was says so, too.
            let mark = sale.low_mark.filter(|mark| sale.left <= *mark && sale.oversold == 0)?;
            Some((words.low)(count(mark), sale.crossings))
        })
    });
    let oversold =
        Memo::new(move |_| sale.read(|sale| (sale.oversold > 0).then(|| (words.oversold)(count(sale.oversold)))));
    let paused = Memo::new(move |_| sale.read(|sale| sale.paused_ms));
    let is_paused = Memo::new(move |_| paused.get().is_some());
    view! {
        <section class="card stock-stage" aria-labelledby="quantity-title" data-figures="top">
            <h2 id="quantity-title" class="stage-heading">{words.stage}</h2>
            <div class="quantities">
                <Left sale />
                <TimeToLive sale />
                <Recorded sale />
            </div>
            <div class="warnings">
                <p role="status">{oversold}</p>
                <p role="status">{low}</p>
                // The countdown is not announced each second.
                <p>
                    <span role="status">{move || is_paused.get().then_some(words.is_paused)}</span>
                    " "
                    <span role="timer">{move || paused.get().map(|ms| (words.resumes_in)(countdown(ms, shared.days)))}</span>
                </p>
            </div>
            <QuantityChart course pointer />
        </section>
    }
    .into_any()
}

/// What is left, and whether Redis has it cached.
#[component]
fn Left(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let words = words();
    let cached = Memo::new(move |_| sale.read(|sale| sale.cached));
    let left = Memo::new(move |_| sale.read(|sale| sale.left));
    let is_cached = Memo::new(move |_| cached.get().is_some());
    let badge = || view! { <Badge tone=Tone::Neutral icon=icondata_lu::LuDatabase text=words.not_cached /> };
    let held = Memo::new(move |_| sale.read(|sale| sale.held.map(|held| (words.held)(count(held)))));
    let hint = move || if sale.is_closed.get() { "" } else { words.not_cached_hint };
    view! {
        <div class="gauge cached">
            <h3>{words.left}</h3>
            <p class="number">{move || count(left.get())}</p>
            <Meter
                label=words.in_redis
                value=Signal::derive(move || cached.get().unwrap_or(0))
                max=Signal::derive(move || sale.read(|sale| sale.units.added()))
                text=Signal::derive(move || cached.get().map_or_else(|| words.not_cached.to_owned(), count))
            />
            <p class="hint">{move || (!is_cached.get()).then(|| view! { {badge()} <span>{hint}</span> })}</p>
            {move || held.get().map(|held| view! { <p class="hint">{held}</p> })}
        </div>
    }
}

/// How long it stays cached.
#[component]
fn TimeToLive(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let (ttl_ms, renewed) = sale.snapshot.with_untracked(|sale| {
        let ttl_ms = sale.ttl_s * SECOND;
        (ttl_ms, (words.renewed)(countdown(ttl_ms, shared.days)))
    });
    let left = Memo::new(move |_| sale.read(|sale| sale.ttl_ms));
    view! {
        <Gauge
            class="ttl"
            label=words.time_to_live
            value=Signal::derive(move || left.get().unwrap_or(0))
            max=Signal::derive(move || ttl_ms)
            text=Signal::derive(move || left.get().map_or_else(|| NO_VALUE.to_owned(), |ms| countdown(ms, shared.days)))
            hint=Signal::derive(move || renewed.clone())
        />
    }
}

/// The quantity in the ledger, and what is on the way to it.
#[component]
fn Recorded(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let words = words();
    let recorded = Memo::new(move |_| sale.read(|sale| sale.ledger));
    let pending = Memo::new(move |_| sale.read(|sale| sale.pending));
    let value = move || u64::try_from(recorded.get().unwrap_or(0)).unwrap_or(0);
    view! {
        <Gauge
            class="recorded"
            label=words.in_ledger
            value=Signal::derive(value)
            max=Signal::derive(move || sale.read(|sale| sale.units.added()))
            text=Signal::derive(move || if recorded.get().is_some() { count(value()) } else { words.unknown.to_owned() })
            hint=Signal::derive(move || match pending.get() {
                Some(0) => words.up_to_date.to_owned(),
                Some(pending) => (words.on_the_way)(signed(pending)),
                None => String::new(),
            })
        />
    }
}

/// A figure, a bar that compares it with its maximum, and a hint.
#[component]
fn Gauge(
    /// The class that tells this gauge from the others.
    class: &'static str,
    /// The heading, and the name of the bar.
    label: &'static str,
    /// How long the bar is, of `max`.
    value: Signal<u64>,
    /// The value of a full bar.
    max: Signal<u64>,
    /// The figure, as it is read.
    text: Signal<String>,
    /// A sentence about it; may be empty.
    hint: Signal<String>,
) -> impl IntoView {
    view! {
        <div class=format!("gauge {class}")>
            <h3>{label}</h3>
            <p class="number">{text}</p>
            <Meter label value max text />
            <p class="hint">{hint}</p>
        </div>
    }
}
