//! Tickets: halls, the best seats, orders.

mod hall;
mod live;
mod model;
mod reference;
mod service;

use crate::support::sale::clock;
use stampede::{
    sales::ticket::{
        Pick, Place, Terms, Wish,
        hall::{Layout, Section},
        service::Tickets,
    },
    server::{clock::ManualClock, ids::Ids},
    store::Store,
};
use std::{collections::BTreeMap, sync::Arc};

/// Ticket sales on a store, with a clock to be moved.
fn tickets(store: Store) -> (Tickets, Arc<ManualClock>) {
    let time = clock();
    (Tickets::new(store, time.clone(), Arc::new(Ids::seeded(time.clone(), 1))), time)
}

/// A section of a hall.
fn section(id: &str, category: &str, rows: &[u16]) -> Section {
    Section { id: id.to_owned(), category: category.to_owned(), rows: rows.to_vec(), ..Section::default() }
}

/// Two categories: near has rows of 5, 6 and 7 seats, far two sections with rows of 4.
fn small() -> Layout {
    Layout {
        categories: vec!["near".to_owned(), "far".to_owned()],
        sections: vec![section("A", "near", &[5, 6, 7]), section("L", "far", &[4, 4]), section("R", "far", &[4, 4])],
    }
}

fn terms(sale: &str, layout: Layout) -> Terms {
    let prices: BTreeMap<String, i64> =
        layout.categories.iter().zip([500, 300, 200]).map(|(name, cents)| (name.clone(), cents)).collect();
    Terms { sale: sale.to_owned(), hall: Place::Layout(layout), prices, limit_per_user: 6, hold_s: 60 }
}

fn chosen(seats: &[&str]) -> Wish {
    Wish { seats: seats.iter().map(|seat| (*seat).to_owned()).collect(), ..Wish::default() }
}

fn picked(category: &str, count: u32) -> Wish {
    Wish { pick: vec![Pick { category: category.to_owned(), count, adjacent: true }], ..Wish::default() }
}
