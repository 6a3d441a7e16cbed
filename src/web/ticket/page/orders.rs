//! The reader's orders: their seats, their remaining time and the actions on them.

mod part;

use crate::{
    base_path::under_base,
    components::{
        Alert, Badge, Button, ConfirmButton, ConfirmWords, FormErrors, Icon, LoadAlert, LocalTime, TimeStyle,
        hand_focus_on, order_url, use_entry, use_focus_handover,
    },
    i18n, life,
    ticket::{
        api,
        order_sign::order_sign,
        page::{Sale, map::Handle, orders::part::PartChoice},
        words::words,
    },
};
use leptos::{html, prelude::*};
use model::{
    Millis,
    error::Result,
    ticket::{Cancelled, Order, OrderState, Paid},
};

/// Shows the reader's orders, newest first.
#[component]
pub fn Orders(
    /// The sale, which holds the reader's orders.
    sale: Sale,
    /// Shows the seats of an order.
    map: Handle,
) -> impl IntoView {
    let words = words();
    let errors = FormErrors::default();
    let orders = sale.my_orders;
    let title = NodeRef::<html::H2>::new();
    look_up_when_due(sale);
    view! {
        <section class="card" aria-labelledby="my-orders-title">
            <h2 id="my-orders-title" tabindex="-1" node_ref=title>
                {words.orders}
            </h2>
            <Alert errors attempt=true />
            <LoadAlert error=orders.error />
            <Show when=move || orders.list.with(Vec::is_empty)>
                <p class="empty">{words.orders_empty}</p>
            </Show>
            <ul class="order-list" aria-live="polite">
                <For
                    each=move || orders.list.get()
                    key=|order| order.order.clone()
                    children=move |order| view! { <OrderCard sale map errors title order /> }
                />
            </ul>
        </section>
    }
}

/// Looks up orders whose time is over: the server ends them by itself, within about a second.
fn look_up_when_due(sale: Sale) {
    const BETWEEN: Millis = 2_000;
    let asked = StoredValue::new(0);
    Effect::new(move || {
        let now = sale.now.get();
        if now == 0 || sale.holds_stand.get() || (now - asked.get_value()).abs() < BETWEEN {
            return;
        }
        let is_due = |order: &&Order| order.state == OrderState::Held && order.held_until <= now;
        let due: Vec<String> = sale
            .my_orders
            .list
            .with_untracked(|orders| orders.iter().filter(is_due).map(|order| order.order.clone()).collect());
        if !due.is_empty() {
            asked.set_value(now);
            due.into_iter().for_each(|order| sale.my_orders.look_up(order));
        }
    });
}

#[component]
fn OrderCard(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// Shows the seats of the order.
    map: Handle,
    /// The errors of all orders.
    errors: FormErrors,
    /// The heading of all orders; it gets the focus from one that is dismissed.
    title: NodeRef<html::H2>,
    /// One of the reader's orders.
    order: Order,
) -> impl IntoView {
    let words = words();
    let id = order.order.clone();
    let order = use_entry(order, {
        let id = id.clone();
        move || sale.my_orders.list.with(|list| list.iter().find(|order| order.order == id).cloned())
    });
    let (card, buttons, told) = (NodeRef::<html::Li>::new(), NodeRef::<html::Div>::new(), NodeRef::<html::P>::new());
    // A part of it may come back, and a pause that stops the time of holds moves its deadline, as an extension does.
    let order = use_focus_handover(order, buttons, told);
    let state = Memo::new(move |_| order.with(|order| order.state));
    let badge = move || {
        let state = state.get();
        let (tone, icon) = order_sign(state);
        view! { <Badge tone icon text=(words.order_state)(state) /> }
    };
    let class = move || match state.get() {
        OrderState::Held => "order held",
        OrderState::Paid => "order paid",
        OrderState::Cancelled | OrderState::Expired | OrderState::Refunded => "order over",
    };
    let link = id.clone();
    let places = move || order.with(|order| order.seats.iter().filter_map(|name| sale.seat_number(name)).collect());
    let seat = |seat| {
        view! {
            <li class="ticket" translate="no">
                {seat}
            </li>
        }
    };
    let is_split = move || order.with(|order| order.together == Some(false) && !order.state.is_over());
    let actions = move || {
        let (id, order) = (id.clone(), order.get());
        let has_parts = order.seats.len() > 1 && !order.state.is_over();
        let part = has_parts.then(|| view! { <PartChoice sale errors order=order.clone() /> });
        let actions = match order.state {
            OrderState::Held => view! { <HeldActions sale errors order /> }.into_any(),
            OrderState::Paid => {
                view! { <EndButton sale errors id label=words.return_tickets question=words.return_question /> }
                    .into_any()
            }
            OrderState::Cancelled | OrderState::Expired | OrderState::Refunded => {
                let dismiss = move || hand_focus_on(card, title, || sale.my_orders.dismiss(&id));
                view! { <Button on_click=dismiss>{words.dismiss}</Button> }.into_any()
            }
        };
        view! {
            {actions}
            {part}
        }
        .into_any()
    };
    view! {
        <li class=class node_ref=card>
            <div class="bar">
                {badge}
                <b class="cents">{move || sale.live.money(order.with(|order| order.cents))}</b>
                <Button class="quiet" on_click=move || map.show(places())>
                    {words.show_on_map}
                </Button>
                <a href=under_base(order_url(&link, Some(&sale.id())))>{words.details}</a>
            </div>
            <ul class="order-seats">{move || order.get().seats.into_iter().map(seat).collect_view()}</ul>
            <Show when=is_split>
                <p class="aside">{words.split_seats}</p>
            </Show>
            <p tabindex="-1" node_ref=told>
                {move || (words.order_hint)(state.get())}
            </p>
            <div class="order-buttons" node_ref=buttons>
                {actions}
            </div>
        </li>
    }
}

/// Shows the countdown of a held order, and the actions until its end.
#[component]
fn HeldActions(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// The errors of all orders.
    errors: FormErrors,
    /// The order as it is now.
    order: Order,
) -> impl IntoView {
    let words = words();
    let Order { order: id, cents, held_until, extendable, .. } = order;
    view! {
        <div class="held-actions">
            <Countdown sale held_until />
            <div class="actions">
                <PayButton sale errors id=id.clone() cents held_until />
                {extendable
                    .then(|| {
                        let id = id.clone();
                        view! { <ExtendButton sale errors id held_until /> }
                    })}
                <EndButton sale errors id label=words.cancel question=words.cancel_question />
            </div>
        </div>
    }
}

/// Shows the remaining time of a held order.
#[component]
fn Countdown(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// The time at which the order expires unless it is paid, in epoch milliseconds.
    held_until: Millis,
) -> impl IntoView {
    /// The remaining time from which the countdown is urgent.
    const URGENT: Millis = 60_000;
    let is_urgent = move || !sale.holds_stand.get() && sale.now.get() > held_until - URGENT;
    let left = move || match sale.now.get() {
        0 => None,
        _ if sale.holds_stand.get() => Some(life::words().time_stands.to_owned()),
        now if now >= held_until => Some(words().time_is_over.to_owned()),
        _ => Some((i18n::words().time_left)(sale.time_left(held_until))),
    };
    view! {
        <p class="countdown" class:urgent=is_urgent role="timer">
            <Icon icon=icondata_lu::LuClock />
            <span>
                {left}
                // While there is no clock, or without JavaScript.
                <Show when=move || sale.now.get() == 0>
                    <LocalTime at=held_until style=TimeStyle::Clock />
                </Show>
            </span>
        </p>
    }
}

/// Returns whether the time of a held order is over.
fn is_over(sale: Sale, held_until: Millis) -> Signal<bool> {
    Signal::derive(move || !sale.holds_stand.get() && sale.now.get() >= held_until)
}

/// Shows the button that pays an order.
#[component]
fn PayButton(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// The errors of all orders.
    errors: FormErrors,
    /// The id of the order.
    id: String,
    /// The price of the order.
    cents: i64,
    /// The time at which it expires unless it is paid, in epoch milliseconds.
    held_until: Millis,
) -> impl IntoView {
    let is_over = is_over(sale, held_until);
    let pay = Action::new(move |(): &()| {
        // One payment, however often the button is pressed: without a request id, its order identifies it.
        let answer = api::pay(sale.id(), id.clone(), None);
        let order = |(Paid::Paid(order) | Paid::Repeat(order) | Paid::Refunded(order))| order;
        async move { take(answer.await.map(|answer| order(answer.outcome)), sale, errors) }
    });
    let on_pay = move || {
        errors.clear();
        pay.dispatch(());
    };
    view! {
        <Button class="strong" disabled=is_over pending=pay.pending() on_click=on_pay>
            {(words().pay)(sale.live.money(cents))}
        </Button>
    }
}

/// Shows the button that extends the hold of an order.
#[component]
fn ExtendButton(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// The errors of all orders.
    errors: FormErrors,
    /// The id of the order.
    id: String,
    /// The time at which it expires unless it is paid, in epoch milliseconds.
    held_until: Millis,
) -> impl IntoView {
    let is_over = is_over(sale, held_until);
    let extend = Action::new(move |(): &()| {
        // One extension, however often the button is pressed, as with payments.
        let answer = api::extend(sale.id(), id.clone(), None, None);
        async move { take(answer.await.map(|answer| answer.outcome.order()), sale, errors) }
    });
    let on_extend = move || {
        errors.clear();
        extend.dispatch(());
    };
    view! {
        <Button disabled=is_over pending=extend.pending() on_click=on_extend>
            {words().extend}
        </Button>
    }
}

/// Shows the newest held order, within reach on a small screen: its remaining time and its payment.
#[component]
pub fn PayBar(
    /// The sale, which holds the reader's orders.
    sale: Sale,
    /// Another bar has its place now.
    #[prop(into)]
    gives_way: Signal<bool>,
) -> impl IntoView {
    let errors = FormErrors::default();
    let held = move || {
        let list = sale.my_orders.list.read();
        let held = list.iter().find(|order| order.state == OrderState::Held).filter(|_| !gives_way.get());
        held.map(|order| (order.order.clone(), order.cents, order.held_until))
    };
    let bar = move |(id, cents, held_until)| {
        view! {
            <div class="at-hand">
                <Countdown sale held_until />
                <PayButton sale errors id cents held_until />
                <Alert errors attempt=true />
            </div>
        }
    };
    view! { <For each=held key=|(id, cents, held_until)| (id.clone(), *cents, *held_until) children=bar /> }
}

/// Shows the button that gives seats back. It asks first, as this cannot be undone.
#[component]
fn EndButton(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// The errors of all orders.
    errors: FormErrors,
    /// The id of the order.
    id: String,
    /// The text of the button.
    label: &'static str,
    /// The question before anything is given back.
    question: &'static str,
) -> impl IntoView {
    let words = words();
    let end = Action::new(move |(): &()| {
        let answer = api::cancel(sale.id(), id.clone(), None, None, None);
        async move { take(answer.await.map(Cancelled::order), sale, errors) }
    });
    let on_confirm = move || {
        errors.clear();
        end.dispatch(());
    };
    let confirm = ConfirmWords { label, yes: words.confirm_end, no: words.keep };
    view! { <ConfirmButton words=confirm question=question.to_owned() pending=end.pending() on_confirm /> }
}

/// Shows the result for an order. The answer may arrive when its card is gone, because the order has ended by itself,
/// or after the reader has left the page.
fn take(answer: Result<Order>, sale: Sale, errors: FormErrors) {
    match answer {
        Ok(order) => sale.my_orders.put(order),
        Err(error) => errors.set(Some(error)),
    }
}
