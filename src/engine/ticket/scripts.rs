//! The scripts of tickets: their keys, arguments and replies.
//!
//! Arguments and replies are MessagePack. A struct here is a list in the scripts, with the fields in this order
//! (`lua/README.md`, "Records").

use ledger::kind::LastingParts;
use model::{
    Cents, Millis,
    error::{Code, Error, Result},
    ticket::{
        INFO, OrderState,
        hall::{Hall, Seat},
    },
};
use serde::{Deserialize, Serialize};
use std::{fmt, num::ParseIntError};
use store::{
    keys,
    script::{Script, script},
    stream::protocol_error,
};

/// The kind, as in keys.
pub const KIND: &str = INFO.id;

/// The parts of a ticket sale's keys, in the order in which `lua/README.md` lists them.
pub const PARTS: [&str; 16] = [
    "meta",
    "seats",
    "layout",
    "free",
    "counts",
    "holders",
    "orders",
    "requests",
    "deadlines",
    "bought",
    "heat",
    "stats",
    "events",
    "attempts",
    "crowd",
    "crowd_lock",
];

/// The parts whose keys must exist. (Scripts detect missing pending, held or taken items by counting.)
pub const LASTING: LastingParts = LastingParts {
    from_opening: &["seats", "layout", "free", "counts"],
    once_given: &["orders", "requests", "bought", "stats"],
};

/// Opens a sale.
pub static OPEN: Script = script!("ticket/open.lua");
/// Holds seats for a batch of attempts.
pub static RESERVE: Script = script!("ticket/reserve.lua");
/// Takes payments for a batch of orders.
pub static PAY: Script = script!("ticket/pay.lua");
/// Extends the holds of a batch of orders.
pub static EXTEND: Script = script!("ticket/extend.lua");
/// Cancels a batch of orders, or parts of them.
pub static CANCEL: Script = script!("ticket/cancel.lua");
/// Ends the due orders.
pub static EXPIRE: Script = script!("ticket/expire.lua");
/// Blocks and unblocks seats.
pub static BLOCK: Script = script!("ticket/block.lua");
pub static CLOSE: Script = script!("ticket/close.lua");
pub static AUDIT: Script = script!("ticket/audit.lua");
/// Reads the snapshot for the page.
pub static SNAPSHOT: Script = script!("ticket/snapshot.lua");
/// Restores a chunk of a lost sale.
pub static RECOVER: Script = script!("ticket/recover.lua");
/// Reopens a recovered sale.
pub static RESUME: Script = script!("ticket/resume.lua");

/// Every script of this kind, for the store to load.
pub static SCRIPTS: [&Script; 12] =
    [&OPEN, &RESERVE, &PAY, &EXTEND, &CANCEL, &EXPIRE, &BLOCK, &CLOSE, &AUDIT, &SNAPSHOT, &RECOVER, &RESUME];

/// The most seats that the attempts of one call of `reserve.lua` may want in total. Even with each seat in another row,
/// a call blocks Redis for only about 5 ms.
pub const SEATS_AT_A_TIME: usize = 512;
/// The most orders that one call may pay, extend, cancel or end.
pub const ORDERS_AT_A_TIME: usize = 64;

/// The key of one of a sale's parts.
pub fn key(sale: &str, part: &str) -> String {
    keys::sale(KIND, sale, part)
}

/// A stored order.
#[derive(Deserialize)]
pub struct OrderRecord {
    /// The user of the order.
    pub user: String,
    /// The state of the order.
    pub state: OrderState,
    /// The price of the seats that the order has, or had when it ended, in cents.
    pub cents: Cents,
    /// The deadline for payment.
    pub due: Millis,
    /// The seats that were held, also those of parts that came back.
    pub places: Places,
    /// The request ids of the payments. The first payment was accepted, or is empty; all others were refunded.
    pub payments: Vec<String>,
    /// The names of the attendees: empty, or one per seat.
    pub holders: Vec<String>,
    /// The picks of the request.
    pub picks: Picks,
    /// The parts that came back, oldest first.
    #[serde(default)]
    pub returns: Vec<ReturnedPart>,
    /// The request id by which the hold was extended, if it was.
    #[serde(default)]
    pub extended_by: Option<String>,
}

impl OrderRecord {
    /// The seats that the order has, or had when it ended: with its last part, if that was all that it had.
    pub fn places_now(&self) -> Places {
        let mut places = self.places.clone();
        for part in &self.returns {
            places = places.without(&part.places);
        }
        match self.returns.last() {
            Some(last) if places.0.is_empty() => last.places.clone(),
            _ => places,
        }
    }
}

/// A part of an order that came back. A list in the record, in this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReturnedPart {
    /// The request id by which it came back.
    pub request_id: String,
    /// Its seats.
    pub places: Places,
}

/// The picks of an attempt, flat: category (from 1), count and seating of each (0 anywhere, 1 side by side if possible, 2
/// side by side or not at all). Empty if seats were chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Picks(pub Vec<u32>);

/// The form in the ledger: `1,2,1`.
impl fmt::Display for Picks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(u32::to_string).collect();
        f.write_str(&numbers.join(","))
    }
}

impl Picks {
    /// Whether the seats of each pick that should be side by side are; `None` if there is no such pick.
    pub fn are_together(&self, hall: &Hall, places: &Places) -> Option<bool> {
        let together: Vec<u32> = self.0.chunks_exact(3).filter(|pick| pick[2] > 0).map(|pick| pick[0]).collect();
        let is_of = |category: u32, place: &[i64]| {
            let row = usize::try_from(place[0]).ok().and_then(|row| hall.rows.get(row));
            row.is_some_and(|row| u32::from(row.category) + 1 == category)
        };
        let are_adjacent = |category: &u32| {
            let seats: Vec<&[i64]> = places.0.chunks_exact(2).filter(|place| is_of(*category, place)).collect();
            seats.windows(2).all(|pair| pair[0][0] == pair[1][0] && pair[0][1] + 1 == pair[1][1])
        };
        (!together.is_empty()).then(|| together.iter().all(are_adjacent))
    }

    /// Reads the form in the ledger.
    ///
    /// # Errors
    /// If a value is not a number.
    pub fn parse(text: &str) -> std::result::Result<Self, ParseIntError> {
        text.split(',')
            .filter(|number| !number.is_empty())
            .map(str::parse)
            .collect::<std::result::Result<_, _>>()
            .map(Self)
    }
}

/// The row and place of each seat, flat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Places(pub Vec<i64>);

impl Places {
    /// The places of these seats.
    pub fn of(seats: &[Seat]) -> Self {
        Self(seats.iter().flat_map(|seat| [i64::from(seat.row), i64::from(seat.place)]).collect())
    }

    /// The seats that the others do not have.
    fn without(&self, others: &Self) -> Self {
        let is_other = |pair: &[i64]| others.0.chunks_exact(2).any(|other| other == pair);
        Self(self.0.chunks_exact(2).filter(|pair| !is_other(pair)).flatten().copied().collect())
    }

    /// The seats; `None` if one of them is not in the hall.
    pub fn seats(&self, hall: &Hall) -> Option<Vec<Seat>> {
        let whole = self.0.len().is_multiple_of(2);
        let seats = self.0.chunks_exact(2).map(|pair| seat(hall, pair[0], pair[1]));
        if whole { seats.collect() } else { None }
    }

    /// The ids of the seats.
    ///
    /// # Errors
    /// `unavailable` if one of them is not in the hall.
    pub fn ids(&self, hall: &Hall) -> Result<Vec<String>> {
        self.0.chunks_exact(2).map(|pair| seat_id(hall, pair[0], pair[1])).collect()
    }
}

fn seat(hall: &Hall, row: i64, place: i64) -> Option<Seat> {
    let seat = Seat { row: u32::try_from(row).ok()?, place: u16::try_from(place).ok()? };
    hall.rows.get(seat.row as usize).is_some_and(|row| seat.place < row.seats).then_some(seat)
}

pub(super) fn seat_id(hall: &Hall, row: i64, place: i64) -> Result<String> {
    seat(hall, row, place).map(|seat| hall.id(seat)).ok_or_else(|| protocol_error(format!("seat {row}, {place}")))
}

pub(super) fn pack<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    // Serializing numbers and strings to memory cannot fail. Structs become lists, as the scripts expect.
    rmp_serde::to_vec(value).unwrap_or_default()
}

pub(super) fn unpack<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T> {
    rmp_serde::from_slice(bytes).map_err(protocol_error)
}

pub(super) fn json<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(Error::internal)
}

pub(super) fn unknown_order(sale: &str, order: &str) -> Error {
    Error::of_field(Code::UnknownOrder, "order", format!("The sale \"{sale}\" has no order \"{order}\"; check the id."))
}
