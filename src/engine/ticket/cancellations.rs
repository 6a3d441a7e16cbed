//! Cancellations, of whole orders and of parts of them, in the form of `cancel.lua`.

use crate::ticket::{
    attempts::seats_of,
    order_changes::{OrderChange, OrderDetail},
    scripts::{CANCEL, Places, pack, seat_id, unpack},
    venue::Venue,
};
use model::{
    Cents,
    error::{Code, Error, Result},
    ticket::{Cancellation, Cancelled, OrderState, hall::Hall},
};
use store::{
    reply::{AttemptReply, ReplyCode},
    script::Script,
};

/// A cancellation.
pub(super) struct Cancel {
    part: Option<Part>,
    /// Why, may be empty.
    reason: String,
}

/// A part of an order: some of its seats.
struct Part {
    request_id: String,
    places: Places,
}

impl Cancel {
    /// Returns the cancellation of a whole order, which identifies it.
    pub fn whole(reason: String) -> Self {
        Self { part: None, reason }
    }

    /// Returns the cancellation of these seats of an order.
    ///
    /// # Errors
    /// `bad_request` if one of them is not in the hall, or is named twice.
    pub fn part(hall: &Hall, order: &str, seats: &[String], request_id: String, reason: String) -> Result<Self> {
        let seats = seats_of(hall, seats, |id| not_of_order(id, order))?;
        Ok(Self { part: Some(Part { request_id, places: Places::of(&seats) }), reason })
    }
}

impl OrderChange for Cancel {
    type Answer = Cancelled;

    const SCRIPT: &'static Script = &CANCEL;

    fn args(&self) -> Vec<Vec<u8>> {
        let (request_id, places) = match &self.part {
            None => (Vec::new(), Vec::new()),
            Some(Part { request_id, places }) => (request_id.clone().into_bytes(), pack(places)),
        };
        vec![request_id, places, self.reason.clone().into_bytes()]
    }

    fn read(venue: &Venue, reply: &AttemptReply, order: &str) -> Result<Option<Cancelled>> {
        let cancellation = || -> Result<Cancellation> {
            let (detail, places, cancelled_cents): (OrderDetail, Places, Cents) = unpack(&reply.detail)?;
            let order = detail.order(venue)?;
            Ok(Cancellation { order, cancelled_seats: places.ids(&venue.hall)?, cancelled_cents })
        };
        match reply.code {
            ReplyCode::Done => {
                let done = cancellation()?;
                Ok(Some(match done.order.state {
                    // After a part of it came back, a paid order is still paid.
                    OrderState::Paid | OrderState::Refunded => Cancelled::Refunded(done),
                    _ => Cancelled::Cancelled(done),
                }))
            }
            ReplyCode::Repeat => Ok(Some(Cancelled::Repeat(cancellation()?))),
            ReplyCode::NotOfOrder => {
                let (row, place): (i64, i64) = unpack(&reply.detail)?;
                Err(not_of_order(&seat_id(&venue.hall, row, place)?, order))
            }
            ReplyCode::OtherRequest => Err(Error::of_field(
                Code::RequestReused,
                "request_id",
                "`request_id` was used for other seats of this order; nothing was cancelled. Use a new one.",
            )),
            _ => Ok(None),
        }
    }
}

/// Returns the error for a seat that the order does not have, or no longer.
fn not_of_order(seat: &str, order: &str) -> Error {
    let why = format!("`seats` names \"{seat}\", which the order \"{order}\" does not have; nothing was cancelled.");
    Error::bad("seats", why)
}
