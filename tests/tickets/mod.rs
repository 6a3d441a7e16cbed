//! Tickets: halls, the best seats, orders.

mod audit;
mod blocking;
mod book;
pub mod cases;
mod fuzz;
mod hall;
pub mod kind;
mod live;
mod mistakes;
mod model;
mod parts;
mod reasons;
mod recovery;
mod reference;
mod service;
mod soak;
mod sweep;
mod together;

use crate::support::{redis::TestRedis, sale::clock};
use ::model::ticket::{
    self, Order, Outcome, Pick, SeatRequest, Terms,
    hall::{Layout, Section},
};
use engine::{kind::Resources, ticket::service::Tickets};
use ledger::database::{Ledger, Place};
use std::{collections::BTreeMap, sync::Arc};
use store::{
    Store,
    runtime::{Ids, ManualClock},
};

/// Ticket sales on a Redis, with a clock to be moved.
async fn tickets(redis: &TestRedis) -> (Tickets, Arc<ManualClock>) {
    tickets_on(redis.store().await, ledger(redis).await)
}

fn tickets_on(store: Store, ledger: Ledger) -> (Tickets, Arc<ManualClock>) {
    let time = clock();
    let ids = Arc::new(Ids::seeded(time.clone(), 1));
    (Tickets::new(&Resources { store, ledger, clock: time.clone(), ids }), time)
}

async fn ledger(redis: &TestRedis) -> Ledger {
    Ledger::connect(Place::Folder(redis.folder())).await.expect("a ledger")
}

/// A section of a hall.
fn section(id: &str, category: &str, rows: &[u16]) -> Section {
    let rows = rows.iter().map(|seats| (*seats).into()).collect();
    Section { id: id.to_owned(), category: category.to_owned(), rows, ..Section::default() }
}

/// Two categories: near has rows of 5, 6 and 7 seats, far two sections with rows of 4.
fn small() -> Layout {
    Layout {
        categories: vec!["near".to_owned(), "far".to_owned()],
        sections: vec![section("A", "near", &[5, 6, 7]), section("L", "far", &[4, 4]), section("R", "far", &[4, 4])],
        ..Layout::default()
    }
}

fn terms(sale: &str, layout: Layout) -> Terms {
    let prices: BTreeMap<String, i64> =
        layout.categories.iter().zip([500, 300, 200]).map(|(name, cents)| (name.clone(), cents)).collect();
    Terms {
        sale: sale.to_owned(),
        hall: ticket::HallChoice::Layout(layout),
        prices,
        limit_per_user: 6,
        hold_s: 60,
        extendable: false,
        plan: ::model::life::Plan::default(),
    }
}

fn chosen(seats: &[&str]) -> SeatRequest {
    SeatRequest { seats: seats.iter().map(|seat| (*seat).to_owned()).collect(), ..SeatRequest::default() }
}

fn picked(category: &str, count: u32) -> SeatRequest {
    let pick = Pick { category: category.to_owned(), count, adjacent: true, strict: false };
    SeatRequest { pick: vec![pick], ..SeatRequest::default() }
}

fn named(seat_request: SeatRequest, holders: &[&str]) -> SeatRequest {
    SeatRequest { holders: holders.iter().map(|holder| (*holder).to_owned()).collect(), ..seat_request }
}

/// Holds seats that must be free.
async fn held(sales: &Tickets, user: &str, seat_request: SeatRequest) -> Order {
    match sales.reserve("s", user.to_owned(), None, seat_request).await.expect("an outcome") {
        Outcome::Held(order) => order,
        other => panic!("{other:?}"),
    }
}
