//! What the ledger records for a ticket sale, and how it uses the kind.
//!
//! Each change of each seat is one row, with its order if it has one. So a sale can be rebuilt, and searched by user,
//! request and seat. A late payment and the extension of a hold are one row for the whole order, because no seat
//! changed. The rows of a part that came back have its request id; those of a whole order that was cancelled have none.

use crate::{
    expiry::settle,
    life::history::{DIGEST, LifeFields, given_plan, interpret},
    reasons::reasons,
    ticket::{
        scripts::{LASTING, Picks, Places},
        service::Tickets,
        venue::{EXTENDABLE, StoredTerms, Venue},
    },
};
use futures::future::BoxFuture;
use ledger::kind::{Change, DeadLetters, Interpretation, Interpreter, LastingParts, LedgerKind, Recovered};
use model::{
    Audit, Cents, Millis,
    error::{Code, Result},
    ticket::{OrderState, outcome},
};
use serde::Deserialize;
use std::sync::{Arc, OnceLock};
use store::stream::{Entry, Read, Unreadable, event_type, number_field, packed, text_field};

impl LedgerKind for Tickets {
    fn interpreter<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Interpreter>> {
        Box::pin(async move {
            let known = OnceLock::new();
            match self.venues.find(sale).await {
                Ok(venue) => _ = known.set(venue),
                // Neither Redis nor the ledger has the hall; the sale's first event does, if it is among the entries to
                // read.
                Err(error) if error.code == Code::UnknownSale => {}
                Err(error) => return Err(error),
            }
            let interpreter: Interpreter = Arc::new(move |entry| {
                read(entry, &known).map_err(|Unreadable(why)| why)?.ok_or_else(|| {
                    format!(
                        "ticket sales have no event \"{}\"",
                        String::from_utf8_lossy(event_type(entry).unwrap_or_default())
                    )
                })
            });
            Ok(interpreter)
        })
    }

    fn lasting(&self) -> &'static LastingParts {
        &LASTING
    }

    fn audit<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Audit>> {
        Box::pin(self.audit(sale))
    }

    fn recover<'a>(&'a self, sale: &'a str, dead_letters: DeadLetters) -> BoxFuture<'a, Result<Recovered>> {
        Box::pin(self.recover(sale, dead_letters))
    }

    fn settle<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(settle(self, sale, self.clock.now()))
    }

    fn sweep(&self) -> BoxFuture<'_, Result<u64>> {
        Box::pin(self.sweep())
    }
}

/// Interprets an entry; `None` if its event is unknown.
fn read(entry: &Entry, known: &OnceLock<Arc<Venue>>) -> Read<Option<Interpretation>> {
    let at = number_field(entry, "at")?;
    let Some(event) = read_event(entry)? else { return interpret(entry) };
    let one = |outcome, cents| vec![Change { outcome, cents, ..Change::default() }];
    let mut reading = Interpretation { at, ..Interpretation::default() };
    reading.changes = match event {
        Event::Opened => {
            let terms = stored_terms(entry)?;
            reading.terms = serde_json::to_string(&terms).ok();
            // A hall takes a while to build, and is the same for ever.
            let venue = match known.get() {
                Some(venue) => venue.clone(),
                None => Arc::new(terms.venue().map_err(|error| Unreadable(error.message))?),
            };
            let worth = venue.hall.categories.iter().zip(&venue.prices);
            let worth = worth.map(|(category, price)| category.seats.len() as Cents * price).sum();
            _ = known.set(venue);
            one(outcome::OPENED, worth)
        }
        Event::Closed => one(outcome::CLOSED, 0),
        Event::Recovered => one(outcome::RECOVERED, 0),
        changes => {
            let venue = known.get().ok_or_else(|| Unreadable("the hall of this sale is unknown".to_owned()))?;
            Changes { entry, venue, changes: Vec::new() }.read(changes)?
        }
    };
    Ok(Some(reading))
}

/// Collects the changes of an entry.
struct Changes<'a> {
    entry: &'a Entry,
    venue: &'a Venue,
    changes: Vec<Change>,
}

impl Changes<'_> {
    fn read(mut self, event: Event) -> Read<Vec<Change>> {
        match event {
            Event::Reserved(orders) => {
                for Reserved { user, request_id, order, places, holders, picks, .. } in orders {
                    let like = Change { user: Some(user), order: Some(order), ..Change::default() };
                    let like = Change { request_id: Some(request_id), requested: Some(picks.to_string()), ..like };
                    self.seats(outcome::HELD, like, &places, holders)?;
                }
            }
            Event::Extended(orders) => {
                for (Extended { user, order, request_id }, reason) in orders.into_iter().zip(reasons(self.entry)?) {
                    let (user, order, request_id) = (Some(user), Some(order), Some(request_id));
                    let outcome = outcome::EXTENDED;
                    self.changes.push(Change { outcome, user, order, request_id, reason, ..Change::default() });
                }
            }
            Event::Paid { paid, late } => {
                for order in paid {
                    self.moved(outcome::PAID, order, None)?;
                }
                for Moved { user, order, cents, request_id, .. } in late {
                    let (user, order, request_id) = (Some(user), Some(order), non_empty(request_id));
                    let outcome = outcome::LATE;
                    self.changes.push(Change { outcome, user, order, request_id, cents, ..Change::default() });
                }
            }
            Event::Cancelled(orders) => {
                for (order, reason) in orders.into_iter().zip(reasons(self.entry)?) {
                    self.moved(order.outcome(), order.moved(), reason)?;
                }
            }
            Event::Expired(orders) => {
                for order in orders {
                    self.moved(outcome::EXPIRED, order, None)?;
                }
            }
            Event::Blocked { outcome, places, request_id, digest, reason } => {
                let fields = LifeFields::from([(DIGEST.to_owned(), digest)]);
                let requested = Some(serde_json::to_string(&fields).unwrap_or_default());
                let like =
                    Change { request_id: Some(request_id), requested, reason: non_empty(reason), ..Change::default() };
                self.seats(outcome, like, &places, Vec::new())?;
                // No money changes hands.
                self.changes.iter_mut().for_each(|change| change.cents = 0);
            }
            Event::Opened | Event::Closed | Event::Recovered => {}
        }
        Ok(self.changes)
    }

    fn moved(&mut self, outcome: &'static str, order: Moved, reason: Option<String>) -> Read<()> {
        let Moved { user, order, places, request_id, .. } = order;
        let request_id = non_empty(request_id);
        let like = Change { user: Some(user), order: Some(order), request_id, reason, ..Change::default() };
        self.seats(outcome, like, &places, Vec::new())
    }

    /// A row for each seat of an order.
    fn seats(&mut self, outcome: &'static str, mut like: Change, places: &Places, holders: Vec<String>) -> Read<()> {
        let hall = &self.venue.hall;
        let seats = places.seats(hall);
        let seats =
            seats.ok_or_else(|| Unreadable(format!("entry {} has seats that are not in the hall", self.entry.0)))?;
        let mut holders = holders.into_iter();
        for seat in seats {
            let cents = self.venue.price(seat.row);
            let (item, holder, requested) = (Some(hall.id(seat)), holders.next(), like.requested.take());
            self.changes.push(Change { outcome, item, cents, holder, requested, ..like.clone() });
        }
        Ok(())
    }
}

/// The content of an event.
pub(super) enum Event {
    Opened,
    Reserved(Vec<Reserved>),
    Extended(Vec<Extended>),
    Paid {
        paid: Vec<Moved>,
        late: Vec<Moved>,
    },
    Cancelled(Vec<Ended>),
    Expired(Vec<Moved>),
    /// Seats that an operator has blocked or unblocked, as `outcome` says.
    Blocked {
        outcome: &'static str,
        places: Places,
        request_id: String,
        /// Of the change as it was given, by which it is told from another of the same request.
        digest: String,
        /// May be empty.
        reason: String,
    },
    Closed,
    Recovered,
}

/// A new order. A list in the event, in this order.
#[derive(Deserialize)]
pub(super) struct Reserved {
    pub user: String,
    pub request_id: String,
    pub order: String,
    pub cents: Cents,
    pub due: Millis,
    pub places: Places,
    pub holders: Vec<String>,
    pub picks: Picks,
}

/// An order whose hold was extended. A list in the event, in this order.
#[derive(Deserialize)]
pub(super) struct Extended {
    pub user: String,
    pub order: String,
    pub request_id: String,
}

/// Seats that came back: a whole order that was cancelled or refunded, or a part of one. A list in the event, in this
/// order.
#[derive(Deserialize)]
pub(super) struct Ended {
    user: String,
    order: String,
    state: OrderState,
    cents: Cents,
    places: Places,
    /// Of a part; empty for a whole order.
    #[serde(default)]
    request_id: String,
}

impl Ended {
    pub fn outcome(&self) -> &'static str {
        if self.state == OrderState::Refunded { outcome::REFUNDED } else { outcome::CANCELLED }
    }

    pub fn moved(self) -> Moved {
        let Self { user, order, cents, places, request_id, .. } = self;
        Moved { user, order, cents, places, request_id }
    }
}

/// An order that changed state. A list in the event, in this order.
#[derive(Deserialize)]
pub(super) struct Moved {
    pub user: String,
    pub order: String,
    pub cents: Cents,
    pub places: Places,
    /// Of a payment, or of a part that came back; empty for other changes.
    #[serde(default)]
    pub request_id: String,
}

/// A request id or a reason, where there is one.
fn non_empty(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// Reads an entry; `None` if its event is unknown.
///
/// # Errors
/// If it does not have the form that the scripts write.
pub(super) fn read_event(entry: &Entry) -> Read<Option<Event>> {
    Ok(Some(match event_type(entry)? {
        b"opened" => Event::Opened,
        b"reserved" => Event::Reserved(packed(entry, "data")?),
        b"paid" => Event::Paid { paid: packed(entry, "data")?, late: packed(entry, "late")? },
        b"extended" => Event::Extended(packed(entry, "data")?),
        b"cancelled" => Event::Cancelled(packed(entry, "data")?),
        b"expired" => Event::Expired(packed(entry, "data")?),
        name @ (b"blocked" | b"unblocked") => Event::Blocked {
            outcome: if name == b"blocked" { outcome::BLOCKED } else { outcome::UNBLOCKED },
            places: Places(packed(entry, "data")?),
            request_id: packed::<String>(entry, "request")?.pop().unwrap_or_default(),
            digest: text_field(entry, DIGEST)?.to_owned(),
            reason: text_field(entry, "reason")?.to_owned(),
        },
        b"closed" => Event::Closed,
        b"recovered" => Event::Recovered,
        _ => return Ok(None),
    }))
}

/// The terms of an `opened` event.
fn stored_terms(entry: &Entry) -> Read<StoredTerms> {
    let unreadable = |name: &str| Unreadable(format!("the `{name}` of entry {} cannot be read", entry.0));
    Ok(StoredTerms {
        hall: serde_json::from_str(text_field(entry, "hall")?).map_err(|_| unreadable("hall"))?,
        prices: serde_json::from_str(text_field(entry, "prices")?).map_err(|_| unreadable("prices"))?,
        limit: u32::try_from(number_field(entry, "limit")?).map_err(|_| unreadable("limit"))?,
        hold_ms: number_field(entry, "hold_ms")?,
        extendable: entry.1.text("extendable") == EXTENDABLE,
        opened_at: number_field(entry, "at")?,
        plan: given_plan(entry)?,
    })
}
