//! The reader's orders. The browser's storage has the ids of the active ones, for all tabs; the server has the rest.

use crate::{components::lasting_key, ticket::api};
use codee::string::FromToStringCodec;
use leptos::{prelude::*, task::spawn_local};
use leptos_use_storage::{UseStorageOptions, use_local_storage_with_options};
use model::{
    error::{Code, Error},
    ticket::Order,
};
use std::{convert::Infallible, fmt, str::FromStr};

/// Ids of orders, newest first; in the storage, one per line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OrderIds(Vec<String>);

impl fmt::Display for OrderIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl FromStr for OrderIds {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.lines().map(str::to_owned).collect()))
    }
}

/// The reader's orders at one sale.
#[derive(Clone, Copy)]
pub struct MyOrders {
    sale: StoredValue<String>,
    /// The orders, newest first. A finished one stays until it is dismissed, or the page is left.
    pub list: RwSignal<Vec<Order>>,
    /// The error of the last look-up.
    pub error: RwSignal<Option<Error>>,
    ids: Signal<OrderIds>,
    set_ids: WriteSignal<OrderIds>,
}

/// Returns the orders that this browser remembers, and those made in this tab or another one from now on.
pub fn use_my_orders(sale: &str, is_suspended: Memo<bool>) -> MyOrders {
    let options = UseStorageOptions::default().delay_during_hydration(true);
    let (ids, set_ids, _) =
        use_local_storage_with_options::<OrderIds, FromToStringCodec>(lasting_key(key(sale)), options);
    let orders = MyOrders {
        sale: StoredValue::new(sale.to_owned()),
        list: RwSignal::new(Vec::new()),
        error: RwSignal::new(None),
        ids,
        set_ids,
    };
    Effect::new(move || {
        // Read too, as a recovery restores orders that Redis had lost. (A memo that is only tracked is never computed.)
        let (_, ids) = (is_suspended.get(), ids.get());
        orders.follow(ids.0);
    });
    orders
}

/// Returns the storage key of the ids.
fn key(sale: &str) -> String {
    format!("orders:{sale}")
}

impl MyOrders {
    /// Returns whether one of the orders currently has this seat.
    pub fn has_untracked(self, seat: &str) -> bool {
        let has = |order: &Order| !order.state.is_over() && order.seats.iter().any(|name| name == seat);
        self.list.with_untracked(|list| list.iter().any(has))
    }

    /// Updates an order, unless the page is disposed when the answer arrives. A new one comes first.
    pub fn put(self, order: Order) {
        if self.list.is_disposed() {
            return;
        }
        let (id, is_over) = (order.order.clone(), order.state.is_over());
        self.list.update(|list| match list.iter_mut().find(|known| known.order == order.order) {
            Some(known) => *known = order,
            None => list.insert(0, order),
        });
        if is_over {
            self.forget(&id);
        } else {
            self.remember(id);
        }
    }

    /// Removes a finished order from the page.
    pub fn dismiss(self, id: &str) {
        self.list.update(|list| list.retain(|order| order.order != id));
        self.forget(id);
    }

    /// Asks the server for the state of an order.
    pub fn look_up(self, id: String) {
        spawn_local(async move { self.fetch(id).await });
    }

    async fn fetch(self, id: String) {
        let Some(sale) = self.sale.try_get_value() else { return };
        let answer = api::order(sale, id.clone()).await;
        // The page may be disposed when the answer arrives.
        let Some(is_known) = self.list.try_with_untracked(|list| list.iter().any(|order| order.order == id)) else {
            return;
        };
        let error = match answer {
            // An order that was finished before this page began is no news.
            Ok(order) if order.state.is_over() && !is_known => {
                self.forget(&id);
                None
            }
            Ok(order) => {
                self.put(order);
                None
            }
            // Its id is kept: if Redis has lost the order, a recovery restores it.
            Err(Error { code: Code::UnknownOrder, .. }) => {
                self.list.update(|list| list.retain(|order| order.order != id));
                None
            }
            Err(error) => Some(error),
        };
        self.error.set(error);
    }

    /// Updates the list from the ids in the storage.
    fn follow(self, ids: Vec<String>) {
        let news = self.list.with_untracked(|list| {
            let is_shown = |id: &String| list.iter().any(|order| order.order == *id);
            let is_gone = |order: &&Order| !order.state.is_over() && !ids.contains(&order.order);
            let gone = list.iter().filter(is_gone).map(|order| order.order.clone());
            // The oldest first: each comes before the last one.
            let new = ids.iter().rev().filter(|id| !is_shown(id)).cloned();
            gone.chain(new).collect::<Vec<_>>()
        });
        if !news.is_empty() {
            spawn_local(async move {
                for id in news {
                    self.fetch(id).await;
                }
            });
        }
    }

    fn remember(self, id: String) {
        self.change_ids(|ids| {
            if !ids.contains(&id) {
                ids.insert(0, id);
            }
        });
    }

    fn forget(self, id: &str) {
        self.change_ids(|ids| ids.retain(|known| known != id));
    }

    /// Changes the ids in the storage, based on the latest ones, which another tab may have written unnoticed. If this
    /// restores the id of a finished order, the tab that reads it looks it up and forgets it again.
    fn change_ids(self, change: impl FnOnce(&mut Vec<String>)) {
        let mut ids = self.stored_ids();
        let known = self.ids.get_untracked().0;
        ids.extend(known.into_iter().filter(|id| !ids.contains(id)).collect::<Vec<_>>());
        change(&mut ids);
        self.set_ids.set(OrderIds(ids));
    }

    fn stored_ids(self) -> Vec<String> {
        let storage = window().local_storage().ok().flatten();
        let text = storage.and_then(|storage| storage.get_item(&self.sale.with_value(|sale| key(sale))).ok().flatten());
        text.unwrap_or_default().lines().map(str::to_owned).collect()
    }
}
