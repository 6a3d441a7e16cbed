//! An order's page, for whoever answers a call: its state, its seats, its history, and what can be done about it.

mod actions;
mod facts;
pub mod words;

use crate::{
    base_path::under_base,
    components::{
        Answered, Badge, CopyButton, Definition, EmptyPage, ErrorPage, FirstCall, LocalTime, Notice, ORDERS,
        OutageBanner, PageData, SaleLink, TimeStyle, Tone, UserLink, format::money, use_freshness, use_hydrated,
        use_id_in, use_page_search, use_polling,
    },
    i18n,
    ledger::query::LedgerQuery,
    people::{
        lag::{Lag, LagNotice},
        lines::Timeline,
    },
    ticket::{
        order::{
            actions::{Actions, Shown},
            facts::{OrderFacts, OrderQuery, OrderSeat, load},
            words::words,
        },
        order_sign::order_sign,
    },
};
use leptos::prelude::*;
use leptos_meta::Title;
use model::{
    error::{Code, Result},
    life::Currency,
    ticket::{INFO, OrderState},
};
use std::time::Duration;

/// How often the page is brought up to date.
const INTERVAL: Duration = Duration::from_secs(2);

/// `/orders/<order>`
#[component]
pub fn OrderPage() -> impl IntoView {
    let (order, address) = (use_id_in(ORDERS.to_owned()), use_page_search());
    let query = Memo::new(move |_| OrderQuery::parse(order.get(), &address.read()));
    let data = PageData::new(move || query.get(), load);
    let page = move |answer: Result<OrderFacts>| match answer {
        Ok(first) => view! { <OrderView query=query.get_untracked() first /> }.into_any(),
        Err(error) if error.code == Code::UnknownOrder => {
            let words = words();
            view! { <EmptyPage title=words.unknown sentence=words.unknown_hint subject=Some(order.get_untracked()) /> }
                .into_any()
        }
        Err(error) => view! { <ErrorPage code=error.code subject=Some(order.get_untracked()) /> }.into_any(),
    };
    view! { <Answered data children=page /> }
}

#[component]
fn OrderView(
    /// What the address asks for.
    query: OrderQuery,
    /// What was loaded with the page.
    first: OrderFacts,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let id = query.order.clone();
    let facts = RwSignal::new(first);
    let freshness = use_freshness(true);
    let asked = StoredValue::new(query);
    let reload = use_polling(
        INTERVAL,
        FirstCall::AfterInterval,
        move || load(asked.get_value()),
        move |answer| {
            freshness.note(&answer);
            if let Ok(answer) = answer {
                facts.set(answer);
            }
        },
    );
    let read = move |part: fn(&OrderFacts) -> Option<String>| Memo::new(move |_| facts.with(part));
    let (sale, user) = (read(|facts| Some(facts.sale.clone())), read(OrderFacts::user));
    let state = Memo::new(move |_| facts.with(OrderFacts::state));
    let cents = Memo::new(move |_| facts.with(OrderFacts::cents));
    let currency = Memo::new(move |_| facts.with(OrderFacts::currency));
    let held_until = Memo::new(move |_| {
        let held = facts.with(|facts| facts.now.clone()).filter(|order| order.state == OrderState::Held);
        held.map(|order| order.held_until)
    });
    let lag = Memo::new(move |_| facts.with(|facts| Lag::of(facts.status.as_ref())));
    let is_unrecorded = Memo::new(move |_| facts.with(|facts| facts.rows.is_empty()));
    let absence = Memo::new(move |_| facts.with(|facts| facts.absence));
    let seats = Memo::new(move |_| facts.with(OrderFacts::seats));
    let is_live = Memo::new(move |_| facts.with(OrderFacts::is_live));
    let selected = RwSignal::new(Vec::new());
    let rows = Memo::new(move |_| facts.with(|facts| facts.rows.clone()));
    let is_partial = Memo::new(move |_| facts.with(|facts| facts.is_partial));
    let badge = move || {
        state.get().map(|state| {
            let (tone, icon) = order_sign(state);
            view! { <Badge tone icon text=(words.state)(state) /> }
        })
    };
    let all_rows = {
        let id = id.clone();
        move || under_base(LedgerQuery::of_order(&sale.get().unwrap_or_default(), id.clone()).url())
    };
    view! {
        <Title text=words.title />
        <main id="main" class="person" tabindex="-1">
            <div class="intro">
                <h1>{words.title}</h1>
                <p class="bar">
                    <code translate="no">{id.clone()}</code>
                    <CopyButton label=words.copy_id text=id />
                </p>
            </div>
            <OutageBanner outage=freshness.outage() />
            <LagNotice lag />
            <Show when=move || is_unrecorded.get()>
                <Notice>{words.unrecorded}</Notice>
            </Show>
            {move || absence.get().map(|code| view! { <Notice>{words.not_in_redis} " " {(shared.load_error)(code)}</Notice> })}
            <section class="card" aria-labelledby="state-title">
                <div class="bar">
                    <h2 id="state-title">{words.now}</h2>
                    {badge}
                </div>
                <dl class="tiles">
                    <Definition term=shared.sale>
                        {move || sale.get().map(|sale| view! { <SaleLink kind=INFO.id sale with_name=true /> })}
                    </Definition>
                    {move || user.get().map(|user| view! { <Definition term=shared.user><UserLink user /></Definition> })}
                    <Definition term=words.total>{move || money(cents.get(), currency.get())}</Definition>
                    {move || {
                        held_until
                            .get()
                            .map(|at| {
                                view! {
                                    <Definition term=words.held_until>
                                        <LocalTime at style=TimeStyle::Full />
                                    </Definition>
                                }
                            })
                    }}
                </dl>
                <Actions shown=Shown { facts, selected, reload } />
            </section>
            <section class="card" aria-labelledby="seats-title">
                <h2 id="seats-title">{words.seats}</h2>
                {move || seats_table(seats.get(), currency.get(), is_live.get().then_some(selected))}
            </section>
            <section class="card" aria-labelledby="history-title">
                <div class="bar">
                    <h2 id="history-title">{words.history}</h2>
                    <a href=all_rows>{words.in_ledger}</a>
                </div>
                <Show when=move || is_partial.get()>
                    <Notice>{words.is_partial}</Notice>
                </Show>
                <Timeline rows without_sale=true without_order=true />
            </section>
        </main>
    }
}

/// Shows the seats. While an order has several, they can be selected.
fn seats_table(seats: Vec<OrderSeat>, currency: Currency, selected: Option<RwSignal<Vec<String>>>) -> impl IntoView {
    let (words, hydrated) = (words(), use_hydrated());
    let selected = selected.filter(|_| seats.iter().filter(|seat| !seat.is_returned).count() > 1);
    let cell = move |selected: RwSignal<Vec<String>>, seat: String, is_returned: bool| {
        let name = seat.clone();
        let select = move |is_on: bool| {
            selected.update(|selected| {
                selected.retain(|other| *other != seat);
                if is_on {
                    selected.push(seat.clone());
                }
            });
        };
        let is_on = {
            let seat = name.clone();
            move || selected.with(|selected| selected.contains(&seat))
        };
        let label = (words.select_seat)(name);
        view! {
            <td class="tick">
                {(!is_returned)
                    .then(|| {
                        view! {
                            <input
                                type="checkbox"
                                aria-label=label
                                disabled=move || !hydrated.get()
                                prop:checked=is_on
                                on:change:target=move |event| select(event.target().checked())
                            />
                        }
                    })}
            </td>
        }
    };
    let row = move |OrderSeat { seat, cents, holder, is_returned }: OrderSeat| {
        let name = seat.clone();
        view! {
            <tr>
                {selected.map(|selected| cell(selected, seat, is_returned))}
                <td>
                    <span translate="no">{name}</span>
                    {is_returned
                        .then(|| view! { " " <Badge tone=Tone::Neutral icon=icondata_lu::LuRotateCcw text=words.returned /> })}
                </td>
                <td translate="no">{holder}</td>
                <td class="figure">{cents.map(|cents| money(cents, currency))}</td>
            </tr>
        }
    };
    view! {
        <table>
            <thead>
                <tr>
                    {selected
                        .map(|_| {
                            view! {
                                <th scope="col" class="tick">
                                    <span class="unseen">{words.select}</span>
                                </th>
                            }
                        })}
                    <th scope="col">{words.seat}</th>
                    <th scope="col">{words.holder}</th>
                    <th scope="col" class="figure">
                        {words.price}
                    </th>
                </tr>
            </thead>
            <tbody>{seats.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
}
