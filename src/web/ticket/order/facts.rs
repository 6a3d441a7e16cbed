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
        now.or_else(|| self.rows.iter().find_map(|row| state_after(&row.outcome)))
    }

    /// The price of all seats.
    pub fn cents(&self) -> Cents {
        let held = || self.held().map(|row| row.cents).sum();
        self.now.as_ref().map_or_else(held, |order| order.cents)
    }

    /// The currency of all amounts, as the ledger's rows have it.
    pub fn currency(&self) -> Currency {
        self.rows.iter().find(|row| row.cents != 0).map(|row| row.currency).unwrap_or_default()
    }

    /// The seats, in the order in which they were held.
    pub fn seats(&self) -> Vec<OrderSeat> {
        let seat = |row: &Row| {
            let holder = row.holder.clone().filter(|holder| !holder.is_empty());
            Some(OrderSeat { seat: row.item.clone()?, cents: Some(row.cents), holder })
        };
        let mut seats: Vec<OrderSeat> = self.held().filter_map(seat).collect();
        seats.reverse();
        if seats.is_empty() {
            let now = self.now.iter().flat_map(|order| order.seats.clone());
            seats = now.map(|seat| OrderSeat { seat, cents: None, holder: None }).collect();
        }
        seats
    }

    /// The rows by which seats were held, newest first.
    fn held(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.outcome == outcome::HELD)
    }
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
        };
        let living = facts(&[], Some(order.clone()));
        assert_eq!((living.state(), living.cents()), (Some(OrderState::Expired), 70), "Redis knows it better");
        let unrecorded = OrderFacts { rows: Vec::new(), ..living };
        assert_eq!(unrecorded.seats(), [OrderSeat { seat: "A-1".to_owned(), cents: None, holder: None }]);
        assert_eq!(unrecorded.user(), None);
    }
}
