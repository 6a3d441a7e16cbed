//! Blocking and unblocking seats while a sale runs.

use crate::ticket::{
    attempts::{no_seat, request_reused, seats_of},
    scripts::{BLOCK, KIND, Places, pack, seat_id, unpack},
    service::Tickets,
};
use ledger::absence::archived_or_lost;
use model::{
    Answer, Checks, check_id,
    error::Result,
    ticket::{
        Blocked, SeatInState, Unblocked, check_blocked,
        hall::Hall,
        outcome::{BLOCKED, UNBLOCKED},
        seats::SeatState,
    },
};
use store::{
    reply::{Reply, ReplyCode},
    stream::protocol_error,
};

/// The answer of `block.lua`.
enum Changed {
    Done(Vec<String>),
    Repeat(Vec<String>),
    /// Nothing was changed, because these seats are in another state.
    Others(Vec<SeatInState>),
}

impl Tickets {
    /// Takes free seats off sale: all of them or none.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `request_reused`, `sale_suspended`, `unavailable`.
    pub async fn block(
        &self,
        sale: &str,
        seats: &[String],
        reason: String,
        request_id: Option<String>,
    ) -> Result<Answer<Blocked>> {
        let (request_id, changed) = self.change_seats(sale, BLOCKED, seats, reason, request_id).await?;
        let outcome = changed.map(|changed| match changed {
            Changed::Done(seats) => Blocked::Blocked { seats },
            Changed::Repeat(seats) => Blocked::Repeat { seats },
            Changed::Others(seats) => Blocked::NotFree { seats },
        });
        Answer::to(request_id, outcome)
    }

    /// Puts blocked seats on sale again: all of them or none.
    ///
    /// # Errors
    /// As [`Tickets::block`].
    pub async fn unblock(
        &self,
        sale: &str,
        seats: &[String],
        reason: String,
        request_id: Option<String>,
    ) -> Result<Answer<Unblocked>> {
        let (request_id, changed) = self.change_seats(sale, UNBLOCKED, seats, reason, request_id).await?;
        let outcome = changed.map(|changed| match changed {
            Changed::Done(seats) => Unblocked::Unblocked { seats },
            Changed::Repeat(seats) => Unblocked::Repeat { seats },
            Changed::Others(seats) => Unblocked::NotBlocked { seats },
        });
        Answer::to(request_id, outcome)
    }

    /// Checks a change of seats and makes it. Returns the id of the request with what came of it.
    async fn change_seats(
        &self,
        sale: &str,
        change: &str,
        seats: &[String],
        reason: String,
        request_id: Option<String>,
    ) -> Result<(String, Result<Changed>)> {
        let mut checks = Checks::default();
        checks.note(check_id("sale", sale));
        checks.note(check_blocked(seats, &reason));
        let request_id = checks.finish(self.ids.request_id(request_id))?;
        let changed = self.try_to_change_seats(sale, change, seats, reason, &request_id).await;
        Ok((request_id, archived_or_lost(changed, &self.store, &self.ledger, KIND, sale).await))
    }

    async fn try_to_change_seats(
        &self,
        sale: &str,
        change: &str,
        seats: &[String],
        reason: String,
        request_id: &str,
    ) -> Result<Changed> {
        let venue = self.venues.get(sale).await?;
        let hall = &venue.hall;
        let seats = seats_of(hall, seats, |id| no_seat(hall, id))?;
        let ids = || seats.iter().map(|seat| hall.id(*seat)).collect();
        // A repeat may name them in another order.
        let mut sorted = seats.clone();
        sorted.sort_unstable_by_key(|seat| (seat.row, seat.place));
        let args = [
            self.clock.script_time().into_bytes(),
            venue.categories.clone(),
            request_id.into(),
            change.into(),
            reason.into_bytes(),
            pack(&Places::of(&sorted)),
        ];
        let mut reply = self.store.change(&BLOCK, (KIND, sale), &args).await?;
        Ok(match reply.code {
            ReplyCode::Done => {
                tracing::info!(sale, change, seats = seats.len(), "an operator has changed which seats are for sale");
                Changed::Done(ids())
            }
            ReplyCode::Repeat => Changed::Repeat(ids()),
            ReplyCode::SeatTaken => Changed::Others(states(hall, &mut reply)?),
            ReplyCode::OtherRequest => return Err(request_reused("a different change")),
            code => return Err(code.refusal(&BLOCK, sale)),
        })
    }
}

/// The seats of a refusal, each with its state.
fn states(hall: &Hall, reply: &mut Reply) -> Result<Vec<SeatInState>> {
    let found: Vec<i64> = unpack(&reply.next_value::<Vec<u8>>()?)?;
    let seats = found.chunks_exact(3).map(|of_seat| {
        let state = u8::try_from(of_seat[2]).ok().and_then(|digit| SeatState::of(b'0'.saturating_add(digit)));
        let state = state.ok_or_else(|| protocol_error(format!("state {}", of_seat[2])))?;
        Ok(SeatInState { seat: seat_id(hall, of_seat[0], of_seat[1])?, state })
    });
    seats.collect()
}
