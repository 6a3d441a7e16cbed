//! The audit of a ticket sale: seat by seat and order by order, from three sources.
//!
//! The history in ledger and stream determines who has which seats (`replay.rs`). The figures and the state of every
//! seat (`audit.lua`) are consistent as of event E, and are compared with the history up to E. Orders, holders,
//! requests, deadlines and tickets per user are read in slices while the sale continues (`hash_audit.rs`). Each slice
//! comes with the last event that it reflects, and the history is replayed up to that event before the comparison. So
//! the audit is exact under any load and lag, and it never stops or slows a sale.

use crate::{
    audit::{Auditable, read_part},
    ticket::{
        hash_audit::{Faults, HashAudit},
        replay::ReplayedSale,
        scripts::{AUDIT, KIND},
        service::Tickets,
        venue::StoredTerms,
    },
};
use ledger::replay::Replay;
use model::{
    Cents, EventId, Invariant,
    error::Result,
    ticket::{OrderState, hall::Category, index, outcome},
};
use std::collections::HashMap;
use store::{Store, fields::Fields};

impl Auditable for Tickets {
    const KIND: &str = KIND;
    const OUTCOMES: &'static [&'static str] = &outcome::OF_ORDERS;
    type Figures = Figures;
    type Terms = StoredTerms;

    fn store(&self) -> &Store {
        &self.store
    }

    async fn figures(&self, sale: &str) -> Result<Figures> {
        let (event_id, mut reply) = read_part(&self.store, &AUDIT, (KIND, sale), &["figures", "0", "0"]).await?;
        Ok(Figures {
            event_id,
            record: reply.next_value()?,
            seats: reply.next_value()?,
            layout: reply.next_value()?,
            free: reply.next_value()?,
            counts: reply.next_value()?,
            stats: reply.next_value()?,
            holders: reply.next_value()?,
            deadlines: reply.next_value()?,
        })
    }

    fn event_id(figures: &Figures) -> EventId {
        figures.event_id
    }

    fn record(figures: &Figures) -> &Fields {
        &figures.record
    }

    async fn compare(&self, sale: &str, figures: Figures) -> Result<Vec<Invariant>> {
        let Self { store, ledger, venues, .. } = self;
        let history = Replay { store, ledger, kind: KIND, sale };
        let mut replay = ReplayedSale::new(venues.get(sale).await?);
        history.visit(EventId::default(), figures.event_id, &mut replay).await?;
        let moment = Moment::compare(&mut replay, &figures);
        let faults = HashAudit::new(replay, figures.event_id).read(&history).await?;
        Ok(invariants(&figures, &moment, &faults))
    }
}

fn invariants(figures: &Figures, moment: &Moment, faults: &Faults) -> Vec<Invariant> {
    let none = |name, found| Invariant::new(name, 0, found);
    vec![
        in_all("seats", &moment.seats),
        in_all("remaining", &moment.free),
        in_all("held", &moment.held),
        in_all("sold", &moment.sold),
        in_all("blocked", &moment.blocked),
        none("doubled", moment.doubled + faults.doubled),
        none("half_done", moment.half_done),
        Invariant::new("index", moment.rows.0, moment.rows.1),
        counted("holders", moment.live_seats, figures.holders, faults.holders),
        none("limits", moment.over_limit + faults.bought),
        counted("deadlines", moment.held_orders, figures.deadlines, faults.deadlines),
        none("lost", faults.lost),
        none("unexpected", moment.unexpected + faults.unexpected),
        Invariant::cents("money", moment.sold_cents, faults.sold_cents),
        in_all("events", &moment.events),
        Invariant::new("ledger", faults.in_ledger.0, faults.in_ledger.1),
    ]
}

/// The sums of several expected and found values. A surplus in one does not compensate for a shortage in another.
fn in_all(name: &str, pairs: &[(i64, i64)]) -> Invariant {
    let (expected, found): (i64, i64) = pairs.iter().fold((0, 0), |(all, found), pair| (all + pair.0, found + pair.1));
    let apart: i64 = pairs.iter().map(|pair| (pair.0 - pair.1).abs()).sum();
    Invariant::new(name, expected, if expected == found { found + apart } else { found })
}

/// Compares the size of a hash. Wrong fields count as missing ones.
fn counted(name: &str, expected: i64, found: i64, wrong: i64) -> Invariant {
    Invariant::new(name, expected, if expected == found { found - wrong } else { found })
}

/// The reply of `audit.lua`.
pub struct Figures {
    event_id: EventId,
    record: Fields,
    seats: Vec<u8>,
    /// The position of each row among the seats.
    layout: Vec<u8>,
    /// The index of free seats.
    free: Vec<u8>,
    counts: HashMap<String, i64>,
    stats: HashMap<String, i64>,
    holders: i64,
    deadlines: i64,
}

/// The comparison of the history up to E with the figures of E.
#[derive(Default)]
struct Moment {
    /// The expected and found numbers by category: all seats by the counts; free, held and sold seats by the seats
    /// themselves and by the counts; blocked seats by the history, and by the seats as well as by the counts.
    seats: Vec<(i64, i64)>,
    free: Vec<(i64, i64)>,
    held: Vec<(i64, i64)>,
    sold: Vec<(i64, i64)>,
    blocked: Vec<(i64, i64)>,
    /// The orders by the counts and by the history, for each outcome.
    events: Vec<(i64, i64)>,
    /// The number of seats in two live orders.
    doubled: i64,
    /// The number of all rows, and of rows whose stored position and free seats follow from the seats.
    rows: (i64, i64),
    /// The number of orders whose seats are not all in the order's state.
    half_done: i64,
    live_seats: i64,
    held_orders: i64,
    over_limit: i64,
    /// The taken seats without an order, and the impossible changes in the history.
    unexpected: i64,
    /// The price of the sold seats, in cents.
    sold_cents: Cents,
}

impl Moment {
    /// Compares history and figures. Also marks the orders in which a seat is free for others.
    fn compare(replay: &mut ReplayedSale, figures: &Figures) -> Self {
        let mut found = Self { unexpected: replay.strays, ..Self::default() };
        let venue = replay.venue.clone();
        for (number, (category, price)) in (1..).zip(venue.hall.categories.iter().zip(&venue.prices)) {
            let seats = &replay.seats[category.seats.start as usize..category.seats.end as usize];
            let blocked = seats.iter().filter(|seat| seat.blocked > 0).count() as i64;
            found.category(number, category, *price, blocked, figures);
        }
        let places = index::categories(&venue.hall, &venue.prices);
        let stored = (&figures.layout[..], &figures.free[..]);
        let sound = index::sound_rows(&venue.hall, &places, &figures.seats, stored);
        found.rows = (venue.hall.rows.len() as i64, sound as i64);
        for outcome in outcome::OF_ORDERS {
            let replayed = replay.changes.get(outcome).copied().unwrap_or(0);
            found.events.push((figures.stats.get(outcome).copied().unwrap_or(0), replayed));
        }
        let sign = |seat: u32| figures.seats.get(seat as usize).copied().unwrap_or(b'?');
        for (seat, replayed) in (0..).zip(&replay.seats) {
            found.doubled += i64::from(replayed.live > 1);
            found.live_seats += i64::from(replayed.live > 0);
            let must = if replayed.blocked > 0 { b'3' } else { b'0' };
            found.unexpected += i64::from(replayed.live <= 0 && ![b'0', must].contains(&sign(seat)));
        }
        for replayed in &mut replay.orders {
            let state = replayed.state();
            found.held_orders += i64::from(state == OrderState::Held);
            let must = if state == OrderState::Paid { b'2' } else { b'1' };
            let seats = if replayed.is_live() { replayed.seats_now() } else { Vec::new() };
            let is_other = seats.iter().any(|seat| sign(*seat) != must);
            found.half_done += i64::from(is_other || replayed.is_partial());
            replayed.seen.wrong = seats.iter().any(|seat| ![b'1', b'2'].contains(&sign(*seat)));
        }
        let limit = figures.record.number("limit");
        found.over_limit = replay.buyers.values().filter(|buyer| buyer.tickets > limit).count() as i64;
        found
    }

    /// Compares the figures of a category, of which so many seats are blocked by the history.
    fn category(&mut self, number: usize, category: &Category, price: Cents, blocked: i64, figures: &Figures) {
        let seats = category.seats.start as usize..category.seats.end as usize;
        let stored = figures.seats.get(seats).unwrap_or_default();
        let stored = |sign: u8| stored.iter().filter(|seat| **seat == sign).count() as i64;
        let count = |state: &str| figures.counts.get(&format!("{state}:{number}")).copied().unwrap_or(0);
        let (free, held, sold, blocked_now) = (count("free"), count("held"), count("sold"), count("blocked"));
        self.seats.push((category.seats.len() as i64, free + held + sold + blocked_now));
        self.free.push((stored(b'0'), free));
        self.held.push((stored(b'1'), held));
        self.sold.push((stored(b'2'), sold));
        // The larger difference: a surplus of the seats does not make up for a shortage of the counts.
        let furthest = [stored(b'3'), blocked_now].into_iter().max_by_key(|found| (found - blocked).abs());
        self.blocked.push((blocked, furthest.unwrap_or(blocked)));
        self.sold_cents += stored(b'2') * price;
    }
}
