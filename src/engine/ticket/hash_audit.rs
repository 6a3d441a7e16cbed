//! The part of an audit that reads hashes slice by slice while the sale goes on.
//!
//! Each slice comes with the last event that it reflects, and is compared with the history up to that event. A field
//! that exists during the whole scan is read at least once. So a field is missing if it existed at E, should still
//! exist, and was not read.

use crate::{
    audit::read_part,
    ticket::{
        replay::{ReplayedBuyer, ReplayedOrder, ReplayedSale},
        scripts::{AUDIT, KIND, OrderRecord},
        venue::Venue,
    },
};
use ledger::replay::Replay;
use model::{Cents, EventId, error::Result, ticket::OrderState};

/// The fields in a slice. Redis reads them in less than a millisecond.
const SLICE: usize = 500;

/// A hash that is read in slices.
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

/// The faults found in the slices.
#[derive(Default)]
pub(super) struct Faults {
    /// The number of an order's seats that belong to another order.
    pub doubled: i64,
    /// Orders and requests that are not in the history.
    pub unexpected: i64,
    /// Orders in the history that are missing or different.
    pub lost: i64,
    /// Holders that are missing, unexpected or wrong.
    pub holders: i64,
    pub deadlines: i64,
    pub bought: i64,
    /// The price of the orders that were paid as of E, in cents.
    pub sold_cents: Cents,
    /// The seats of orders in the ledger, and how many of them are in Redis.
    pub in_ledger: (i64, i64),
}

/// The audit in progress.
pub(super) struct HashAudit {
    replay: ReplayedSale,
    /// Event E.
    at: EventId,
    faults: Faults,
}

impl HashAudit {
    /// Starts from a history that has been replayed up to `at`.
    pub fn new(replay: ReplayedSale, at: EventId) -> Self {
        Self { replay, at, faults: Faults::default() }
    }

    /// Reads all slices and returns the faults.
    ///
    /// # Errors
    /// `unknown_sale`, `unavailable`, `ledger_unavailable`.
    pub async fn read(mut self, history: &Replay<'_>) -> Result<Faults> {
        let mut upto = self.at;
        for (name, part) in PARTS {
            let mut from = "0".to_owned();
            loop {
                let args = [name, &from, &SLICE.to_string()];
                let (event_id, mut reply) = read_part(history.store, &AUDIT, (KIND, history.sale), &args).await?;
                from = reply.next_value()?;
                let fields: Vec<Vec<u8>> = reply.next_value()?;
                history.visit(upto, event_id, &mut self.replay).await?;
                upto = upto.max(event_id);
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
            Part::Requests => match self.replay.find(&text()) {
                Some(replayed) if replayed.request_id == field => replayed.seen.request = true,
                _ => self.faults.unexpected += 1,
            },
            Part::Deadlines => match self.replay.find(&field) {
                Some(replayed) if replayed.state() == OrderState::Held && text().parse() == Ok(replayed.due as f64) => {
                    replayed.seen.deadline = true;
                }
                _ => self.faults.deadlines += 1,
            },
            Part::Bought => match self.replay.buyers.get_mut(&*field) {
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
        let venue = &self.replay.venue;
        let Some(at) = self.replay.index(order) else {
            self.faults.unexpected += 1;
            return;
        };
        let record = rmp_serde::from_slice::<OrderRecord>(record).ok();
        let seats = record.as_ref().and_then(|record| self.replay.numbers(&record.places));
        let replayed = &self.replay.orders[at];
        let first_time = !replayed.seen.order;
        let mut wrong = true;
        if let (Some(record), Some(seats)) = (record, seats) {
            wrong = !is_same(replayed, &record, &seats, venue);
            if matches!(record.state, OrderState::Held | OrderState::Paid) && first_time {
                let is_others = |seat: &&u32| {
                    let owner = self.replay.seats.get(**seat as usize).and_then(|seat| seat.owner());
                    owner.is_some_and(|owner| owner != at)
                };
                let now = self.replay.numbers(&record.places_now()).unwrap_or_default();
                self.faults.doubled += now.iter().filter(is_others).count() as i64;
            }
            let until_e = |event_id: EventId| event_id <= self.at;
            let was_paid = replayed.paid_at.is_some_and(until_e) && !replayed.ended.is_some_and(|(at, _)| until_e(at));
            if was_paid && first_time {
                // Parts may have come back after E.
                let returned_since = replayed.cents_at(self.at, venue) - replayed.cents_now(venue);
                self.faults.sold_cents += record.cents + returned_since;
            }
        }
        let seen = &mut self.replay.orders[at].seen;
        seen.order = true;
        seen.wrong |= wrong;
    }

    fn holder(&mut self, seat: &str, order: &str) {
        let seat = seat.parse::<usize>().ok().and_then(|seat| self.replay.seats.get_mut(seat));
        match seat {
            Some(seat) if seat.owner().is_some_and(|at| self.replay.orders[at].order == order) => seat.seen = true,
            _ => self.faults.holders += 1,
        }
    }

    /// Counts fields that existed at E, should still exist, and were not read.
    fn close(mut self) -> Faults {
        let ReplayedSale { orders, seats, buyers, .. } = &mut self.replay;
        let faults = &mut self.faults;
        for replayed in orders.iter_mut().filter(|replayed| replayed.held_at <= self.at) {
            replayed.seen.wrong |= !replayed.seen.order || !replayed.seen.request;
            faults.lost += i64::from(replayed.seen.wrong);
            faults.deadlines += i64::from(replayed.state() == OrderState::Held && !replayed.seen.deadline);
            if replayed.is_live() {
                let is_missing =
                    |seat: &&u32| seats.get(**seat as usize).is_some_and(|seat| seat.live == 1 && !seat.seen);
                faults.holders += replayed.seats_now().iter().filter(is_missing).count() as i64;
            }
            if replayed.in_ledger {
                let count = replayed.seats.len() as i64;
                faults.in_ledger.0 += count;
                faults.in_ledger.1 += if replayed.seen.wrong { 0 } else { count };
            }
        }
        let is_missing = |buyer: &&ReplayedBuyer| buyer.since <= self.at && !buyer.seen;
        faults.bought += buyers.values().filter(is_missing).count() as i64;
        self.faults
    }
}

/// Whether the order in Redis is the one in the history.
fn is_same(replayed: &ReplayedOrder, record: &OrderRecord, seats: &[u32], venue: &Venue) -> bool {
    replayed.user == record.user
        && replayed.state() == record.state
        && replayed.cents_now(venue) == record.cents
        && replayed.due == record.due
        && replayed.seats == seats
        && replayed.holders == record.holders
        && replayed.picks == record.picks
        && replayed.payments() == record.payments
        && replayed.returns(venue) == record.returns
        && replayed.extended_by == record.extended_by
}
