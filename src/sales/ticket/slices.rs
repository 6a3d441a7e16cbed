//! The part of an audit that is read in slices while the sale goes on.
//!
//! Each slice comes with the event that it is of, and is compared with the history up to there. A field that is
//! there from the first slice to the last is met at least once: what was there at E, should still be there, and was
//! not met, is missing.

use super::{
    OrderState,
    audit::{ask, take},
    event::Places,
    service::Record,
    tale::{Tale, Told},
};
use crate::{
    domain::{Cents, EventId},
    error::Result,
    ledger::replay::Replay,
};

/// Fields in a slice: less than a millisecond of Redis.
const SLICE: usize = 500;

/// What is read in slices.
#[derive(Clone, Copy)]
enum Part {
    Orders,
    Holders,
    Requests,
    Deadlines,
    Bought,
}

const PARTS: [(&str, Part); 5] = [
    ("orders", Part::Orders),
    ("holders", Part::Holders),
    ("requests", Part::Requests),
    ("deadlines", Part::Deadlines),
    ("bought", Part::Bought),
];

/// What is wrong in the slices.
#[derive(Default)]
pub(super) struct Faults {
    /// Seats of an order that another order has.
    pub doubled: i64,
    /// Orders and requests that nobody was told of.
    pub unexpected: i64,
    /// Orders that were told and are not there, or not so.
    pub lost: i64,
    /// Fields that are missing, too many, or of another value.
    pub holders: i64,
    pub deadlines: i64,
    pub bought: i64,
    /// Cents of the orders that were paid at E.
    pub sold_cents: Cents,
    /// Seats of orders that the ledger has, and those of them that are there.
    pub in_ledger: (i64, i64),
}

/// The reading.
pub(super) struct Slices {
    tale: Tale,
    /// E: from here on, what is told came later.
    at: EventId,
    faults: Faults,
}

impl Slices {
    /// `tale` is told up to `at`.
    pub fn new(tale: Tale, at: EventId) -> Self {
        Self { tale, at, faults: Faults::default() }
    }

    /// Reads everything, and says what is wrong.
    ///
    /// # Errors
    /// `unknown_sale`, `unavailable`, `ledger_unavailable`.
    pub async fn read(mut self, past: &Replay<'_>) -> Result<Faults> {
        let mut told = self.at;
        for (name, part) in PARTS {
            let mut from = "0".to_owned();
            loop {
                let (event_id, mut values) = ask(past.store, past.sale, &[name, &from, &SLICE.to_string()]).await?;
                from = take(&mut values)?;
                let fields: Vec<Vec<u8>> = take(&mut values)?;
                past.visit(told, event_id, &mut self.tale).await?;
                told = told.max(event_id);
                for pair in fields.chunks_exact(2) {
                    self.pair(part, &pair[0], &pair[1]);
                }
                if from == "0" {
                    break;
                }
            }
        }
        Ok(self.close())
    }

    fn pair(&mut self, part: Part, field: &[u8], value: &[u8]) {
        let field = String::from_utf8_lossy(field);
        let text = || String::from_utf8_lossy(value);
        match part {
            Part::Orders => self.order(&field, value),
            Part::Holders => self.holder(&field, &text()),
            Part::Requests => match self.tale.find(&text()) {
                Some(told) if told.request_id == field => told.seen.request = true,
                _ => self.faults.unexpected += 1,
            },
            Part::Deadlines => match self.tale.find(&field) {
                Some(told) if told.state() == OrderState::Held && text().parse() == Ok(told.due as f64) => {
                    told.seen.deadline = true;
                }
                _ => self.faults.deadlines += 1,
            },
            Part::Bought => match self.tale.buyers.get_mut(&*field) {
                Some(buyer) if text().parse() == Ok(buyer.tickets) => buyer.seen = true,
                Some(buyer) => {
                    buyer.seen = true;
                    self.faults.bought += 1;
                }
                None => self.faults.bought += 1,
            },
        }
    }

    fn order(&mut self, order: &str, record: &[u8]) {
        let hall = &self.tale.floor.hall;
        let Some(at) = self.tale.index(order) else {
            self.faults.unexpected += 1;
            return;
        };
        let record = rmp_serde::from_slice::<Record>(record).ok();
        let seats = record.as_ref().and_then(|record| Places(record.places.clone()).seats(hall));
        let seats: Option<Vec<u32>> = seats.map(|seats| seats.into_iter().map(|seat| hall.number(seat)).collect());
        let told = &self.tale.orders[at];
        let first_time = !told.seen.order;
        let mut wrong = true;
        if let (Some(record), Some(seats)) = (record, seats) {
            wrong = !is_same(told, &record, &seats);
            if matches!(record.state, OrderState::Held | OrderState::Paid) && first_time {
                let is_others = |seat: &&u32| {
                    let owner = self.tale.seats.get(**seat as usize).and_then(|seat| seat.owner());
                    owner.is_some_and(|owner| owner != at)
                };
                self.faults.doubled += seats.iter().filter(is_others).count() as i64;
            }
            let until_e = |event_id: EventId| event_id <= self.at;
            let was_paid = told.paid_at.is_some_and(until_e) && !told.ended.is_some_and(|(at, _)| until_e(at));
            if was_paid && first_time {
                self.faults.sold_cents += record.cents;
            }
        }
        let seen = &mut self.tale.orders[at].seen;
        seen.order = true;
        seen.wrong |= wrong;
    }

    fn holder(&mut self, seat: &str, order: &str) {
        let seat = seat.parse::<usize>().ok().and_then(|seat| self.tale.seats.get_mut(seat));
        match seat {
            Some(seat) if seat.owner().is_some_and(|at| self.tale.orders[at].order == order) => seat.seen = true,
            _ => self.faults.holders += 1,
        }
    }

    /// What was there at E, should still be there, and was not met.
    fn close(mut self) -> Faults {
        let Tale { orders, seats, buyers, .. } = &mut self.tale;
        let faults = &mut self.faults;
        for told in orders.iter_mut().filter(|told| told.held_at <= self.at) {
            told.seen.wrong |= !told.seen.order || !told.seen.request;
            faults.lost += i64::from(told.seen.wrong);
            faults.deadlines += i64::from(told.state() == OrderState::Held && !told.seen.deadline);
            if told.is_live() {
                let is_missing =
                    |seat: &&u32| seats.get(**seat as usize).is_some_and(|seat| seat.live == 1 && !seat.seen);
                faults.holders += told.seats.iter().filter(is_missing).count() as i64;
            }
            if told.in_ledger {
                let count = told.seats.len() as i64;
                faults.in_ledger.0 += count;
                faults.in_ledger.1 += if told.seen.wrong { 0 } else { count };
            }
        }
        let is_missing = |buyer: &&super::tale::Buyer| buyer.since <= self.at && !buyer.seen;
        faults.bought += buyers.values().filter(is_missing).count() as i64;
        self.faults
    }
}

/// Redis has the order as it was told.
fn is_same(told: &Told, record: &Record, seats: &[u32]) -> bool {
    told.user == record.user
        && told.state() == record.state
        && told.cents == record.cents
        && told.due == record.due
        && told.seats == seats
        && told.holders == record.holders
        && told.late == (record.late != 0)
}
