//! What the ledger writes of a ticket sale, and what it asks of one.
//!
//! One row for each seat and change, with the order: so a sale can be built anew, and who sat where when is
//! found by user, request and seat. A payment that came too late is one row for the order: no seat moved.

use super::{
    OrderState,
    event::{self, Event, Moved, Places, Reserved},
    floor::Floor,
    hall::Layout,
    outcome,
    service::Tickets,
};
use crate::{
    domain::{Audit, Cents, Millis},
    error::{Code, Result},
    ledger::kind::{Change, Interpretation, Interpreter, LedgerKind, Recovered},
    store::stream::{Entry, Read, Unreadable, event_type, number_field},
};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// What a sale was opened on, as the ledger keeps it: all that it takes to build it anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    pub hall: Layout,
    pub prices: Vec<Cents>,
    pub limit: u32,
    pub hold_ms: Millis,
    pub opened_at: Millis,
}

impl Kept {
    pub(super) fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    pub(super) fn floor(self) -> Result<Floor> {
        Floor::new(self.hall, self.prices, self.hold_ms)
    }
}

impl LedgerKind for Tickets {
    fn interpreter<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Interpreter>> {
        Box::pin(async move {
            let known = OnceLock::new();
            match self.floors.find(sale).await {
                Ok(floor) => _ = known.set(floor),
                // Nobody has it any more; its first event tells it, where that is to be read.
                Err(error) if error.code == Code::UnknownSale => {}
                Err(error) => return Err(error),
            }
            let interpreter: Interpreter = Arc::new(move |entry| {
                read(entry, &known).map_err(|Unreadable(why)| why)?.ok_or_else(|| {
                    format!("no event of a ticket sale is called \"{}\"", String::from_utf8_lossy(event_type(entry)))
                })
            });
            Ok(interpreter)
        })
    }

    fn audit<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Audit>> {
        Box::pin(self.audit(sale))
    }

    fn recover<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Recovered>> {
        Box::pin(self.recover(sale))
    }

    fn sweep(&self) -> BoxFuture<'_, Result<u64>> {
        Box::pin(self.sweep())
    }
}

/// `None` where the event is none of ours.
fn read(entry: &Entry, known: &OnceLock<Arc<Floor>>) -> Read<Option<Interpretation>> {
    let at = number_field(entry, "at")?;
    let Some(event) = event::read(entry)? else { return Ok(None) };
    let one = |outcome, cents| vec![Change { outcome, cents, ..Change::default() }];
    let mut reading = Interpretation { at, ..Interpretation::default() };
    reading.changes = match event {
        Event::Opened => {
            let kept = event::terms(entry)?;
            reading.terms = serde_json::to_string(&kept).ok();
            let floor = kept.floor().map_err(|error| Unreadable(error.message))?;
            let worth = floor.hall.categories.iter().zip(&floor.prices);
            let worth = worth.map(|(category, price)| category.seats.len() as Cents * price).sum();
            _ = known.set(Arc::new(floor));
            one(outcome::OPENED, worth)
        }
        Event::Recovered => one(outcome::RECOVERED, 0),
        changes => {
            let floor = known.get().ok_or_else(|| Unreadable("nobody knows the hall of this sale".to_owned()))?;
            Lines { entry, floor, lines: Vec::new() }.read(changes)?
        }
    };
    Ok(Some(reading))
}

/// The rows of an entry, as they come together.
struct Lines<'a> {
    entry: &'a Entry,
    floor: &'a Floor,
    lines: Vec<Change>,
}

impl Lines<'_> {
    fn read(mut self, event: Event) -> Read<Vec<Change>> {
        match event {
            Event::Reserved(orders) => {
                for Reserved { user, request_id, order, places, holders, .. } in orders {
                    let like = Change { user: Some(user), order: Some(order), ..Change::default() };
                    let like = Change { request_id: Some(request_id), ..like };
                    self.seats(outcome::HELD, &like, &places, holders)?;
                }
            }
            Event::Paid { paid, late } => {
                self.moved(outcome::PAID, paid)?;
                for Moved { user, order, cents, .. } in late {
                    let (user, order) = (Some(user), Some(order));
                    self.lines.push(Change { outcome: outcome::LATE, user, order, cents, ..Change::default() });
                }
            }
            Event::Cancelled(orders) => {
                for (state, order) in orders {
                    let refunded = state == OrderState::Refunded;
                    self.moved(if refunded { outcome::REFUNDED } else { outcome::CANCELLED }, vec![order])?;
                }
            }
            Event::Expired(orders) => self.moved(outcome::EXPIRED, orders)?,
            Event::Opened | Event::Recovered => {}
        }
        Ok(self.lines)
    }

    fn moved(&mut self, outcome: &'static str, orders: Vec<Moved>) -> Read<()> {
        for Moved { user, order, places, .. } in orders {
            let like = Change { user: Some(user), order: Some(order), ..Change::default() };
            self.seats(outcome, &like, &places, Vec::new())?;
        }
        Ok(())
    }

    /// A row for each seat of an order.
    fn seats(&mut self, outcome: &'static str, like: &Change, places: &Places, holders: Vec<String>) -> Read<()> {
        let hall = &self.floor.hall;
        let seats = places.seats(hall);
        let seats =
            seats.ok_or_else(|| Unreadable(format!("entry {} has seats that the hall has not", self.entry.0)))?;
        let mut holders = holders.into_iter();
        for seat in seats {
            let cents = self.floor.price(seat.row);
            let (item, holder) = (Some(hall.id(seat)), holders.next());
            self.lines.push(Change { outcome, item, cents, holder, ..like.clone() });
        }
        Ok(())
    }
}
