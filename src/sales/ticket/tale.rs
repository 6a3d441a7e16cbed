//! What the history says of a ticket sale: every order and every seat, from ledger rows and events.
//!
//! The rows of one stretch come outcome by outcome, so it must not matter in which order things are told, but
//! that an order is held before anything else happens to it.

use super::{
    OrderState,
    event::{self, Event, Moved, Places, Reserved},
    floor::Floor,
    outcome,
};
use crate::{
    domain::{Cents, EventId, Millis},
    error::Result,
    ledger::{database::Ledger, history::AuditRow, replay::HistoryVisitor, sale::LedgerSale},
    store::stream::{Entry, number_field},
};
use std::{collections::HashMap, sync::Arc};

/// Rows of the ledger read at a time.
const ROWS_AT_A_TIME: u32 = 5_000;

/// All that was told.
pub(super) struct Tale {
    pub floor: Arc<Floor>,
    pub orders: Vec<Told>,
    by_order: HashMap<String, u32>,
    /// By number.
    pub seats: Vec<SeatTold>,
    pub buyers: HashMap<String, Buyer>,
    /// Orders that were held, paid, … by outcome; a late payment is one of an order too.
    pub changes: HashMap<&'static str, i64>,
    /// Things told that cannot be: of no order, of no seat of the order, after its end.
    pub strays: i64,
}

/// An order.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    pub order: String,
    pub user: String,
    pub request_id: String,
    pub cents: Cents,
    pub due: Millis,
    /// Numbers of its seats, as they were given.
    pub seats: Vec<u32>,
    pub holders: Vec<String>,
    pub held_at: EventId,
    pub paid_at: Option<EventId>,
    pub ended: Option<(EventId, OrderState)>,
    pub late: bool,
    /// Seats that were paid and that ended: none or all.
    paid_seats: usize,
    ended_seats: usize,
    /// The ledger told that it was held.
    pub in_ledger: bool,
    /// What an audit found.
    pub seen: Seen,
}

/// What an audit found of an order in Redis.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub order: bool,
    pub request: bool,
    pub deadline: bool,
    /// Something is not as it was told.
    pub wrong: bool,
}

/// A seat: sums, so that it does not matter what was told first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SeatTold {
    /// Orders that have it now: none or one.
    pub live: i32,
    /// Places in the list of those orders, added up: of one it is that.
    owners: i64,
    /// The holders in Redis have it right.
    pub seen: bool,
}

/// A user who held something once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Buyer {
    pub tickets: i64,
    /// The first order.
    pub since: EventId,
    pub seen: bool,
}

impl Told {
    pub fn state(&self) -> OrderState {
        match (self.ended, self.paid_at) {
            (Some((_, state)), _) => state,
            (None, Some(_)) => OrderState::Paid,
            (None, None) => OrderState::Held,
        }
    }

    pub fn is_live(&self) -> bool {
        self.ended.is_none()
    }

    /// Some of its seats went on, and others did not.
    pub fn is_partial(&self) -> bool {
        let all = self.seats.len();
        [self.paid_seats, self.ended_seats].iter().any(|seats| ![0, all].contains(seats))
    }
}

impl SeatTold {
    /// The one order that has it.
    pub fn owner(self) -> Option<usize> {
        (self.live == 1).then(|| usize::try_from(self.owners).ok()).flatten()
    }
}

impl Tale {
    pub fn new(floor: Arc<Floor>) -> Self {
        Self {
            orders: Vec::new(),
            by_order: HashMap::new(),
            seats: vec![SeatTold::default(); floor.hall.seats() as usize],
            buyers: HashMap::new(),
            changes: HashMap::new(),
            strays: 0,
            floor,
        }
    }

    /// The place of an order in the list.
    pub fn index(&self, order: &str) -> Option<usize> {
        self.by_order.get(order).map(|at| *at as usize)
    }

    pub fn find(&mut self, order: &str) -> Option<&mut Told> {
        let at = *self.by_order.get(order)?;
        self.orders.get_mut(at as usize)
    }

    fn count(&mut self, outcome: &'static str) {
        *self.changes.entry(outcome).or_default() += 1;
    }

    /// A seat of an order is held; `order.seats` says which.
    fn held(&mut self, order: Told) {
        let known = self.by_order.get(&order.order).copied();
        let at = known.unwrap_or(self.orders.len() as u32);
        let buyer = self.buyers.entry(order.user.clone()).or_insert(Buyer { since: order.held_at, ..Buyer::default() });
        buyer.since = buyer.since.min(order.held_at);
        for seat in &order.seats {
            buyer.tickets += 1;
            if let Some(seat) = self.seats.get_mut(*seat as usize) {
                seat.live += 1;
                seat.owners += i64::from(at);
            }
        }
        match known {
            None => {
                self.by_order.insert(order.order.clone(), at);
                self.orders.push(order);
                self.count(outcome::HELD);
            }
            Some(at) => {
                let first = &mut self.orders[at as usize];
                // The next seat of the same order, row by row.
                if first.held_at != order.held_at || first.user != order.user {
                    self.strays += 1;
                }
                first.cents += order.cents;
                first.seats.extend(order.seats);
                first.holders.extend(order.holders);
            }
        }
    }

    /// Seats of an order went on.
    fn moved(&mut self, event_id: EventId, outcome: &'static str, order: &str, seats: &[u32]) {
        let state = match outcome {
            outcome::CANCELLED => Some(OrderState::Cancelled),
            outcome::REFUNDED => Some(OrderState::Refunded),
            outcome::EXPIRED => Some(OrderState::Expired),
            _ => None,
        };
        let Some(at) = self.by_order.get(order).copied() else {
            self.strays += 1;
            return;
        };
        let told = &mut self.orders[at as usize];
        if outcome == outcome::LATE {
            if told.late {
                self.strays += 1;
            }
            told.late = true;
            self.count(outcome);
            return;
        }
        let before = match state {
            Some(_) => told.ended.map(|(event_id, _)| event_id),
            None => told.paid_at,
        };
        if before.is_some_and(|before| before != event_id) || seats.iter().any(|seat| !told.seats.contains(seat)) {
            self.strays += 1;
            return;
        }
        for number in seats {
            let Some(seat) = self.seats.get_mut(*number as usize) else { continue };
            if state.is_some() {
                seat.live -= 1;
                seat.owners -= i64::from(at);
            }
        }
        match state {
            None => {
                told.paid_at = Some(event_id);
                told.paid_seats += seats.len();
            }
            Some(state) => {
                told.ended = Some((event_id, state));
                told.ended_seats += seats.len();
                if let Some(buyer) = self.buyers.get_mut(&told.user) {
                    buyer.tickets -= seats.len() as i64;
                }
            }
        }
        if before.is_none() {
            self.count(outcome);
        }
    }

    fn row(&mut self, outcome: &'static str, row: AuditRow) {
        let seat = row.item.as_deref().and_then(|id| self.floor.hall.find(id)).map(|seat| self.floor.hall.number(seat));
        let order = row.order.unwrap_or_default();
        match (outcome, seat) {
            (outcome::HELD, Some(seat)) => self.held(Told {
                order,
                user: row.user.unwrap_or_default(),
                request_id: row.request_id.unwrap_or_default(),
                cents: row.cents,
                due: row.at + self.floor.hold_ms,
                seats: vec![seat],
                holders: row.holder.into_iter().collect(),
                held_at: row.event_id,
                in_ledger: true,
                ..Told::default()
            }),
            (outcome::LATE, None) => self.moved(row.event_id, outcome, &order, &[]),
            (outcome::HELD | outcome::LATE, _) | (_, None) => self.strays += 1,
            (_, Some(seat)) => self.moved(row.event_id, outcome, &order, &[seat]),
        }
    }

    fn numbers(&self, places: &Places) -> Option<Vec<u32>> {
        let hall = &self.floor.hall;
        Some(places.seats(hall)?.into_iter().map(|seat| hall.number(seat)).collect())
    }

    fn event_moved(&mut self, event_id: EventId, outcome: &'static str, orders: &[Moved]) {
        for Moved { order, places, .. } in orders {
            match self.numbers(places) {
                Some(seats) => self.moved(event_id, outcome, order, &seats),
                None => self.strays += 1,
            }
        }
    }
}

impl HistoryVisitor for Tale {
    async fn rows(&mut self, ledger: &Ledger, account: &LedgerSale, from: EventId, upto: EventId) -> Result<()> {
        for outcome in outcome::OF_ORDERS {
            let mut after = (from, i64::MAX);
            loop {
                let rows = ledger.order_rows_between(account.number, outcome, after, upto, ROWS_AT_A_TIME).await?;
                let last = rows.last().map(|row| (row.event_id, row.place));
                let is_full = rows.len() == ROWS_AT_A_TIME as usize;
                for row in rows {
                    self.row(outcome, row);
                }
                match last {
                    Some(last) if is_full => after = last,
                    _ => break,
                }
            }
        }
        Ok(())
    }

    fn entry(&mut self, entry: &Entry) -> Result<()> {
        let event_id = entry.0.parse()?;
        match event::read(entry)? {
            Some(Event::Reserved(orders)) => {
                for Reserved { user, request_id, order, cents, due, places, holders } in orders {
                    match self.numbers(&places) {
                        Some(seats) => self.held(Told {
                            order,
                            user,
                            request_id,
                            cents,
                            due,
                            seats,
                            holders,
                            held_at: event_id,
                            ..Told::default()
                        }),
                        None => self.strays += 1,
                    }
                }
            }
            Some(Event::Paid { paid, late }) => {
                self.event_moved(event_id, outcome::PAID, &paid);
                for Moved { order, .. } in late {
                    self.moved(event_id, outcome::LATE, &order, &[]);
                }
            }
            Some(Event::Cancelled(orders)) => {
                for (state, order) in orders {
                    let refunded = state == OrderState::Refunded;
                    let outcome = if refunded { outcome::REFUNDED } else { outcome::CANCELLED };
                    self.event_moved(event_id, outcome, &[order]);
                }
            }
            Some(Event::Expired(orders)) => self.event_moved(event_id, outcome::EXPIRED, &orders),
            // An event that nobody knows is set aside in the ledger, and named there.
            Some(Event::Opened | Event::Recovered) | None => _ = number_field(entry, "at")?,
        }
        Ok(())
    }
}
