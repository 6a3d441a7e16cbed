//! What an audit says of a sale.

use super::{EventId, Millis};
use serde::{Deserialize, Serialize};

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

    /// By how much more was found than the invariant of this name allows; 0 where the audit has none of this name.
    pub fn excess(&self, name: &str) -> u64 {
        let invariant = self.invariants.iter().find(|invariant| invariant.name == name);
        invariant.map_or(0, |invariant| u64::try_from(invariant.found - invariant.expected).unwrap_or(0))
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
