//! What all kinds of sale share: ids, money, time, event ids and the audit's verdict.
//!
//! The pure part of every kind compiles for server and browser alike and is tested without either.

#[cfg(feature = "ssr")]
pub mod declined;
#[cfg(feature = "ssr")]
pub mod due;
pub mod home;
#[cfg(feature = "ssr")]
pub mod lost;
#[cfg(feature = "ssr")]
mod newest;
pub mod red_packet;
#[cfg(feature = "ssr")]
mod script;
pub mod ticket;

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// Money, in integer cents.
pub type Cents = i64;

/// An instant, in milliseconds since the Unix epoch.
pub type Millis = i64;

/// The script that decides, as it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptInfo {
    /// `red_packet/claim.lua`
    pub name: String,
    pub source: String,
    /// SHA-1 of the source: the name by which Redis calls it.
    pub sha: String,
    /// How often NOSCRIPT was healed, by all servers on this Redis.
    pub healed: u64,
}

/// The longest id that a client may choose, in bytes.
pub const MAX_ID_BYTES: usize = 64;

/// Checks an id that a client chose: printable, not blank, at most [`MAX_ID_BYTES`] bytes.
///
/// # Errors
/// `bad_request` with `field`, in one sentence.
pub fn check_id(field: &str, id: &str) -> Result<()> {
    if id.trim().is_empty() {
        return Err(Error::bad(field, format!("`{field}` is empty; give 1 to {MAX_ID_BYTES} printable bytes.")));
    }
    if id.len() > MAX_ID_BYTES {
        let bytes = id.len();
        return Err(Error::bad(field, format!("`{field}` is {bytes} bytes long; at most {MAX_ID_BYTES} are taken.")));
    }
    if id.chars().any(char::is_control) {
        return Err(Error::bad(field, format!("`{field}` has a control character; only printable ones are taken.")));
    }
    Ok(())
}

/// The id of a stream entry, `<milliseconds>-<sequence>`: the position in a sale's history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EventId {
    pub millis: u64,
    pub sequence: u64,
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.millis, self.sequence)
    }
}

impl FromStr for EventId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let parts =
            text.split_once('-').and_then(|(millis, sequence)| Some((millis.parse().ok()?, sequence.parse().ok()?)));
        let (millis, sequence) = parts.ok_or_else(|| {
            Error::bad("event_id", format!("\"{text}\" is no event id; one looks like 1700000000000-0."))
        })?;
        Ok(Self { millis, sequence })
    }
}

impl TryFrom<String> for EventId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<EventId> for String {
    fn from(id: EventId) -> Self {
        id.to_string()
    }
}

/// What an audit says of a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every invariant holds.
    Holds,
    /// At least one does not; its `expected` and `found` say by how much.
    Broken,
    /// We could not look. Never a pass.
    Unknown,
}

/// One thing that must be true of a sale, as looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invariant {
    /// A stable word for programs and for the catalogue of words: `packets`, `doubled`, …
    pub name: String,
    pub expected: i64,
    pub found: i64,
}

impl Invariant {
    pub fn new(name: &str, expected: i64, found: i64) -> Self {
        Self { name: name.to_owned(), expected, found }
    }

    pub fn holds(&self) -> bool {
        self.expected == self.found
    }
}

/// The check of a sale's invariants at one event id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    pub verdict: Verdict,
    pub invariants: Vec<Invariant>,
    /// The position in the sale's history that the figures belong to.
    pub event_id: EventId,
    /// When the audit looked.
    pub at: Millis,
    /// Why nobody could look, where the verdict is `unknown`.
    pub reason: Option<String>,
}

impl Audit {
    /// The verdict follows from the invariants.
    pub fn of(invariants: Vec<Invariant>, event_id: EventId, at: Millis) -> Self {
        let verdict = if invariants.iter().all(Invariant::holds) { Verdict::Holds } else { Verdict::Broken };
        Self { verdict, invariants, event_id, at, reason: None }
    }

    /// An audit that could not look, and why.
    pub fn unknown(reason: impl Into<String>, at: Millis) -> Self {
        Self {
            verdict: Verdict::Unknown,
            invariants: Vec::new(),
            event_id: EventId::default(),
            at,
            reason: Some(reason.into()),
        }
    }
}

/// An attempt that changed nothing, from the sample that the live view shows; `O` is how it was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclinedAttempt<O> {
    /// Unique within the sale: the sample's stream entry and the place in it.
    pub id: String,
    pub user: String,
    pub outcome: O,
    pub at: Millis,
}

/// A line of the list of sales on the first page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SaleLine {
    pub sale: String,
    pub state: red_packet::State,
    /// Packets in the sale, and how many are left.
    pub count: u64,
    pub pending: u64,
    pub total_cents: Cents,
    pub claimed_cents: Cents,
    pub opened_at: Millis,
    pub expires_at: Millis,
    /// A crowd is running at this sale now.
    pub crowd: bool,
}
