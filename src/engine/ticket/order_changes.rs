//! What is done with held and paid orders, in batches: payments, extensions, cancellations. Each has a script of the
//! same form.

use crate::ticket::{
    scripts::{EXTEND, KIND, ORDERS_AT_A_TIME, PAY, Picks, Places, unknown_order, unpack},
    venue::{Venue, VenueCache},
};
use model::{
    Cents, Millis,
    error::{Error, Result},
    ticket::{Extended, Order, OrderState, Paid},
};
use serde::Deserialize;
use std::{marker::PhantomData, sync::Arc};
use store::{
    Store,
    batcher::BatchCall,
    reply::{AttemptReply, ReplyCode},
    runtime::Clock,
    script::Script,
};

/// A change of an order by a script, which takes the order and further arguments for each change of a batch.
pub(super) trait OrderChange: Send + Sync + 'static {
    type Answer: Send + 'static;

    const SCRIPT: &'static Script;

    /// Returns the arguments after the order.
    fn args(&self) -> Vec<Vec<u8>>;

    /// Reads the answer for an order; `None` if this code refuses the change, or is none of the script's.
    ///
    /// # Errors
    /// If the script refused this change for a reason of its own.
    fn read(venue: &Venue, reply: &AttemptReply, order: &str) -> Result<Option<Self::Answer>>;
}

/// A change that waits for its batch.
pub(super) struct OrderAttempt<C> {
    pub order: String,
    pub change: C,
}

/// The binding of the script of a change.
pub(super) struct OrderScript<C> {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub venues: VenueCache,
    pub change: PhantomData<C>,
}

impl<C: OrderChange> BatchCall for OrderScript<C> {
    type Attempt = OrderAttempt<C>;
    type Reply = Result<C::Answer>;

    const ROOM: usize = ORDERS_AT_A_TIME;
    const SETTLES: bool = true;

    async fn call(&self, sale: &str, attempts: Vec<OrderAttempt<C>>) -> Result<Vec<Result<C::Answer>>> {
        let venue = self.venues.get(sale).await?;
        let mut args = vec![self.clock.script_time().into_bytes(), venue.categories.clone()];
        for OrderAttempt { order, change } in &attempts {
            args.push(order.as_bytes().to_vec());
            args.extend(change.args());
        }
        let replies = self.store.attempt(C::SCRIPT, (KIND, sale), &args, attempts.len()).await?;
        let read = |(reply, attempt): (&AttemptReply, &OrderAttempt<C>)| match reply.code {
            ReplyCode::UnknownOrder => Err(unknown_order(sale, &attempt.order)),
            code => C::read(&venue, reply, &attempt.order)?.ok_or_else(|| code.refusal(C::SCRIPT, sale)),
        };
        Ok(replies.iter().zip(&attempts).map(read).collect())
    }
}

/// A payment.
pub(super) struct Payment {
    pub request_id: String,
}

impl OrderChange for Payment {
    type Answer = Paid;

    const SCRIPT: &'static Script = &PAY;

    fn args(&self) -> Vec<Vec<u8>> {
        vec![self.request_id.clone().into_bytes()]
    }

    fn read(venue: &Venue, reply: &AttemptReply, order: &str) -> Result<Option<Paid>> {
        let answer = match reply.code {
            ReplyCode::Done => Paid::Paid,
            ReplyCode::Repeat => Paid::Repeat,
            ReplyCode::Ended => Paid::Refunded,
            ReplyCode::LimitReached => {
                let why = format!("100 payments of the order \"{order}\" were refunded already; no more are taken.");
                return Err(Error::bad("order", why));
            }
            _ => return Ok(None),
        };
        OrderDetail::read(venue, &reply.detail).map(answer).map(Some)
    }
}

/// An extension of a hold.
pub(super) struct Extension {
    pub request_id: String,
    /// Why, may be empty.
    pub reason: String,
}

impl OrderChange for Extension {
    type Answer = Extended;

    const SCRIPT: &'static Script = &EXTEND;

    fn args(&self) -> Vec<Vec<u8>> {
        vec![self.request_id.clone().into_bytes(), self.reason.clone().into_bytes()]
    }

    fn read(venue: &Venue, reply: &AttemptReply, _order: &str) -> Result<Option<Extended>> {
        let answer = match reply.code {
            ReplyCode::Done => Extended::Extended,
            ReplyCode::Repeat => Extended::Repeat,
            ReplyCode::AlreadyExtended => Extended::AlreadyExtended,
            ReplyCode::NotExtendable => Extended::NotExtendable,
            ReplyCode::Ended => Extended::Late,
            _ => return Ok(None),
        };
        OrderDetail::read(venue, &reply.detail).map(answer).map(Some)
    }
}

/// An order as in a reply.
#[derive(Deserialize)]
pub(super) struct OrderDetail {
    order: String,
    state: OrderState,
    cents: Cents,
    due: Millis,
    places: Places,
    /// Whether the hold was extended, 0 or 1.
    extended: u8,
    picks: Picks,
}

impl OrderDetail {
    /// Reads the order that is the whole detail of a reply.
    ///
    /// # Errors
    /// If it is not one, or its seats are not in the hall.
    pub fn read(venue: &Venue, detail: &[u8]) -> Result<Order> {
        unpack::<Self>(detail)?.order(venue)
    }

    /// Returns the order, of a sale in this hall.
    ///
    /// # Errors
    /// If its seats are not in the hall.
    pub fn order(self, venue: &Venue) -> Result<Order> {
        let Self { order, state, cents, due, places, extended, picks } = self;
        let extendable = venue.can_extend(state, extended != 0);
        let together = picks.are_together(&venue.hall, &places);
        Ok(Order { order, state, seats: places.ids(&venue.hall)?, cents, held_until: due, extendable, together })
    }
}
