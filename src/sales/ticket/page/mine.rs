//! The reader's own orders: this browser keeps their ids, the server knows the rest.

use super::Sale;
use crate::{
    error::Code,
    sales::ticket::{Order, OrderState, api::OrderRequest},
    ui::{ask::ask, platform, work::effect},
};
use leptos::prelude::*;

/// Whether the order's seats are the reader's now.
pub fn is_alive(order: &Order) -> bool {
    matches!(order.state, OrderState::Held | OrderState::Paid)
}

/// Where this browser keeps the ids of the orders of a sale: one a line, the newest first.
fn place(sale: Sale) -> String {
    ["orders:", &sale.id()].concat()
}

/// Takes over what is known of an order. A new one comes first.
pub fn put(sale: Sale, order: Order) {
    if !is_alive(&order) {
        // "Held for you" is no longer true.
        sale.said.try_set(String::new());
    }
    let put = sale.orders.try_update(|orders| match orders.iter_mut().find(|known| known.order == order.order) {
        Some(known) => *known = order,
        None => orders.insert(0, order),
    });
    if put.is_some() {
        keep(sale);
    }
}

/// Has the page forget an order.
pub fn forget(sale: Sale, order: &str) {
    sale.orders.update(|orders| orders.retain(|known| known.order != order));
    keep(sale);
}

fn keep(sale: Sale) {
    let ids: Vec<String> =
        sale.orders.with_untracked(|orders| orders.iter().map(|order| order.order.clone()).collect());
    platform::remember(&place(sale), &ids.join("\n"));
}

/// Asks for the orders that this browser remembers.
pub fn restore(sale: Sale) {
    effect(move || {
        let kept = platform::remembered(&place(sale)).unwrap_or_default();
        let mut ids: Vec<String> = kept.lines().map(str::to_owned).collect();
        ids.reverse();
        next(sale, ids);
    });
}

/// One after the other, so that they come in the order they were made in.
fn next(sale: Sale, mut ids: Vec<String>) {
    let Some(order) = ids.pop() else { return };
    ask(OrderRequest { sale: sale.id(), order }, move |answer| {
        if let Ok(order) = answer
            && is_alive(&order)
        {
            let added = sale.orders.try_update(|orders| {
                if orders.iter().all(|known| known.order != order.order) {
                    orders.push(order);
                }
            });
            if added.is_none() {
                return;
            }
        }
        if !ids.is_empty() {
            next(sale, ids);
        }
    });
}

/// Asks how an order stands.
pub fn look(sale: Sale, order: String) {
    ask(OrderRequest { sale: sale.id(), order: order.clone() }, move |answer| match answer {
        Ok(order) => put(sale, order),
        Err(error) if error.code == Code::UnknownOrder => forget(sale, &order),
        Err(_) => {}
    });
}
