//! The audit of a ticket sale: seat by seat and order by order, from three witnesses.
//!
//! The history, from ledger and stream, says who has what (`tale.rs`). The figures and the state of every seat
//! (`audit.lua`) are of one moment, at event E, and are compared with the history up to E. Orders, holders,
//! requests, deadlines and tickets by user are read in slices while the sale goes on; each slice comes with the
//! event that it is of, and the history is told up to there before the slice is compared with it. So everything
//! is exact, whatever the load and the lag, and nothing stops or slows a sale.

use super::{
    OrderState,
    hall::Category,
    outcome,
    service::{AUDIT, KIND, Tickets, key, reply},
    slices::{Faults, Slices},
    tale::Tale,
};
use crate::{
    domain::{Audit, Cents, EventId, Invariant, Millis},
    error::{Code, Error, Result},
    ledger::{database::Ledger, replay::Replay, sale::LedgerSale},
    store::{Store, stream::garbled},
};
use redis::{FromRedisValue, Value, from_redis_value};
use std::{collections::HashMap, vec};

/// KEYS of `audit.lua`.
pub const AUDIT_PARTS: [&str; 10] =
    ["meta", "seats", "counts", "holders", "orders", "requests", "deadlines", "bought", "stats", "events"];

/// # Errors
/// `unknown_sale`, `unavailable`, `ledger_unavailable`.
pub(super) async fn audit(tickets: &Tickets, sale: &str, now: Millis) -> Result<Audit> {
    let Tickets { store, ledger, floors, .. } = tickets;
    let known = ledger.sale(KIND, sale).await?;
    let figures = match figures(store, sale).await {
        Ok(figures) => figures,
        // The ledger has it, and Redis has not.
        Err(error) if error.code == Code::UnknownSale && known.is_some() => {
            let at = known.map(|known| known.position.event_id).unwrap_or_default();
            return Ok(Audit::of(vec![Invariant::new("in_redis", 1, 0)], at, now));
        }
        Err(error) => return Err(error),
    };
    let in_ledger = InLedger::read(ledger, known.as_ref(), figures.event_id).await?;
    let past = Replay { store, ledger, kind: KIND, sale };
    let mut tale = Tale::new(floors.get(sale).await?);
    past.visit(EventId::default(), figures.event_id, &mut tale).await?;
    let moment = Moment::compare(&mut tale, &figures);
    let faults = Slices::new(tale, figures.event_id).read(&past).await?;
    Ok(Audit::of(invariants(&figures, &moment, &faults, &in_ledger), figures.event_id, now))
}

fn invariants(figures: &Figures, moment: &Moment, faults: &Faults, in_ledger: &InLedger) -> Vec<Invariant> {
    let none = |name, found| Invariant::new(name, 0, found);
    vec![
        in_all("seats", &moment.seats),
        in_all("remaining", &moment.free),
        in_all("held", &moment.held),
        in_all("sold", &moment.sold),
        none("doubled", moment.doubled + faults.doubled),
        none("half_done", moment.half_done),
        counted("holders", moment.live_seats, figures.holders, faults.holders),
        none("limits", moment.over_limit + faults.bought),
        counted("deadlines", moment.held_orders, figures.deadlines, faults.deadlines),
        none("lost", faults.lost),
        none("unexpected", moment.unexpected + faults.unexpected),
        Invariant::new("money", moment.sold_cents, faults.sold_cents),
        in_all("events", &moment.events),
        Invariant::new("ledger", faults.in_ledger.0, faults.in_ledger.1),
        Invariant::new("ledger_rows", in_ledger.tallied, in_ledger.counted),
        none("ledger_ahead", in_ledger.ahead),
        none("set_aside", in_ledger.set_aside),
    ]
}

/// Expected and found of several, added up; what is too many here does not make up for what is missing there.
fn in_all(name: &str, pairs: &[(i64, i64)]) -> Invariant {
    let (expected, found): (i64, i64) = pairs.iter().fold((0, 0), |(all, found), pair| (all + pair.0, found + pair.1));
    let apart: i64 = pairs.iter().map(|pair| (pair.0 - pair.1).abs()).sum();
    Invariant::new(name, expected, if expected == found { found + apart } else { found })
}

/// A hash of as many fields as there must be, so many of which are wrong, is no better than one with fewer.
fn counted(name: &str, expected: i64, found: i64, wrong: i64) -> Invariant {
    Invariant::new(name, expected, if expected == found { found - wrong } else { found })
}

/// The ledger against itself, and against the end of the stream.
struct InLedger {
    /// Rows as they were counted when they went in, and one by one.
    tallied: i64,
    counted: i64,
    /// Rows of events that Redis has lost.
    ahead: i64,
    set_aside: i64,
}

impl InLedger {
    async fn read(ledger: &Ledger, known: Option<&LedgerSale>, end: EventId) -> Result<Self> {
        let mut found = Self { tallied: 0, counted: 0, ahead: 0, set_aside: 0 };
        let Some(known) = known else { return Ok(found) };
        found.set_aside = known.dead_letters.cast_signed();
        for outcome in outcome::OF_ORDERS {
            // As far as the ledger was when it said how many.
            let (upto, lines) = ledger.tally_at(known.number, outcome).await?;
            found.tallied += lines;
            found.counted += ledger.count_between(known.number, outcome, EventId::default(), upto).await?;
            let position = known.position.event_id;
            if position > end {
                found.ahead += ledger.count_between(known.number, outcome, end, position).await?;
            }
        }
        Ok(found)
    }
}

/// The figures of `audit.lua`.
struct Figures {
    event_id: EventId,
    limit: i64,
    seats: Vec<u8>,
    counts: HashMap<String, i64>,
    stats: HashMap<String, i64>,
    holders: i64,
    deadlines: i64,
}

/// A reply of `audit.lua`, without code and event.
pub(super) async fn ask(store: &Store, sale: &str, args: &[&str; 3]) -> Result<(EventId, vec::IntoIter<Value>)> {
    let keys = AUDIT_PARTS.map(|part| key(sale, part));
    let values: Vec<Value> = store.eval(&AUDIT, &keys, args).await?;
    let mut values = values.into_iter();
    if take::<i64>(&mut values)? != reply::DONE {
        return Err(Error::unknown_sale(sale));
    }
    let event_id = take::<String>(&mut values)?.parse()?;
    Ok((event_id, values))
}

pub(super) fn take<T: FromRedisValue>(values: &mut impl Iterator<Item = Value>) -> Result<T> {
    from_redis_value(values.next().unwrap_or(Value::Nil)).map_err(garbled)
}

async fn figures(store: &Store, sale: &str) -> Result<Figures> {
    let (event_id, mut values) = ask(store, sale, &["figures", "0", "0"]).await?;
    Ok(Figures {
        event_id,
        limit: take(&mut values)?,
        seats: take(&mut values)?,
        counts: take(&mut values)?,
        stats: take(&mut values)?,
        holders: take(&mut values)?,
        deadlines: take(&mut values)?,
    })
}

/// The history up to E beside the figures of E.
#[derive(Default)]
struct Moment {
    /// Expected and found of each category: all seats by the counts; free, held and sold ones by the seats
    /// themselves and by the counts.
    seats: Vec<(i64, i64)>,
    free: Vec<(i64, i64)>,
    held: Vec<(i64, i64)>,
    sold: Vec<(i64, i64)>,
    /// Orders as they were counted and as they were told, by what became of them.
    events: Vec<(i64, i64)>,
    /// Seats in two orders.
    doubled: i64,
    /// Orders whose seats are not all in the order's state.
    half_done: i64,
    live_seats: i64,
    held_orders: i64,
    over_limit: i64,
    /// Seats that are taken by no order, and what was told and cannot be.
    unexpected: i64,
    /// Cents of the seats that are sold.
    sold_cents: Cents,
}

impl Moment {
    /// Marks the orders, too, of which a seat is free for others.
    fn compare(tale: &mut Tale, figures: &Figures) -> Self {
        let mut found = Self { unexpected: tale.strays, ..Self::default() };
        let floor = tale.floor.clone();
        for (number, (category, price)) in (1..).zip(floor.hall.categories.iter().zip(&floor.prices)) {
            found.category(number, category, *price, figures);
        }
        for outcome in outcome::OF_ORDERS {
            let told = tale.changes.get(outcome).copied().unwrap_or(0);
            found.events.push((figures.stats.get(outcome).copied().unwrap_or(0), told));
        }
        let sign = |seat: u32| figures.seats.get(seat as usize).copied().unwrap_or(b'?');
        for (seat, told) in (0..).zip(&tale.seats) {
            found.doubled += i64::from(told.live > 1);
            found.live_seats += i64::from(told.live > 0);
            found.unexpected += i64::from(told.live <= 0 && sign(seat) != b'0');
        }
        for told in &mut tale.orders {
            let state = told.state();
            found.held_orders += i64::from(state == OrderState::Held);
            let must = if state == OrderState::Paid { b'2' } else { b'1' };
            let is_other = told.is_live() && told.seats.iter().any(|seat| sign(*seat) != must);
            found.half_done += i64::from(is_other || told.is_partial());
            told.seen.wrong = told.is_live() && told.seats.iter().any(|seat| ![b'1', b'2'].contains(&sign(*seat)));
        }
        found.over_limit = tale.buyers.values().filter(|buyer| buyer.tickets > figures.limit).count() as i64;
        found
    }

    fn category(&mut self, number: usize, category: &Category, price: Cents, figures: &Figures) {
        let seats = category.seats.start as usize..category.seats.end as usize;
        let stored = figures.seats.get(seats).unwrap_or_default();
        let stored = |sign: u8| stored.iter().filter(|seat| **seat == sign).count() as i64;
        let count = |state: &str| figures.counts.get(&format!("{state}:{number}")).copied().unwrap_or(0);
        let (free, held, sold) = (count("free"), count("held"), count("sold"));
        self.seats.push((category.seats.len() as i64, free + held + sold));
        self.free.push((stored(b'0'), free));
        self.held.push((stored(b'1'), held));
        self.sold.push((stored(b'2'), sold));
        self.sold_cents += stored(b'2') * price;
    }
}
