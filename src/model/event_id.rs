//! Positions in the history of a sale.

use crate::error::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The id of a stream entry, `<milliseconds>-<sequence>`: a position in a sale's history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = "^[0-9]{1,19}-[0-9]{1,19}$"))]
pub struct EventId {
    /// The milliseconds of Redis's clock when the entry was added.
    pub millis: u64,
    /// The sequence number, which distinguishes entries of the same millisecond.
    pub sequence: u64,
}

impl EventId {
    /// The earliest id after this one; `None` after the last possible id.
    pub fn next(self) -> Option<Self> {
        match self.sequence.checked_add(1) {
            Some(sequence) => Some(Self { sequence, ..self }),
            None => Some(Self { millis: self.millis.checked_add(1)?, sequence: 0 }),
        }
    }
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
            Error::bad("event_id", format!("\"{text}\" is not an event id; one looks like 1700000000000-0."))
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
