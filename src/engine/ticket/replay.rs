//! The history of a ticket sale, replayed from ledger rows and events: every order and every seat.
//!
//! The rows of a range come outcome by outcome. So the order of changes must not matter, except that the hold of an
//! order comes first, and its end as a whole after the parts that came back.

use crate::{
    life::replay::ReplayedLife,
    ticket::{
        history::{Event, Extended, Moved, Reserved, read_event},
        scripts::{Picks, Places, ReturnedPart},
        venue::Venue,
    },
};
use ledger::{audit_rows::AuditRow, database::Ledger, replay::HistoryVisitor, sale::LedgerSale};
use model::{
    Cents, EventId, Millis,
    error::Result,
    ticket::{OrderState, outcome},
};
use std::{collections::HashMap, sync::Arc};
use store::stream::Entry;

/// The rows of the ledger read at a time.
const ROWS_AT_A_TIME: u32 = 5_000;

/// The state according to the history that has been replayed so far.
pub(super) struct ReplayedSale {
    pub venue: Arc<Venue>,
    pub orders: Vec<ReplayedOrder>,
    by_order: HashMap<String, u32>,
    /// All seats, by number.
    pub seats: Vec<ReplayedSeat>,
    pub buyers: HashMap<String, ReplayedBuyer>,
    /// The number of orders by outcome; late payments count too.
    pub changes: HashMap<&'static str, i64>,
    /// The impossible changes: of an unknown order, of a seat that the order does not have, after the end of the order, or
    /// a second extension.
    pub strays: i64,
    /// The life of the sale, by which the hold clock stood.
    pub life: ReplayedLife,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ReplayedOrder {
    pub order: String,
    pub user: String,
    pub request_id: String,
    pub cents: Cents,
    pub due: Millis,
    /// The numbers of its seats, in the order in which they were assigned, also those of parts that came back.
    pub seats: Vec<u32>,
    /// The seats of parts that came back, oldest first.
    returned: Vec<ReturnedSeat>,
    /// The request id by which the hold was extended.
    pub extended_by: Option<String>,
    pub holders: Vec<String>,
    /// The picks of the request.
    pub picks: Picks,
    pub held_at: EventId,
    pub paid_at: Option<EventId>,
    pub ended: Option<(EventId, OrderState)>,
    /// The request id of the accepted payment; empty if there is none.
    pub paid_by: String,
    /// The request ids of the payments that were refunded, oldest first.
    pub refunded_payments: Vec<String>,
    /// The number of its seats that were paid: none, or all that it had then.
    paid_seats: usize,
    /// The number of its seats that came back when the order ended as a whole.
    ended_seats: usize,
    /// Whether the ledger has recorded the hold.
    pub in_ledger: bool,
    /// The findings of the audit in Redis.
    pub seen: Seen,
}

/// A seat of a part that came back. A part is the seats with the same event and request id, which are adjacent.
#[derive(Clone, Debug)]
struct ReturnedSeat {
    at: EventId,
    request_id: String,
    /// The number of the seat.
    seat: u32,
}

impl ReturnedSeat {
    fn part(&self) -> (EventId, &str) {
        (self.at, &self.request_id)
    }
}

/// The findings of an audit about an order in Redis.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub order: bool,
    pub request: bool,
    pub deadline: bool,
    /// Whether something differs from the history.
    pub wrong: bool,
}

/// A seat as sums, so that the order of changes does not matter.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReplayedSeat {
    /// The number of orders that have the seat now: none or one.
    pub live: i32,
    /// The sum of the indices of those orders. With one order, it is the order's index.
    owners: i64,
    /// How often it was blocked, at the opening included, less how often it was unblocked: 1 if it is blocked.
    pub blocked: i32,
    /// Whether its holder in Redis is correct.
    pub seen: bool,
}

/// A user who has held seats.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReplayedBuyer {
    pub tickets: i64,
    /// The event of the first order.
    pub since: EventId,
    pub seen: bool,
}

impl ReplayedOrder {
    /// The state according to the history.
    pub fn state(&self) -> OrderState {
        match (self.ended, self.paid_at) {
            (Some((_, state)), _) => state,
            (None, Some(_)) => OrderState::Paid,
            (None, None) => OrderState::Held,
        }
    }

    /// The payments as stored: the accepted one, which may be empty, then the refunded ones.
    pub fn payments(&self) -> Vec<&str> {
        let mut payments = vec![self.paid_by.as_str()];
        payments.extend(self.refunded_payments.iter().map(String::as_str));
        if payments == [""] { Vec::new() } else { payments }
    }

    /// Whether the order has its seats: it is held or paid.
    pub fn is_live(&self) -> bool {
        self.ended.is_none()
    }

    /// Whether only some of the seats that it had then were paid, or came back when it ended as a whole.
    pub fn is_partial(&self) -> bool {
        let paid = self.paid_at.map_or(0, |at| self.seats.len() - self.returned_until(at).count());
        let ended = if self.ended_seats == 0 { 0 } else { self.seats.len() - self.returned.len() };
        (self.paid_seats, self.ended_seats) != (paid, ended)
    }

    fn has_returned(&self, seat: u32) -> bool {
        self.returned.iter().any(|returned| returned.seat == seat)
    }

    /// The seats of parts that came back until an event.
    fn returned_until(&self, event_id: EventId) -> impl Iterator<Item = u32> {
        self.returned.iter().filter(move |returned| returned.at <= event_id).map(|returned| returned.seat)
    }

    /// The parts that came back, oldest first.
    fn parts(&self) -> impl DoubleEndedIterator<Item = &[ReturnedSeat]> {
        self.returned.chunk_by(|one, next| one.part() == next.part())
    }

    /// The seats that the order has, or had when it ended: with its last part, if that was all that it had.
    pub fn seats_now(&self) -> Vec<u32> {
        let left: Vec<u32> = self.seats.iter().copied().filter(|seat| !self.has_returned(*seat)).collect();
        match self.parts().next_back() {
            Some(last) if left.is_empty() => last.iter().map(|returned| returned.seat).collect(),
            _ => left,
        }
    }

    /// The price of those seats.
    pub fn cents_now(&self, venue: &Venue) -> Cents {
        let now = self.seats_now();
        self.cents - venue.price_of(self.seats.iter().copied().filter(|seat| !now.contains(seat)))
    }

    /// The price of the seats that the order had right after an event, at which it was not over.
    pub fn cents_at(&self, at: EventId, venue: &Venue) -> Cents {
        self.cents - venue.price_of(self.returned_until(at))
    }

    /// The parts as stored.
    pub fn returns(&self, venue: &Venue) -> Vec<ReturnedPart> {
        let part = |part: &[ReturnedSeat]| ReturnedPart {
            request_id: part[0].request_id.clone(),
            places: venue.places(part.iter().map(|returned| returned.seat)),
        };
        self.parts().map(part).collect()
    }
}

impl ReplayedSeat {
    /// The index of the order that has the seat, if exactly one does.
    pub fn owner(self) -> Option<usize> {
        (self.live == 1).then(|| usize::try_from(self.owners).ok()).flatten()
    }
}

impl ReplayedSale {
    pub fn new(venue: Arc<Venue>) -> Self {
        let mut seats = vec![ReplayedSeat::default(); venue.hall.seats() as usize];
        for seat in venue.hall.blocked() {
            seats[seat as usize].blocked = 1;
        }
        Self {
            orders: Vec::new(),
            by_order: HashMap::new(),
            seats,
            buyers: HashMap::new(),
            changes: HashMap::new(),
            strays: 0,
            life: ReplayedLife::default(),
            venue,
        }
    }

    /// The index of an order in the list.
    pub fn index(&self, order: &str) -> Option<usize> {
        self.by_order.get(order).map(|at| *at as usize)
    }

    /// An order in the list.
    pub fn find(&mut self, order: &str) -> Option<&mut ReplayedOrder> {
        let at = *self.by_order.get(order)?;
        self.orders.get_mut(at as usize)
    }

    fn count(&mut self, outcome: &'static str) {
        *self.changes.entry(outcome).or_default() += 1;
    }

    /// Records that seats of an order, `order.seats`, are held.
    fn held(&mut self, order: ReplayedOrder) {
        let known = self.by_order.get(&order.order).copied();
        let at = known.unwrap_or(self.orders.len() as u32);
        let buyer = self
            .buyers
            .entry(order.user.clone())
            .or_insert(ReplayedBuyer { since: order.held_at, ..ReplayedBuyer::default() });
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
                // This is another seat of the same order: each seat has its own row in the ledger.
                if first.held_at != order.held_at || first.user != order.user {
                    self.strays += 1;
                }
                first.cents += order.cents;
                first.seats.extend(order.seats);
                first.holders.extend(order.holders);
            }
        }
    }

    /// Records that seats of an order changed state.
    fn moved(&mut self, event_id: EventId, outcome: &'static str, order: &str, request_id: &str, seats: &[u32]) {
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
        let known = &mut self.orders[at as usize];
        if outcome == outcome::LATE {
            known.refunded_payments.push(request_id.to_owned());
            self.count(outcome);
            return;
        }
        let before = match state {
            Some(_) => known.ended.map(|(event_id, _)| event_id),
            None => known.paid_at,
        };
        let is_here = |seat: &u32| known.seats.contains(seat) && !known.has_returned(*seat);
        if before.is_some_and(|before| before != event_id) || !seats.iter().all(is_here) {
            self.strays += 1;
            return;
        }
        // A whole order that ends has no request id.
        let is_part = state.is_some() && !request_id.is_empty();
        let is_new = match is_part {
            true => known.returned.last().is_none_or(|last| last.part() != (event_id, request_id)),
            false => before.is_none(),
        };
        for number in seats {
            let Some(seat) = self.seats.get_mut(*number as usize) else { continue };
            if state.is_some() {
                seat.live -= 1;
                seat.owners -= i64::from(at);
            }
        }
        match state {
            None => {
                known.paid_at = Some(event_id);
                request_id.clone_into(&mut known.paid_by);
                known.paid_seats += seats.len();
            }
            Some(state) => {
                if is_part {
                    let returned =
                        |seat: &u32| ReturnedSeat { at: event_id, request_id: request_id.to_owned(), seat: *seat };
                    known.returned.extend(seats.iter().map(returned));
                } else {
                    known.ended_seats += seats.len();
                }
                if !is_part || known.returned.len() == known.seats.len() {
                    known.ended = Some((event_id, state));
                }
                if let Some(buyer) = self.buyers.get_mut(&known.user) {
                    buyer.tickets -= seats.len() as i64;
                }
            }
        }
        if is_new {
            self.count(outcome);
        }
    }

    /// Records that the hold of an order was extended, by the hold time of the sale.
    fn extended(&mut self, order: &str, request_id: &str) {
        let longer = self.venue.hold_ms;
        match self.find(order) {
            Some(known) if known.extended_by.is_none() => {
                known.extended_by = Some(request_id.to_owned());
                known.due += longer;
                self.count(outcome::EXTENDED);
            }
            _ => self.strays += 1,
        }
    }

    /// Records that an operator has blocked or unblocked a seat.
    fn blocked(&mut self, outcome: &'static str, seat: u32) {
        if let Some(seat) = self.seats.get_mut(seat as usize) {
            seat.blocked += if outcome == outcome::BLOCKED { 1 } else { -1 };
        }
    }

    fn row(&mut self, outcome: &'static str, row: AuditRow) {
        let seat = row.item.as_deref().and_then(|id| self.venue.hall.find(id)).map(|seat| self.venue.hall.number(seat));
        let (order, request_id) = (row.order.unwrap_or_default(), row.request_id.unwrap_or_default());
        match (outcome, seat) {
            (outcome::HELD, Some(seat)) => self.held(ReplayedOrder {
                order,
                user: row.user.unwrap_or_default(),
                request_id,
                cents: row.cents,
                due: self.life.hold_time(row.event_id, row.at) + self.venue.hold_ms,
                seats: vec![seat],
                holders: row.holder.into_iter().collect(),
                picks: row.requested.and_then(|requested| Picks::parse(&requested).ok()).unwrap_or_default(),
                held_at: row.event_id,
                in_ledger: true,
                ..ReplayedOrder::default()
            }),
            (outcome::EXTENDED, None) => self.extended(&order, &request_id),
            (outcome::LATE, None) => self.moved(row.event_id, outcome, &order, &request_id, &[]),
            (outcome::BLOCKED | outcome::UNBLOCKED, Some(seat)) => self.blocked(outcome, seat),
            (outcome::HELD | outcome::EXTENDED | outcome::LATE, _) | (_, None) => self.strays += 1,
            (_, Some(seat)) => self.moved(row.event_id, outcome, &order, &request_id, &[seat]),
        }
    }

    /// The numbers of these seats; `None` if one of them is not in the hall.
    pub fn numbers(&self, places: &Places) -> Option<Vec<u32>> {
        let hall = &self.venue.hall;
        Some(places.seats(hall)?.into_iter().map(|seat| hall.number(seat)).collect())
    }

    fn event_moved(&mut self, event_id: EventId, outcome: &'static str, orders: &[Moved]) {
        for Moved { order, places, request_id, .. } in orders {
            match self.numbers(places) {
                Some(seats) => self.moved(event_id, outcome, order, request_id, &seats),
                None => self.strays += 1,
            }
        }
    }
}

impl HistoryVisitor for ReplayedSale {
    async fn rows(&mut self, ledger: &Ledger, known: &LedgerSale, from: EventId, upto: EventId) -> Result<()> {
        self.life.rows(ledger, known, from, upto).await?;
        for outcome in outcome::OF_ORDERS.into_iter().chain(outcome::OF_BLOCKS) {
            let mut after = (from, i64::MAX);
            loop {
                let rows = ledger.order_rows_between(known.number, outcome, after, upto, ROWS_AT_A_TIME).await?;
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
        match read_event(entry)? {
            Some(Event::Reserved(orders)) => {
                for Reserved { user, request_id, order, cents, due, places, holders, picks } in orders {
                    match self.numbers(&places) {
                        Some(seats) => self.held(ReplayedOrder {
                            order,
                            user,
                            request_id,
                            cents,
                            due,
                            seats,
                            holders,
                            picks,
                            held_at: event_id,
                            ..ReplayedOrder::default()
                        }),
                        None => self.strays += 1,
                    }
                }
            }
            Some(Event::Extended(orders)) => {
                for Extended { order, request_id, .. } in orders {
                    self.extended(&order, &request_id);
                }
            }
            Some(Event::Paid { paid, late }) => {
                self.event_moved(event_id, outcome::PAID, &paid);
                for Moved { order, request_id, .. } in late {
                    self.moved(event_id, outcome::LATE, &order, &request_id, &[]);
                }
            }
            Some(Event::Cancelled(orders)) => {
                for order in orders {
                    self.event_moved(event_id, order.outcome(), &[order.moved()]);
                }
            }
            Some(Event::Expired(orders)) => self.event_moved(event_id, outcome::EXPIRED, &orders),
            Some(Event::Blocked { outcome, places, .. }) => match self.numbers(&places) {
                Some(seats) => seats.into_iter().for_each(|seat| self.blocked(outcome, seat)),
                None => self.strays += 1,
            },
            // An unknown event becomes a dead letter in the ledger and is reported there.
            Some(Event::Opened | Event::Closed | Event::Recovered) | None => self.life.entry(entry)?,
        }
        Ok(())
    }
}
