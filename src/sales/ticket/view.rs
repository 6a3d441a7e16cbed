//! What is shown of a ticket sale: the whole at one event id, its plan, a seat, an order.

use super::{
    Declined, Order, Outcomes, SeatInfo, SeatingPlan, Snapshot, State,
    floor::Floor,
    hall::Hall,
    seats::{SeatState, Seats},
    service::{Record, SNAPSHOT, SNAPSHOT_PARTS, Tickets, Told, key, priced, reply, unknown_order, unpack, unreadable},
};
use crate::{
    crowd,
    domain::{EventId, check_id},
    error::{Error, Result},
    sales::declined::declined,
    store::stream::{Entry, garbled},
};
use redis::{Value, from_redis_value};
use std::collections::{BTreeMap, HashMap};

/// Attempts of the sample in a snapshot.
const SAMPLE: usize = 16;
/// Bytes of a row in `heat`.
const HEAT_BYTES: usize = 4;

/// A sale as it is now, with a byte for each seat as Redis has them.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Its `seats` say of no change.
    pub snapshot: Snapshot,
    pub seats: Vec<u8>,
}

impl View {
    /// What to tell of it to who has seen another state of it, or nothing yet.
    pub fn since(&self, seen: Option<&Self>) -> Snapshot {
        let seats = match seen {
            Some(seen) => Seats::since(&seen.seats, &self.seats),
            None => Seats::whole(&self.seats),
        };
        Snapshot { seats, ..self.snapshot.clone() }
    }
}

impl Tickets {
    /// The sale of one moment, every seat in it.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn snapshot(&self, sale: &str) -> Result<Snapshot> {
        Ok(self.view(sale).await?.since(None))
    }

    /// The sale of one moment.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn view(&self, sale: &str) -> Result<View> {
        check_id("sale", sale)?;
        let floor = self.floors.get(sale).await?;
        let keys = SNAPSHOT_PARTS.map(|part| key(sale, part));
        let reply: Vec<Value> = self.store.eval(&SNAPSHOT, &keys, &[SAMPLE]).await?;
        let mut reply = reply.into_iter();
        let mut next = || reply.next().unwrap_or(Value::Nil);
        if from_redis_value::<i64>(next()).map_err(garbled)? != reply::DONE {
            return Err(Error::unknown_sale(sale));
        }
        let (state, opened_at, limit, hold_ms): (String, i64, u32, u64) = from_redis_value(next()).map_err(garbled)?;
        let counts: HashMap<String, u32> = from_redis_value(next()).map_err(garbled)?;
        let stats: HashMap<String, u64> = from_redis_value(next()).map_err(garbled)?;
        let seats: Vec<u8> = from_redis_value(next()).map_err(garbled)?;
        let heat: Option<Vec<u8>> = from_redis_value(next()).map_err(garbled)?;
        let event_id: EventId = from_redis_value::<String>(next()).map_err(garbled)?.parse()?;
        let attempts: Vec<Entry> = from_redis_value(next()).map_err(garbled)?;
        let crowd: Option<String> = from_redis_value(next()).map_err(garbled)?;
        let hall = &floor.hall;
        if seats.len() != hall.seats() as usize || seats.iter().any(|byte| SeatState::of(*byte).is_none()) {
            return Err(garbled(format!("the seats of sale \"{sale}\" are not those of its hall")));
        }
        let by_category = |state: &str| -> BTreeMap<String, u32> {
            let names = hall.layout.categories.iter().zip(1..);
            names.map(|(name, c)| (name.clone(), counts.get(&format!("{state}:{c}")).copied().unwrap_or(0))).collect()
        };
        let snapshot = Snapshot {
            sale: sale.to_owned(),
            state: if state == "suspended" { State::Suspended } else { State::Open },
            event_id,
            opened_at,
            hold_s: hold_ms / 1_000,
            limit_per_user: limit,
            categories: priced(hall, &floor.prices),
            remaining: by_category("free"),
            held: by_category("held"),
            sold: by_category("sold"),
            outcomes: outcomes(&stats),
            calls: stats.get("calls").copied().unwrap_or(0),
            heat: heat_by_section(hall, &heat.unwrap_or_default()),
            declined: declined(&attempts, SAMPLE, declined_as)?,
            crowd: crowd.map(|json| crowd::runner::read(&json, self.clock.now())).transpose()?,
            seats: Seats::Changed(Vec::new()),
        };
        Ok(View { snapshot, seats })
    }

    /// The hall and its prices.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn hall(&self, sale: &str) -> Result<SeatingPlan> {
        check_id("sale", sale)?;
        let floor = self.floors.get(sale).await?;
        Ok(SeatingPlan { layout: floor.hall.layout.clone(), prices: floor.prices.clone() })
    }

    /// One seat as it is now.
    ///
    /// # Errors
    /// `bad_request` for a seat that the hall has not; `unknown_sale`, `unavailable`.
    pub async fn seat(&self, sale: &str, seat: &str) -> Result<SeatInfo> {
        check_id("sale", sale)?;
        let floor = self.floors.get(sale).await?;
        let Floor { hall, prices, .. } = floor.as_ref();
        let found = hall.find(seat).ok_or_else(|| {
            Error::bad("seat", format!("The hall has no seat \"{seat}\"; one looks like {}.", hall.an_id()))
        })?;
        let number = hall.number(found);
        let byte: Vec<u8> = self.store.query("GETRANGE", (key(sale, "seats"), number, number)).await?;
        let state = byte.first().and_then(|byte| SeatState::of(*byte));
        let state = state.ok_or_else(|| garbled(format!("seat {seat} has no state")))?;
        let held_until = match state {
            SeatState::Held => self.held_until(sale, number).await?,
            SeatState::Free | SeatState::Sold => None,
        };
        let category = usize::from(hall.rows[found.row as usize].category);
        Ok(SeatInfo {
            seat: seat.to_owned(),
            category: hall.categories[category].name.clone(),
            price_cents: prices[category],
            state,
            held_until,
        })
    }

    /// When a seat that is held is due; none where it is held no longer.
    async fn held_until(&self, sale: &str, number: u32) -> Result<Option<i64>> {
        let order: Option<String> = self.store.query("HGET", (key(sale, "holders"), number)).await?;
        let Some(order) = order else { return Ok(None) };
        let record: Option<Vec<u8>> = self.store.query("HGET", (key(sale, "orders"), order)).await?;
        record.map(|record| Ok(unpack::<Record>(&record)?.due)).transpose()
    }

    /// An order as it stands.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unknown_order`, `unavailable`.
    pub async fn order(&self, sale: &str, order: &str) -> Result<Order> {
        check_id("sale", sale)?;
        check_id("order", order)?;
        let floor = self.floors.get(sale).await?;
        let record: Option<Vec<u8>> = self.store.query("HGET", (key(sale, "orders"), order)).await?;
        let record = record.ok_or_else(|| unknown_order(sale, order))?;
        let Record { state, cents, due, places, .. } = rmp_serde::from_slice(&record).map_err(|_| unreadable(sale))?;
        let told = Told { order: order.to_owned(), state, cents, due, places };
        told.read(&floor.hall).map_err(|_| unreadable(sale))
    }
}

fn outcomes(stats: &HashMap<String, u64>) -> Outcomes {
    let stat = |name: &str| stats.get(name).copied().unwrap_or(0);
    Outcomes {
        held: stat("held"),
        repeat: stat("repeat"),
        seat_taken: stat("seat_taken"),
        not_enough_seats: stat("not_enough_seats"),
        limit_reached: stat("limit_reached"),
        paid: stat("paid"),
        late: stat("late"),
        cancelled: stat("cancelled"),
        refunded: stat("refunded"),
        expired: stat("expired"),
    }
}

/// Sums the rows' counts, which Redis keeps high byte first and only as far as the last row that anybody wanted.
fn heat_by_section(hall: &Hall, heat: &[u8]) -> Vec<u64> {
    let mut sections = vec![0; hall.layout.sections.len()];
    for (row, count) in hall.rows.iter().zip(heat.chunks_exact(HEAT_BYTES)) {
        let count = count.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        sections[usize::from(row.section)] += count;
    }
    sections
}

/// What a reply code means to whoever got nothing.
fn declined_as(code: i64) -> Declined {
    match code {
        reply::REPEAT => Declined::Repeat,
        reply::SEAT_TAKEN => Declined::SeatTaken,
        reply::LIMIT_REACHED => Declined::LimitReached,
        reply::OTHER_USER => Declined::OtherUser,
        _ => Declined::NotEnoughSeats,
    }
}
