//! The ledger: the database of record behind every sale, fed from the streams.
//!
//! Here is what browser and server share; the server's half is in the modules below.

pub mod api;
#[cfg(feature = "ssr")]
pub mod apply;
pub mod audit_board;
pub mod audit_section;
#[cfg(feature = "ssr")]
pub mod database;
#[cfg(feature = "ssr")]
pub mod dead_letters;
#[cfg(feature = "ssr")]
pub mod export;
#[cfg(feature = "ssr")]
pub mod history;
#[cfg(feature = "ssr")]
pub mod kind;
pub mod page;
pub mod query;
#[cfg(feature = "ssr")]
pub mod replay;
#[cfg(feature = "ssr")]
pub mod sale;
#[cfg(feature = "ssr")]
pub mod scripts;
#[cfg(feature = "ssr")]
pub mod service;
pub mod status;
pub mod words;
#[cfg(feature = "ssr")]
pub mod writer;

use crate::{
    domain::{Audit, Cents, EventId, Millis, check_id},
    error::{Error, Result},
};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// Rows of a page of the history where none are asked for, and at most.
pub const DEFAULT_LIMIT: u32 = 100;
pub const MOST_LIMIT: u32 = 1_000;

/// What to look for in the history. What is `None` does not narrow it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// Sales of this id, of whatever kind.
    pub sale: Option<String>,
    pub user: Option<String>,
    pub request_id: Option<String>,
    /// `opened`, `won`, `refunded`, …
    pub outcome: Option<String>,
}

impl Search {
    /// # Errors
    /// `bad_request` with the field that is no id.
    pub fn check(&self) -> Result<()> {
        let fields =
            [("sale", &self.sale), ("user", &self.user), ("request_id", &self.request_id), ("outcome", &self.outcome)];
        for (name, value) in fields {
            if let Some(value) = value {
                check_id(name, value)?;
            }
        }
        Ok(())
    }
}

/// One change to one thing, as the ledger has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Where the row stands in the history; what `after` takes.
    pub id: Cursor,
    pub kind: String,
    pub sale: String,
    /// The stream entry that said so, and the place in it, from 0.
    pub event_id: EventId,
    pub place: u32,
    pub at: Millis,
    pub outcome: String,
    pub user: Option<String>,
    pub request_id: Option<String>,
    /// The packet, seat or code that changed hands.
    pub item: Option<String>,
    pub cents: Cents,
    /// The order that it belongs to, and who the thing is for; not there where a kind has no such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
}

/// A page of the history, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    pub rows: Vec<Row>,
    /// Rows that the search finds in all. Exact, unless `total_is_at_least`.
    pub total: u64,
    /// There are more than `total`: nobody counted to the end.
    pub total_is_at_least: bool,
    /// What to give as `after` for the page that follows; `None` on the last.
    pub next: Option<Cursor>,
}

/// A place in the history: `<event id>-<number of the sale>-<place>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cursor {
    pub event_id: EventId,
    /// The number that the ledger gave the sale.
    pub sale_no: i64,
    pub place: i64,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.event_id, self.sale_no, self.place)
    }
}

impl FromStr for Cursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut parts = text.split('-').map(|part| part.parse::<u64>().ok());
        let mut part = || parts.next().flatten();
        let cursor = (part(), part(), part(), part());
        let (Some(millis), Some(sequence), Some(sale_no), Some(place)) = cursor else {
            return Err(Error::bad(
                "after",
                format!("\"{text}\" is no place in the history; give the `next` of a page."),
            ));
        };
        let signed = |part: u64| i64::try_from(part).unwrap_or(i64::MAX);
        Ok(Self { event_id: EventId { millis, sequence }, sale_no: signed(sale_no), place: signed(place) })
    }
}

impl TryFrom<String> for Cursor {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> Self {
        cursor.to_string()
    }
}

/// How far the ledger is behind, for each sale.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// The newest sales, newest first; or the one asked for.
    pub sales: Vec<SaleStatus>,
    /// The process that writes now; `None` while nobody does.
    pub writer: Option<String>,
    /// Why the ledger cannot be asked, where it cannot. What is known of Redis alone is still there.
    pub unreachable: Option<String>,
}

/// How far the ledger is behind one sale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SaleStatus {
    pub kind: String,
    pub sale: String,
    /// The last event that the ledger has.
    pub applied_event_id: EventId,
    /// The last event that the sale's stream had.
    pub last_event_id: EventId,
    /// Stream entries that the ledger does not have yet.
    pub lag_events: u64,
    /// How long the oldest of them has waited.
    pub lag_seconds: f64,
    /// Dead letters: entries that could not be recorded and wait for somebody to look.
    pub set_aside: u64,
    /// Entries in the stream, applied ones that are kept for the live view included.
    pub stream_length: u64,
    /// More entries wait than the bound allows (`--stream-alarm`); none is dropped.
    pub alarm: bool,
    /// The sale is in the ledger and no longer in Redis, although it was not archived.
    pub lost: bool,
    /// The sale was archived.
    pub archived: bool,
}

/// An entry that could not be recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetter {
    pub kind: String,
    pub sale: String,
    pub event_id: EventId,
    pub reason: String,
    pub at: Millis,
    /// How often it was tried.
    pub tries: u32,
}

/// The result of trying dead letters again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retried {
    pub applied: u32,
    pub still_set_aside: u32,
}

/// A sale on the board of audits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Audited {
    pub status: SaleStatus,
    /// The last audit of the sale, by whichever server; `None` before the first.
    pub audit: Option<Audit>,
}

/// The board of audits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Board {
    /// Broken first, then unknown, then the newest.
    pub sales: Vec<Audited>,
    pub writer: Option<String>,
    pub unreachable: Option<String>,
}
