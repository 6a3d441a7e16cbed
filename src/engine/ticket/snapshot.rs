//! Consistent snapshots of ticket sales, which are the frames of the live view.

use crate::{
    life::fields::life,
    refused_sample::refused_sample,
    runs,
    ticket::{
        scripts::{KIND, SNAPSHOT},
        service::Tickets,
    },
};
use ledger::absence::archived_or_lost;
use model::{
    EventId, check_id,
    error::Result,
    ticket::{
        Declined, Outcomes, Price, Snapshot, State,
        hall::Hall,
        seats::{SeatState, Seats},
    },
};
use std::collections::{BTreeMap, HashMap};
use store::{
    fields::Fields,
    reply::ReplyCode,
    stream::{Entry, protocol_error},
};

/// The number of sampled attempts in a snapshot.
const SAMPLE: usize = 16;
/// The bytes of a row in the key `heat`.
const DEMAND_BYTES: usize = 4;

/// A snapshot with one byte per seat, as in Redis.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The snapshot without its seats.
    pub snapshot: Snapshot,
    /// One byte per seat: `0` free, `1` held, `2` sold, `3` blocked.
    pub seats: Vec<u8>,
}

impl Frame {
    /// The message for a browser that has seen the frame `seen`, or no frame yet.
    pub fn since(&self, seen: Option<&Self>) -> Snapshot {
        let seats = match seen {
            Some(seen) => Seats::since(&seen.seats, &self.seats),
            None => Seats::whole(&self.seats),
        };
        Snapshot { seats, ..self.snapshot.clone() }
    }
}

impl Tickets {
    /// A consistent snapshot with every seat.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn snapshot(&self, sale: &str) -> Result<Snapshot> {
        Ok(self.snapshot_frame(sale).await?.since(None))
    }

    /// A consistent frame.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn snapshot_frame(&self, sale: &str) -> Result<Frame> {
        check_id("sale", sale)?;
        let venue = self.venues.get(sale).await?;
        let mut reply = self.store.eval(&SNAPSHOT, (KIND, sale), &[SAMPLE]).await?;
        if reply.code != ReplyCode::Done {
            return archived_or_lost(Err(reply.code.refusal(&SNAPSHOT, sale)), &self.store, &self.ledger, KIND, sale)
                .await;
        }
        let meta: Fields = reply.next_value()?;
        let counts: HashMap<String, u32> = reply.next_value()?;
        let stats: HashMap<String, u64> = reply.next_value()?;
        let seats: Vec<u8> = reply.next_value()?;
        let demand: Option<Vec<u8>> = reply.next_value()?;
        let event_id: EventId = reply.next_value::<String>()?.parse()?;
        let attempts: Vec<Entry> = reply.next_value()?;
        let crowd: Option<String> = reply.next_value()?;
        let now = self.clock.now();
        let life = life(&meta, now);
        let hall = &venue.hall;
        if seats.len() != hall.seats() as usize || seats.iter().any(|byte| SeatState::of(*byte).is_none()) {
            return Err(protocol_error(format!("the seats of sale \"{sale}\" are not those of its hall")));
        }
        let by_category = |state: &str| -> BTreeMap<String, u32> {
            let names = hall.layout.categories.iter().zip(1..);
            names.map(|(name, c)| (name.clone(), counts.get(&format!("{state}:{c}")).copied().unwrap_or(0))).collect()
        };
        let (remaining, held, sold) = (by_category("free"), by_category("held"), by_category("sold"));
        let mut blocked = by_category("blocked");
        blocked.retain(|_, seats| *seats > 0);
        let mut categories = Price::of_hall(hall, &venue.prices);
        for category in &mut categories {
            // Those for sale now: seats may have been blocked since the opening.
            let count = |seats: &BTreeMap<String, u32>| seats.get(&category.name).copied().unwrap_or(0);
            category.capacity = count(&remaining) + count(&held) + count(&sold);
        }
        let snapshot = Snapshot {
            sale: sale.to_owned(),
            state: State::of(meta.text("state"), life.phase(now)),
            life,
            event_id,
            opened_at: meta.number("opened_at"),
            hold_s: meta.count("hold_ms") / 1_000,
            extendable: venue.extendable,
            limit_per_user: u32::try_from(meta.count("limit")).unwrap_or(u32::MAX),
            categories,
            remaining,
            held,
            sold,
            blocked,
            outcomes: outcomes(&stats),
            calls: stats.get("calls").copied().unwrap_or(0),
            demand: demand_by_section(hall, &demand.unwrap_or_default()),
            declined: refused_sample(&attempts, SAMPLE, declined),
            crowd: crowd.map(|json| runs::read(&json, now)).transpose()?,
            seats: Seats::Changed(Vec::new()),
        };
        Ok(Frame { snapshot, seats })
    }
}

fn outcomes(stats: &HashMap<String, u64>) -> Outcomes {
    let stat = |name: &str| stats.get(name).copied().unwrap_or(0);
    Outcomes {
        held: stat("held"),
        repeat: stat("repeat"),
        seat_taken: stat("seat_taken"),
        not_enough_seats: stat("not_enough_seats"),
        not_together: stat("not_together"),
        limit_reached: stat("limit_reached"),
        closed: stat("closed"),
        not_open: stat("not_open"),
        paused: stat("paused"),
        ended: stat("ended"),
        extended: stat("extended"),
        paid: stat("paid"),
        late: stat("late"),
        cancelled: stat("cancelled"),
        refunded: stat("refunded"),
        expired: stat("expired"),
    }
}

/// Sums the counts by row. Redis stores them high byte first, and only up to the last row with demand.
fn demand_by_section(hall: &Hall, demand: &[u8]) -> Vec<u64> {
    let mut sections = vec![0; hall.layout.sections.len()];
    for (row, count) in hall.rows.iter().zip(demand.chunks_exact(DEMAND_BYTES)) {
        let count = count.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        sections[usize::from(row.section)] += count;
    }
    sections
}

/// The shown outcome of an attempt that changed nothing.
fn declined(code: ReplyCode) -> Option<Declined> {
    match code {
        ReplyCode::Repeat => Some(Declined::Repeat),
        ReplyCode::SeatTaken => Some(Declined::SeatTaken),
        ReplyCode::NotEnoughSeats => Some(Declined::NotEnoughSeats),
        ReplyCode::NotTogether => Some(Declined::NotTogether),
        ReplyCode::LimitReached => Some(Declined::LimitReached),
        ReplyCode::OtherUser => Some(Declined::OtherUser),
        ReplyCode::Closed => Some(Declined::Closed),
        ReplyCode::NotOpen => Some(Declined::NotOpen),
        ReplyCode::Paused => Some(Declined::Paused),
        ReplyCode::Expired => Some(Declined::Ended),
        _ => None,
    }
}
