//! What is known about an order: its rows in the ledger, and its state in Redis.

use crate::{ledger, ticket::api};
use futures::future;
use model::{
    Cents,
    error::{Code, Error, Result},
    ledger::{Row, Status},
    life::Currency,
    ticket::{Order, OrderState, outcome},
    url::parameter,
};
use serde::{Deserialize, Serialize};

/// The rows of an order that are read: more than an order has, unless it is paid again and again.
const ROWS: u32 = 500;

/// What the address asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderQuery {
    /// The id of the order.
    pub order: String,
    /// The id of its sale, if the link says it.
    pub sale: Option<String>,
}

impl OrderQuery {
    /// Reads an address: the order in its path, and its query.
    pub fn parse(order: String, query: &str) -> Self {
        Self { order, sale: parameter(query, "sale") }
    }
}

/// An order, as far as it is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderFacts {
    /// The id of the order.
    pub order: String,
    /// The id of its sale.
    pub sale: String,
    /// Its rows in the ledger, newest first; none if it is not recorded yet.
    pub rows: Vec<Row>,
    /// Whether the ledger has more rows, which are older.
    pub is_partial: bool,
    /// The order in Redis.
    pub now: Option<Order>,
    /// Why it is not in Redis, or could not be read.
    pub absence: Option<Code>,
    /// How far the ledger is with the sale; `None` if that is not known.
    pub status: Option<Status>,
}

/// A seat of the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderSeat {
    /// The id of the seat.
    pub seat: String,
    /// Its price; `None` while the ledger does not have it.
    pub cents: Option<Cents>,
    /// The name of the person for whom it is.
    pub holder: Option<String>,
    /// It came back with a part of the order.
    pub is_returned: bool,
}

/// Loads an order. The ledger tells its sale, unless the address does.
///
/// # Errors
/// `unknown_order` if neither ledger nor Redis has it; `bad_request`, `ledger_unavailable`.
pub async fn load(query: OrderQuery) -> Result<OrderFacts> {
    let OrderQuery { order, sale } = query;
    let found = ledger::api::search(
        Some(model::ticket::INFO.id.to_owned()),
        sale.clone(),
        None,
        None,
        Some(order.clone()),
        None,
        None,
        None,
        Some(ROWS),
        None,
    );
    let page = found.await?;
    let unknown = || Error::of_field(Code::UnknownOrder, "order", format!("There is no order \"{order}\"."));
    let sale = page.rows.first().map(|row| row.sale.clone()).or(sale).ok_or_else(unknown)?;
    let (status, now) =
        future::join(ledger::api::status(Some(sale.clone())), api::order(sale.clone(), order.clone())).await;
    if page.rows.is_empty()
        && let Err(error) = &now
    {
        return Err(match error.code {
            Code::UnknownSale | Code::SaleArchived => unknown(),
            _ => error.clone(),
        });
    }
    let is_partial = page.next.is_some();
    let absence = now.as_ref().err().map(|error| error.code);
    Ok(OrderFacts { sale, rows: page.rows, is_partial, now: now.ok(), absence, status: status.ok(), order })
}

impl OrderFacts {
    /// The user, once the ledger has the order.
    pub fn user(&self) -> Option<String> {
        self.rows.iter().find_map(|row| row.user.clone())
    }

    /// The state in Redis, or else that of the latest row.
    pub fn state(&self) -> Option<OrderState> {
        let now = self.now.as_ref().map(|order| order.state);
        // After a part of it came back, an order is what it was before.
        let has_seats = self.seats().iter().any(|seat| !seat.is_returned);
        let mut rows = self.rows.iter().filter(|row| !has_seats || !is_returned_part(row));
        now.or_else(|| rows.find_map(|row| state_after(&row.outcome)))
    }

    /// The price of the seats that the order has, or had when it ended.
    pub fn cents(&self) -> Cents {
        if let Some(order) = &self.now {
            return order.cents;
        }
        let left: Vec<_> = self.seats().into_iter().filter(|seat| !seat.is_returned).collect();
        if !left.is_empty() {
            return left.iter().filter_map(|seat| seat.cents).sum();
        }
        // The last part was all that it had.
        let mut parts = self.rows.iter().filter(|row| is_returned_part(row)).peekable();
        let last = parts.peek().map(|row| (row.event_id, row.request_id.clone()));
        parts.filter(|row| last == Some((row.event_id, row.request_id.clone()))).map(|row| row.cents).sum()
    }

    /// Whether it is held or paid, in Redis.
    pub fn is_live(&self) -> bool {
        self.now.as_ref().is_some_and(|order| !order.state.is_over())
    }

    /// The currency of all amounts, as the ledger's rows have it.
    pub fn currency(&self) -> Currency {
        self.rows.iter().find(|row| row.cents != 0).map(|row| row.currency).unwrap_or_default()
    }

    /// The seats, in the order in which they were held, also those that came back.
    pub fn seats(&self) -> Vec<OrderSeat> {
        let has = self.now.as_ref().filter(|order| !order.state.is_over()).map(|order| &order.seats);
        let returned: Vec<_> =
            self.rows.iter().filter(|row| is_returned_part(row)).filter_map(|row| row.item.as_ref()).collect();
        let seat = |row: &Row| {
            let holder = row.holder.clone().filter(|holder| !holder.is_empty());
            let seat = row.item.clone()?;
            // Redis knows it before the ledger.
            let is_returned = returned.contains(&&seat) || has.is_some_and(|has| !has.contains(&seat));
            Some(OrderSeat { seat, cents: Some(row.cents), holder, is_returned })
        };
        let mut seats: Vec<OrderSeat> = self.held().filter_map(seat).collect();
        seats.reverse();
        if seats.is_empty() {
            let now = self.now.iter().flat_map(|order| order.seats.clone());
            seats = now.map(|seat| OrderSeat { seat, cents: None, holder: None, is_returned: false }).collect();
        }
        seats
    }

    /// The rows by which seats were held, newest first.
    fn held(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.outcome == outcome::HELD)
    }
}

/// Whether a row is of a part of an order that came back. Those of whole orders that end have no request id.
fn is_returned_part(row: &Row) -> bool {
    [outcome::CANCELLED, outcome::REFUNDED].contains(&row.outcome.as_str()) && row.request_id.is_some()
}

/// The state of an order after a row with this outcome; `None` if the row left it as it was.
fn state_after(name: &str) -> Option<OrderState> {
    match name {
        outcome::HELD => Some(OrderState::Held),
        outcome::PAID => Some(OrderState::Paid),
        outcome::CANCELLED => Some(OrderState::Cancelled),
        outcome::REFUNDED => Some(OrderState::Refunded),
        outcome::EXPIRED => Some(OrderState::Expired),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{EventId, ledger::HistoryCursor};

    fn row(event: u64, place: i64, outcome: &str, seat: Option<&str>) -> Row {
        let event_id = EventId { millis: event, sequence: 0 };
        Row {
            id: HistoryCursor { event_id, sale_no: 1, place },
            kind: "ticket".to_owned(),
            sale: "s".to_owned(),
            event_id,
            place: 0,
            at: 1,
            outcome: outcome.to_owned(),
            user: Some("ann".to_owned()),
            request_id: None,
            item: seat.map(str::to_owned),
            cents: 50,
            currency: Currency::CNY,
            order: Some("o".to_owned()),
            holder: None,
            reason: None,
            recorded: 1,
        }
    }

    #[test]
    fn the_ledger_tells_what_redis_no_longer_has() {
        let held = [row(1, 1, "held", Some("A-2")), row(1, 0, "held", Some("A-1"))];
        let facts = |newer: &[Row], now| OrderFacts {
            order: "o".to_owned(),
            sale: "s".to_owned(),
            rows: newer.iter().chain(&held).cloned().collect(),
            is_partial: false,
            now,
            absence: None,
            status: None,
        };
        let late = row(3, 0, "late", None);
        let paid = row(2, 0, "paid", Some("A-1"));
        let archived = facts(&[late, paid], None);
        assert_eq!((archived.state(), archived.cents()), (Some(OrderState::Paid), 100));
        assert_eq!(archived.seats().iter().map(|seat| seat.seat.as_str()).collect::<Vec<_>>(), ["A-1", "A-2"]);
        let order = Order {
            order: "o".to_owned(),
            state: OrderState::Expired,
            seats: vec!["A-1".to_owned()],
            cents: 70,
            held_until: 1,
            extendable: false,
            together: None,
        };
        let living = facts(&[], Some(order.clone()));
        assert_eq!((living.state(), living.cents()), (Some(OrderState::Expired), 70), "Redis knows it better");
        let unrecorded = OrderFacts { rows: Vec::new(), ..living };
        assert_eq!(
            unrecorded.seats(),
            [OrderSeat { seat: "A-1".to_owned(), cents: None, holder: None, is_returned: false }]
        );
        assert_eq!(unrecorded.user(), None);
    }

    #[test]
    fn a_part_that_came_back_leaves_the_order_with_the_other_seats() {
        let part = |event: u64, outcome: &str, seat: &str| Row {
            request_id: Some(format!("c-{event}")),
            ..row(event, 0, outcome, Some(seat))
        };
        let held = [row(1, 2, "held", Some("A-3")), row(1, 1, "held", Some("A-2")), row(1, 0, "held", Some("A-1"))];
        let facts = |newer: &[Row]| OrderFacts {
            order: "o".to_owned(),
            sale: "s".to_owned(),
            rows: newer.iter().rev().chain(&held).cloned().collect(),
            is_partial: false,
            now: None,
            absence: None,
            status: None,
        };
        let back = |facts: &OrderFacts| facts.seats().iter().map(|seat| seat.is_returned).collect::<Vec<_>>();
        let mut changes =
            vec![part(2, "cancelled", "A-1"), row(3, 0, "paid", Some("A-2")), row(3, 1, "paid", Some("A-3"))];
        changes.push(part(4, "refunded", "A-2"));
        let one_left = facts(&changes);
        assert_eq!((one_left.state(), one_left.cents()), (Some(OrderState::Paid), 50));
        assert_eq!(back(&one_left), [true, true, false]);
        // The last one ends it.
        changes.push(part(5, "refunded", "A-3"));
        let over = facts(&changes);
        assert_eq!((over.state(), over.cents()), (Some(OrderState::Refunded), 50));
        assert_eq!(back(&over), [true, true, true]);
        // Redis has it already, the ledger does not.
        let order = Order {
            order: "o".to_owned(),
            state: OrderState::Held,
            seats: vec!["A-2".to_owned()],
            cents: 50,
            held_until: 1,
            extendable: false,
            together: None,
        };
        let living = OrderFacts { now: Some(order), ..facts(&[]) };
        assert_eq!(back(&living), [true, false, true]);
        assert!(living.is_live() && !over.is_live());
    }
}
