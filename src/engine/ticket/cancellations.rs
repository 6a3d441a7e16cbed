//! Batched cancellations, of whole orders and of parts of them, in the form of `cancel.lua`.

use crate::ticket::{
    attempts::OrderDetail,
    scripts::{CANCEL, KIND, ORDERS_AT_A_TIME, Places, pack, seat_id, unknown_order, unpack},
    venue::{Venue, VenueCache},
};
use model::{
    Cents,
    error::{Code, Error, Result},
    ticket::{Cancellation, Cancelled, OrderState, hall::Hall},
};
use std::sync::Arc;
use store::{
    Store,
    batcher::BatchCall,
    reply::{AttemptReply, ReplyCode},
    runtime::Clock,
};

/// A cancellation that waits for its batch.
pub(super) struct CancelAttempt {
    pub order: String,
    /// The part that is to come back; `None` for the whole order, which identifies its cancellation.
    pub part: Option<Part>,
}

/// A part of an order.
pub(super) struct Part {
    request_id: String,
    places: Places,
}

impl CancelAttempt {
    /// The cancellation of these seats of an order.
    ///
    /// # Errors
    /// `bad_request` if one of them is not in the hall, or is named twice.
    pub fn of_part(hall: &Hall, order: String, seats: &[String], request_id: String) -> Result<Self> {
        let mut found = Vec::with_capacity(seats.len());
        for id in seats {
            let seat = hall.find(id).ok_or_else(|| not_of_order(id, &order))?;
            if found.contains(&seat) {
                return Err(Error::bad("seats", format!("`seats` names {} twice.", hall.id(seat))));
            }
            found.push(seat);
        }
        Ok(Self { order, part: Some(Part { request_id, places: Places::of(&found) }) })
    }
}

/// The binding of `cancel.lua`.
pub(super) struct CancelScript {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub venues: VenueCache,
}

impl BatchCall for CancelScript {
    type Attempt = CancelAttempt;
    type Reply = Result<Cancelled>;

    const ROOM: usize = ORDERS_AT_A_TIME;
    const SETTLES: bool = true;

    async fn call(&self, sale: &str, attempts: Vec<CancelAttempt>) -> Result<Vec<Result<Cancelled>>> {
        let venue = self.venues.get(sale).await?;
        let mut args = vec![self.clock.script_time().into_bytes(), venue.categories.clone()];
        for CancelAttempt { order, part } in &attempts {
            args.push(order.as_bytes().to_vec());
            args.extend(match part {
                Some(Part { request_id, places }) => [request_id.as_bytes().to_vec(), pack(places)],
                None => [Vec::new(), Vec::new()],
            });
        }
        let replies = self.store.attempt(&CANCEL, (KIND, sale), &args, attempts.len()).await?;
        let replies = replies.iter().zip(&attempts);
        Ok(replies.map(|(reply, attempt)| read(&venue, reply, sale, &attempt.order)).collect())
    }
}

fn read(venue: &Venue, reply: &AttemptReply, sale: &str, order: &str) -> Result<Cancelled> {
    let cancellation = || -> Result<Cancellation> {
        let (detail, places, cancelled_cents): (OrderDetail, Places, Cents) = unpack(&reply.detail)?;
        let order = detail.order(venue)?;
        Ok(Cancellation { order, cancelled_seats: places.ids(&venue.hall)?, cancelled_cents })
    };
    match reply.code {
        ReplyCode::Done => {
            let done = cancellation()?;
            Ok(match done.order.state {
                // After a part of it came back, a paid order is still paid.
                OrderState::Paid | OrderState::Refunded => Cancelled::Refunded(done),
                _ => Cancelled::Cancelled(done),
            })
        }
        ReplyCode::Repeat => Ok(Cancelled::Repeat(cancellation()?)),
        ReplyCode::NotOfOrder => {
            let (row, place): (i64, i64) = unpack(&reply.detail)?;
            Err(not_of_order(&seat_id(&venue.hall, row, place)?, order))
        }
        ReplyCode::OtherRequest => Err(Error::of_field(
            Code::RequestReused,
            "request_id",
            "`request_id` took back other seats of this order; nothing was cancelled. Use a new one.",
        )),
        ReplyCode::UnknownOrder => Err(unknown_order(sale, order)),
        code => Err(code.refusal(&CANCEL, sale)),
    }
}

/// The error for a seat that the order does not have, or no longer.
fn not_of_order(seat: &str, order: &str) -> Error {
    let why = format!("`seats` names \"{seat}\", which the order \"{order}\" does not have; nothing was cancelled.");
    Error::bad("seats", why)
}
