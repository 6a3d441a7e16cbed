//! An order's page, for whoever answers a call: its state, its seats, its history, and what can be done about it.

mod facts;
pub mod words;

use crate::{
    base_path::under_base,
    components::{
        Alert, Answered, Badge, ConfirmButton, ConfirmWords, CopyButton, Definition, EmptyPage, ErrorPage, FirstCall,
        FormErrors, LocalTime, Notice, ORDERS, OutageBanner, PageData, SaleLink, TimeStyle, UserLink, focus_next_frame,
        format::money, use_freshness, use_id_in, use_page_search, use_polling,
    },
    i18n,
    ledger::query::LedgerQuery,
    people::{
        lag::{Lag, LagNotice},
        lines::Timeline,
    },
    ticket::{
        api,
        order::{
            facts::{OrderFacts, OrderQuery, OrderSeat, load},
            words::words,
        },
        order_sign::order_sign,
    },
};
use leptos::{html, prelude::*};
use leptos_meta::Title;
use model::{
    error::{Code, Result},
    life::Currency,
    ticket::{Cancelled, INFO, Order, OrderState},
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

/// The order on the page.
#[derive(Clone, Copy)]
struct Shown {
    facts: RwSignal<OrderFacts>,
    /// Loads it again.
    reload: Callback<()>,
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
                <Actions shown=Shown { facts, reload } />
            </section>
            <section class="card" aria-labelledby="seats-title">
                <h2 id="seats-title">{words.seats}</h2>
                {move || seats_table(seats.get(), currency.get())}
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

fn seats_table(seats: Vec<OrderSeat>, currency: Currency) -> impl IntoView {
    let words = words();
    let row = |OrderSeat { seat, cents, holder }: OrderSeat| {
        view! {
            <tr>
                <td translate="no">{seat}</td>
                <td translate="no">{holder}</td>
                <td class="figure">{cents.map(|cents| money(cents, currency))}</td>
            </tr>
        }
    };
    view! {
        <table>
            <thead>
                <tr>
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

/// Shows what an operator can do about the order as it is in Redis, each after a question.
#[component]
fn Actions(
    /// The order on the page.
    shown: Shown,
) -> impl IntoView {
    let words = words();
    let Shown { facts, reload } = shown;
    let errors = FormErrors::default();
    let done = NodeRef::<html::P>::new();
    let result = RwSignal::new(None::<&'static str>);
    let state = Memo::new(move |_| facts.with(|facts| facts.now.as_ref().map(|order| order.state)));
    let cost = Memo::new(move |_| facts.with(|facts| money(facts.cents(), facts.currency())));
    let end = Action::new(move |(): &()| {
        let (sale, order) = facts.with_untracked(|facts| (facts.sale.clone(), facts.order.clone()));
        async move {
            let answer = api::cancel(sale, order, None).await;
            // The page may be left by now.
            if facts.is_disposed() {
                return;
            }
            match answer {
                Ok(answer) => {
                    let (sentence, order) = ended(answer);
                    result.set(Some(sentence));
                    facts.update(|facts| facts.now = Some(order));
                    focus_next_frame(done);
                    reload.run(());
                }
                Err(error) => errors.set(Some(error)),
            }
        }
    });
    let on_confirm = move || {
        errors.clear();
        end.dispatch(());
    };
    let button = move |label, question: Signal<String>| {
        let confirm = ConfirmWords { label, yes: words.confirm, no: words.leave };
        view! { <ConfirmButton words=confirm question pending=end.pending() on_confirm /> }
    };
    let refund_question = Signal::derive(move || (words.refund_question)(cost.get()));
    view! {
        <div class="order-actions">
            {move || match state.get() {
                Some(OrderState::Held) => Some(button(words.release, words.release_question.to_owned().into())),
                Some(OrderState::Paid) => Some(button(words.refund, refund_question)),
                _ => None,
            }}
            <Alert errors />
            <p role="status" tabindex="-1" node_ref=done>
                {result}
            </p>
        </div>
    }
}

/// Returns the sentence for what was done, and the order as it is now.
fn ended(answer: Cancelled) -> (&'static str, Order) {
    let words = words();
    match answer {
        Cancelled::Cancelled(order) => (words.released, order),
        Cancelled::Refunded(order) => (words.refunded, order),
        Cancelled::Repeat(order) => (words.was_over, order),
    }
}
