//! The batched attempts, in the form of `reserve.lua`, and the decoding of its replies. Both need the hall of the sale.

use crate::life::details::{not_open, paused};
use crate::ticket::{
    order_changes::OrderDetail,
    scripts::{KIND, Picks, RESERVE, SEATS_AT_A_TIME, pack, seat_id, unpack},
    venue::{Venue, VenueCache},
};
use model::{
    error::{Code, Error, Result},
    ticket::{
        HeldSeat, LargestGroup, Left, Outcome, Pick, SeatRequest, Seating,
        hall::{Hall, Seat},
    },
};
use serde::Serialize;
use std::sync::Arc;
use store::{
    Store,
    batcher::BatchCall,
    reply::{AttemptReply, ReplyCode},
    runtime::Clock,
    stream::protocol_error,
};

/// An attempt that waits for its batch, in the form of `reserve.lua`.
#[derive(Debug, Serialize)]
pub struct Attempt {
    user: String,
    request_id: String,
    order: String,
    /// The category (from 1), row and place of each seat, flat.
    chosen: Vec<u32>,
    picks: Picks,
    holders: Vec<String>,
    /// The number of seats wanted.
    #[serde(skip)]
    seats: usize,
}

impl Attempt {
    /// Translates a request into an attempt.
    ///
    /// # Errors
    /// `bad_request` if the hall does not have the wanted seats.
    pub fn new(hall: &Hall, user: String, request_id: String, order: String, request: SeatRequest) -> Result<Self> {
        let seats = request.count();
        let mut chosen = Vec::with_capacity(3 * request.seats.len());
        for seat in seats_of(hall, &request.seats, |id| no_seat(hall, id))? {
            let category = hall.rows[seat.row as usize].category;
            chosen.extend([u32::from(category) + 1, seat.row, u32::from(seat.place)]);
        }
        let mut picks = Vec::with_capacity(3 * request.pick.len());
        for pick in &request.pick {
            let names = &hall.layout.categories;
            let category = names.iter().position(|name| *name == pick.category).ok_or_else(|| {
                let known = names.join(", ");
                Error::bad("pick", format!("`pick` names the category \"{}\"; the hall has {known}.", pick.category))
            })?;
            picks.extend([category as u32 + 1, pick.count, seating(pick)]);
        }
        Ok(Self { user, request_id, order, chosen, picks: Picks(picks), holders: request.holders, seats })
    }
}

/// Whether the seats of a pick are side by side, as in `reserve.lua`.
fn seating(pick: &Pick) -> u32 {
    match pick.seating() {
        Seating::Anywhere => 0,
        Seating::Adjacent => 1,
        Seating::Strict => 2,
    }
}

/// The seats with these ids: the field `seats` of a request.
///
/// # Errors
/// `bad_request` if two ids are those of one seat, written in capitals or not; `unknown` of an id that no seat has.
pub(super) fn seats_of(hall: &Hall, ids: &[String], unknown: impl Fn(&str) -> Error) -> Result<Vec<Seat>> {
    let mut seats = Vec::with_capacity(ids.len());
    for id in ids {
        let seat = hall.find(id).ok_or_else(|| unknown(id))?;
        if seats.contains(&seat) {
            return Err(Error::bad("seats", format!("`seats` names {} twice.", hall.id(seat))));
        }
        seats.push(seat);
    }
    Ok(seats)
}

/// The error for an id that no seat of the hall has.
pub(super) fn no_seat(hall: &Hall, id: &str) -> Error {
    let why = format!("`seats` names \"{id}\", which is not a seat of the hall; ids look like {}.", hall.an_id());
    Error::bad("seats", why)
}

/// The binding of `reserve.lua`.
pub(super) struct ReserveScript {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub venues: VenueCache,
}

impl BatchCall for ReserveScript {
    type Attempt = Attempt;
    type Reply = Result<Outcome>;

    const ROOM: usize = SEATS_AT_A_TIME;

    fn size(attempt: &Attempt) -> usize {
        attempt.seats
    }

    async fn call(&self, sale: &str, attempts: Vec<Attempt>) -> Result<Vec<Result<Outcome>>> {
        let venue = self.venues.get(sale).await?;
        let args = [self.clock.script_time().into_bytes(), venue.categories.clone(), pack(&attempts)];
        let replies = self.store.attempt(&RESERVE, (KIND, sale), &args, attempts.len()).await?;
        Ok(replies.iter().map(|reply| read_reservation(&venue, reply, sale)).collect())
    }
}

fn read_reservation(venue: &Venue, reply: &AttemptReply, sale: &str) -> Result<Outcome> {
    let hall = &venue.hall;
    Ok(match reply.code {
        ReplyCode::Done => Outcome::Held(OrderDetail::read(venue, &reply.detail)?),
        ReplyCode::Repeat => Outcome::Repeat(OrderDetail::read(venue, &reply.detail)?),
        ReplyCode::SeatTaken => {
            let taken: Vec<i64> = unpack(&reply.detail)?;
            let (mut seats, mut held) = (Vec::new(), Vec::new());
            for of_seat in taken.chunks_exact(3) {
                let (row, place, held_until) = (of_seat[0], of_seat[1], of_seat[2]);
                let seat = seat_id(hall, row, place)?;
                if held_until > 0 {
                    held.push(HeldSeat { seat: seat.clone(), held_until });
                }
                seats.push(seat);
            }
            Outcome::SeatTaken { seats, held }
        }
        ReplyCode::NotEnoughSeats => {
            let left = by_category(hall, &reply.detail)?;
            Outcome::NotEnoughSeats { left: left.map(|(category, left)| Left { category, left }).collect() }
        }
        ReplyCode::NotTogether => {
            let groups = by_category(hall, &reply.detail)?;
            let groups = groups.map(|(category, largest)| LargestGroup { category, largest });
            Outcome::NotTogether { groups: groups.collect() }
        }
        ReplyCode::LimitReached => {
            let left: i64 = reply.text()?.parse().map_err(protocol_error)?;
            Outcome::LimitReached { left: u32::try_from(left).unwrap_or(0) }
        }
        ReplyCode::Closed => Outcome::Closed { closed_at: reply.text()?.parse().map_err(protocol_error)? },
        ReplyCode::NotOpen => {
            let (opens_at, now) = not_open(reply.text()?)?;
            Outcome::NotOpen { opens_at, now }
        }
        ReplyCode::Paused => {
            let (paused_at, reason) = paused(reply.text()?)?;
            Outcome::Paused { paused_at, reason }
        }
        ReplyCode::Expired => Outcome::Ended { ends_at: reply.text()?.parse().map_err(protocol_error)? },
        ReplyCode::OtherUser => return Err(request_reused("another user")),
        ReplyCode::OtherRequest => return Err(request_reused("a different request")),
        code => return Err(code.refusal(&RESERVE, sale)),
    })
}

/// Numbers by category: a flat list of categories (from 1) and numbers.
fn by_category(hall: &Hall, detail: &[u8]) -> Result<impl Iterator<Item = (String, u32)>> {
    let numbers: Vec<u32> = unpack(detail)?;
    let named = numbers.chunks_exact(2).map(|pair| {
        let category = (pair[0] as usize).checked_sub(1).and_then(|index| hall.layout.categories.get(index));
        let category = category.ok_or_else(|| protocol_error(format!("category {}", pair[0])))?;
        Ok((category.clone(), pair[1]))
    });
    Ok(named.collect::<Result<Vec<_>>>()?.into_iter())
}

/// The refusal of a request id that is known and means something else.
pub(super) fn request_reused(by: &str) -> Error {
    Error::of_field(
        Code::RequestReused,
        "request_id",
        format!("`request_id` was used for {by} at this sale; nothing was tried. Use a new one."),
    )
}
