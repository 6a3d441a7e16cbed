//! The events of a ticket sale, read.

use super::{
    OrderState,
    hall::{Hall, Seat},
};
use crate::{
    domain::{Cents, Millis},
    store::stream::{Entry, Read, Unreadable, event_type, number_field, packed, text_field},
};
use serde::Deserialize;

/// What one event says.
pub(super) enum Event {
    Opened,
    Reserved(Vec<Reserved>),
    Paid {
        paid: Vec<Moved>,
        late: Vec<Moved>,
    },
    /// Cancelled and refunded orders, each with its new state.
    Cancelled(Vec<(OrderState, Moved)>),
    Expired(Vec<Moved>),
    Recovered,
}

/// An order that began. A list in the event, in this order.
#[derive(Deserialize)]
pub(super) struct Reserved {
    pub user: String,
    pub request_id: String,
    pub order: String,
    pub cents: Cents,
    pub due: Millis,
    pub places: Places,
    pub holders: Vec<String>,
}

/// An order that went on. A list in the event, in this order.
#[derive(Deserialize)]
pub(super) struct Moved {
    pub user: String,
    pub order: String,
    pub cents: Cents,
    pub places: Places,
}

/// Row and place of each seat in turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(super) struct Places(pub Vec<i64>);

impl Places {
    /// The seats; `None` where the hall has one of them not.
    pub fn seats(&self, hall: &Hall) -> Option<Vec<Seat>> {
        let pairs = self.0.chunks_exact(2);
        let whole = pairs.remainder().is_empty();
        let seats = pairs.map(|pair| {
            let seat = Seat { row: u32::try_from(pair[0]).ok()?, place: u16::try_from(pair[1]).ok()? };
            hall.rows.get(seat.row as usize).is_some_and(|row| seat.place < row.seats).then_some(seat)
        });
        if whole { seats.collect() } else { None }
    }
}

/// Reads an entry; `None` where the event is none of ours.
///
/// # Errors
/// When it is not as the scripts write it.
pub(super) fn read(entry: &Entry) -> Read<Option<Event>> {
    Ok(Some(match event_type(entry) {
        b"opened" => Event::Opened,
        b"reserved" => Event::Reserved(packed(entry, "data")?),
        b"paid" => Event::Paid { paid: packed(entry, "data")?, late: packed(entry, "late")? },
        b"cancelled" => {
            type Ended = (String, String, OrderState, Cents, Places);
            let ended: Vec<Ended> = packed(entry, "data")?;
            let moved = |(user, order, state, cents, places)| (state, Moved { user, order, cents, places });
            Event::Cancelled(ended.into_iter().map(moved).collect())
        }
        b"expired" => Event::Expired(packed(entry, "data")?),
        b"recovered" => Event::Recovered,
        _ => return Ok(None),
    }))
}

/// The terms of an `opened` event: when, hall, prices (both JSON), limit, hold.
pub(super) fn terms(entry: &Entry) -> Read<super::book::Kept> {
    let json = |name| -> Read<&str> { text_field(entry, name) };
    let odd = |name: &str| Unreadable(format!("the `{name}` of entry {} cannot be read", entry.0));
    Ok(super::book::Kept {
        hall: serde_json::from_str(json("hall")?).map_err(|_| odd("hall"))?,
        prices: serde_json::from_str(json("prices")?).map_err(|_| odd("prices"))?,
        limit: u32::try_from(number_field(entry, "limit")?).map_err(|_| odd("limit"))?,
        hold_ms: number_field(entry, "hold_ms")?,
        opened_at: number_field(entry, "at")?,
    })
}
