//! Queries about a sale's seats and orders in Redis, one by one or for a comparison.

use crate::ticket::{
    scripts::{KIND, OrderRecord, key, unknown_order, unpack},
    service::Tickets,
    venue::Venue,
};
use model::{
    Millis, check_id,
    error::{Error, Result},
    life::HoldClock,
    ticket::{Order, OrderState, SeatInfo, SeatingPlan, outcome, seats::SeatState},
};
use store::{failure::damaged, stream::protocol_error};

/// The requests read at a time.
const AT_A_TIME: usize = 1_000;

impl Tickets {
    /// The hall and its prices.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn hall(&self, sale: &str) -> Result<SeatingPlan> {
        check_id("sale", sale)?;
        let venue = self.venues.get_living(sale).await?;
        Ok(SeatingPlan { layout: venue.hall.layout.clone(), prices: venue.prices.clone() })
    }

    /// A seat in its current state.
    ///
    /// # Errors
    /// `bad_request` for a seat that is not in the hall; `unknown_sale`, `unavailable`.
    pub async fn seat(&self, sale: &str, seat: &str) -> Result<SeatInfo> {
        check_id("sale", sale)?;
        let venue = self.venues.get_living(sale).await?;
        let Venue { hall, prices, .. } = venue.as_ref();
        let found = hall.find(seat).ok_or_else(|| {
            Error::bad("seat", format!("The hall has no seat \"{seat}\"; one looks like {}.", hall.an_id()))
        })?;
        let number = hall.number(found);
        let byte: Vec<u8> = self.store.query("GETRANGE", (key(sale, "seats"), number, number)).await?;
        let state = byte.first().and_then(|byte| SeatState::of(*byte));
        let state = state.ok_or_else(|| protocol_error(format!("seat {seat} has no state")))?;
        let held_until = match state {
            SeatState::Held => self.held_until(sale, number).await?,
            SeatState::Free | SeatState::Sold | SeatState::Blocked => None,
        };
        let category = usize::from(hall.rows[found.row as usize].category);
        let marks = hall.marks.get(&number).cloned().unwrap_or_default();
        Ok(SeatInfo {
            seat: hall.id(found),
            category: hall.categories[category].name.clone(),
            price_cents: prices[category],
            state,
            held_until,
            marks: marks.marks,
            note: marks.note,
            reason: if state == SeatState::Blocked { self.reason_of_block(sale, &hall.id(found)).await } else { None },
        })
    }

    /// Why an operator has blocked a seat. `None` also if the ledger does not know yet, or cannot be read: the seat is
    /// blocked all the same.
    async fn reason_of_block(&self, sale: &str, seat: &str) -> Option<String> {
        let known = self.ledger.sale(KIND, sale).await.ok()??;
        let changes = [outcome::BLOCKED, outcome::UNBLOCKED];
        let (newest, reason) = self.ledger.newest_of(known.number, seat, changes).await.ok()??;
        reason.filter(|_| newest == outcome::BLOCKED)
    }

    /// The deadline of a held seat; `None` if it is no longer held.
    async fn held_until(&self, sale: &str, number: u32) -> Result<Option<i64>> {
        let order: Option<String> = self.store.query("HGET", (key(sale, "holders"), number)).await?;
        let Some(order) = order else { return Ok(None) };
        let record: Option<Vec<u8>> = self.store.query("HGET", (key(sale, "orders"), order)).await?;
        let Some(record) = record else { return Ok(None) };
        Ok(Some(unpack::<OrderRecord>(&record)?.due + self.hold_lag(sale).await?))
    }

    /// An order in its current state.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unknown_order`, `unavailable`.
    pub async fn order(&self, sale: &str, order: &str) -> Result<Order> {
        check_id("sale", sale)?;
        check_id("order", order)?;
        let venue = self.venues.get_living(sale).await?;
        let record: Option<Vec<u8>> = self.store.query("HGET", (key(sale, "orders"), order)).await?;
        let record = record.ok_or_else(|| unknown_order(sale, order))?;
        let record: OrderRecord = unpack(&record).map_err(damaged)?;
        let places = record.places_now();
        let seats = places.ids(&venue.hall).map_err(damaged)?;
        let together = record.picks.are_together(&venue.hall, &places);
        let OrderRecord { state, cents, due, extended_by, .. } = record;
        let extendable = venue.can_extend(state, extended_by.is_some());
        let lag = if state == OrderState::Held { self.hold_lag(sale).await? } else { 0 };
        Ok(Order { order: order.to_owned(), state, seats, cents, held_until: due + lag, extendable, together })
    }

    /// By how much the hold time of a sale is behind the clock.
    async fn hold_lag(&self, sale: &str) -> Result<Millis> {
        let fields = (key(sale, "meta"), "held_ms", "paused_at", "hold_clock");
        let (held_ms, paused_at, clock): (Option<Millis>, Option<Millis>, Option<String>) =
            self.store.query("HMGET", fields).await?;
        let now = self.clock.now();
        let stopped = paused_at.filter(|_| clock.as_deref() == Some(HoldClock::Stops.name()));
        Ok(held_ms.unwrap_or_default() + stopped.map_or(0, |paused_at| (now - paused_at).max(0)))
    }

    /// The orders in their current states, in the order of the ids.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn records(&self, sale: &str, orders: &[&str]) -> Result<Vec<Option<OrderRecord>>> {
        if orders.is_empty() {
            return Ok(Vec::new());
        }
        let found: Vec<Option<Vec<u8>>> = self.store.query("HMGET", (key(sale, "orders"), orders)).await?;
        found.into_iter().map(|record| record.map(|record| unpack(&record)).transpose()).collect()
    }

    /// The orders that have these seats, in the order of the seats.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn holders(&self, sale: &str, seats: &[u32]) -> Result<Vec<Option<String>>> {
        if seats.is_empty() {
            return Ok(Vec::new());
        }
        self.store.query("HMGET", (key(sale, "holders"), seats)).await
    }

    /// The requests that got an order and begin with `prefix`, each with its order. The prefix has only letters, digits
    /// and `-`.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn requests(&self, sale: &str, prefix: &str) -> Result<Vec<(String, String)>> {
        let (key, pattern) = (key(sale, "requests"), format!("{prefix}-*"));
        let mut all = Vec::new();
        let mut cursor = "0".to_owned();
        loop {
            let (next, some): (String, Vec<(String, String)>) =
                self.store.query("HSCAN", (&key, cursor, "MATCH", &pattern, "COUNT", AT_A_TIME)).await?;
            all.extend(some);
            if next == "0" {
                return Ok(all);
            }
            cursor = next;
        }
    }
}
