//! The reader's orders: what they hold, how long, and what becomes of it.

use super::{Sale, card::left, mine};
use crate::{
    error::Error,
    i18n, nodes,
    sales::{
        Millis,
        ticket::{
            Cancelled, Order, OrderState, Paid,
            api::{CancelRequest, PayRequest},
            words::words,
        },
    },
    ui::{
        ask::ask,
        field::button,
        format::money,
        icons::{Icon, icon},
        node::{El, each, el, item, live, maybe},
        notice::attempt_notice,
        platform,
        work::{after, effect},
    },
};
use leptos::prelude::*;
use std::time::Duration;

pub fn basket(sale: Sale) -> El {
    let words = words();
    let error = RwSignal::new(None::<Error>);
    let orders = each(move || {
        let order = |order: &Order| {
            let order = order.clone();
            let key = [order.order.as_str(), " ", (words.order_state)(order.state)].concat();
            item(key, move || card(sale, error, order))
        };
        sale.orders.with(|orders| orders.iter().map(order).collect())
    });
    let empty = maybe(move || {
        let empty = sale.orders.with(Vec::is_empty);
        empty.then(|| item("empty", move || el("p").class("empty").text(words.orders_empty)))
    });
    look_when_due(sale);
    el("section").class("card basket").attr("aria-labelledby", "basket-title").with(nodes![
        el("h2").attr("id", "basket-title").text(words.orders),
        attempt_notice(error, &[]),
        empty,
        el("ul").class("orders-held").attr("aria-live", "polite").with(nodes![orders]),
    ])
}

/// Asks how orders stand whose time is over: the server ends them by itself, within about a second.
fn look_when_due(sale: Sale) {
    /// Between two questions.
    const PATIENCE: Millis = 2_000;
    let mut asked = 0;
    effect(move || {
        let now = sale.now.get();
        let is_due = |order: &Order| order.state == OrderState::Held && order.held_until <= now;
        let due: Vec<String> = sale.orders.with_untracked(|orders| {
            orders.iter().filter(|order| is_due(order)).map(|order| order.order.clone()).collect()
        });
        if now > 0 && !due.is_empty() && (now - asked).abs() >= PATIENCE {
            asked = now;
            due.into_iter().for_each(|order| mine::look(sale, order));
        }
    });
}

fn card(sale: Sale, error: RwSignal<Option<Error>>, order: Order) -> El {
    let words = words();
    let (class, sign) = match order.state {
        OrderState::Held => ("badge warn", Icon::Clock),
        OrderState::Paid => ("badge good", Icon::Check),
        OrderState::Cancelled => ("badge", Icon::Cross),
        OrderState::Expired => ("badge bad", Icon::Clock),
        OrderState::Refunded => ("badge", Icon::Again),
    };
    let seats: Vec<_> = order
        .seats
        .iter()
        .map(|seat| el("li").class("ticket").attr("translate", "no").text(seat.clone()).into())
        .collect();
    let means = (words.order_hint)(order.state);
    let id = order.order.clone();
    let actions = match order.state {
        OrderState::Held => held(sale, error, &order),
        OrderState::Paid => ending(sale, error, id, words.return_tickets, words.return_question),
        _ => button("", || false, move || mine::forget(sale, &id)).text(words.dismiss),
    };
    let class_of_card = match order.state {
        OrderState::Held => "order held",
        OrderState::Paid => "order paid",
        _ => "order over",
    };
    el("li").class(class_of_card).with(nodes![
        el("div").class("bar").with(nodes![
            el("span").class(class).with(nodes![icon(sign), (words.order_state)(order.state)]),
            el("b").class("cents").text(money(order.cents)),
        ]),
        el("ul").class("seats-held").with(seats),
        el("p").text(means),
        actions,
    ])
}

/// The countdown, and what may be done until then.
fn held(sale: Sale, error: RwSignal<Option<Error>>, order: &Order) -> El {
    let words = words();
    let (due, id) = (order.held_until, order.order.clone());
    let over = move || sale.now.get() >= due;
    let clock = move || match sale.now.get() {
        0 => String::new(),
        now if now >= due => words.time_is_over.to_owned(),
        now => (i18n::words().time_left)(left(due, now)),
    };
    let waiting = RwSignal::new(false);
    let pay = move || {
        if waiting.get_untracked() {
            return;
        }
        waiting.set(true);
        error.set(None);
        let question = PayRequest { sale: sale.id(), order: id.clone(), request_id: Some(platform::random_id()) };
        ask(question, move |answer| {
            waiting.try_set(false);
            match answer {
                Ok(Paid::Paid(order) | Paid::Repeat(order) | Paid::Refunded(order)) => mine::put(sale, order),
                Err(why) => _ = error.try_set(Some(why)),
            }
        });
    };
    let urgent = move || {
        let now = sale.now.get();
        if now > 0 && due - now < 60_000 { "countdown urgent" } else { "countdown" }
    };
    el("div").class("held-actions").with(nodes![
        el("p")
            .live("class", move || urgent().to_owned())
            .attr("role", "timer")
            .with(nodes![icon(Icon::Clock), el("span").with(nodes![live(clock)])]),
        el("div").class("actions").with(nodes![
            button("strong", over, pay).text((words.pay)(money(order.cents))),
            ending(sale, error, order.order.clone(), words.cancel, words.cancel_question),
        ]),
    ])
}

/// Giving seats back: asked for twice, since it cannot be undone.
fn ending(sale: Sale, error: RwSignal<Option<Error>>, order: String, act: &'static str, question: &'static str) -> El {
    let words = words();
    let asked = RwSignal::new(false);
    let waiting = RwSignal::new(false);
    let confirm: std::sync::Arc<str> = ["end-", &order].concat().into();
    let id = confirm.to_string();
    effect(move || {
        if asked.get() {
            // A moment later: what is still hidden takes no focus.
            let confirm = confirm.clone();
            after(Duration::ZERO, move || platform::focus(&confirm));
        }
    });
    let send = move || {
        if waiting.get_untracked() {
            return;
        }
        waiting.set(true);
        error.set(None);
        let question = CancelRequest { sale: sale.id(), order: order.clone(), request_id: Some(platform::random_id()) };
        ask(question, move |answer| {
            waiting.try_set(false);
            match answer {
                Ok(Cancelled::Cancelled(order) | Cancelled::Refunded(order) | Cancelled::Repeat(order)) => {
                    mine::put(sale, order);
                }
                Err(why) => _ = error.try_set(Some(why)),
            }
        });
    };
    el("div").class("actions").with(nodes![
        button("", || false, move || asked.set(true)).when("hidden", move || asked.get()).text(act),
        el("div").class("actions").when("hidden", move || !asked.get()).with(nodes![
            el("span").text(question),
            button("strong", || false, send).attr("id", id).text(words.confirm_end),
            button("", || false, move || asked.set(false)).text(words.keep),
        ]),
    ])
}
