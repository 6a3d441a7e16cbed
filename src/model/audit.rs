//! The result of an audit.

use crate::{Cents, EventId, Millis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The verdict of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every invariant holds.
    Holds,
    /// At least one invariant does not hold. Its `expected` and `found` values show the difference.
    Broken,
    /// The sale could not be checked. This never counts as a pass.
    Unknown,
}

/// A condition that must hold for a sale, with the value that was expected and the value that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Invariant {
    /// The stable name of the invariant, for programs and for the catalogues of texts: `packets`, `doubled`, …
    pub name: String,
    /// The value that must hold.
    pub expected: i64,
    /// The value that was found.
    pub found: i64,
    /// The unit of the values; left out in JSON if it is `things`.
    #[serde(default, skip_serializing_if = "Unit::is_things")]
    pub unit: Unit,
}

/// The unit of the values of an invariant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Packets, seats, rows, events.
    #[default]
    Things,
    /// An amount of money.
    Cents,
}

impl Unit {
    fn is_things(&self) -> bool {
        *self == Self::Things
    }
}

impl Invariant {
    pub fn new(name: &str, expected: i64, found: i64) -> Self {
        Self { name: name.to_owned(), expected, found, unit: Unit::Things }
    }

    /// An invariant whose values are cents.
    pub fn cents(name: &str, expected: Cents, found: Cents) -> Self {
        Self { unit: Unit::Cents, ..Self::new(name, expected, found) }
    }

    /// Whether the values are equal.
    pub fn holds(&self) -> bool {
        self.expected == self.found
    }
}

/// The check of a sale's invariants at one event id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Audit {
    /// The verdict, which follows from the invariants.
    pub verdict: Verdict,
    /// The invariants that were checked.
    pub invariants: Vec<Invariant>,
    /// The position in the sale's history to which the figures belong.
    pub event_id: EventId,
    /// The time of the audit.
    pub at: Millis,
    /// The reason why the sale could not be checked, if the verdict is `unknown`.
    pub reason: Option<String>,
}

impl Audit {
    /// An audit whose verdict follows from its invariants.
    pub fn of(invariants: Vec<Invariant>, event_id: EventId, at: Millis) -> Self {
        let verdict = if invariants.iter().all(Invariant::holds) { Verdict::Holds } else { Verdict::Broken };
        Self { verdict, invariants, event_id, at, reason: None }
    }

    /// The excess of `found` over `expected` in the invariant with this name; 0 if the audit has no such invariant.
    pub fn excess(&self, name: &str) -> u64 {
        let invariant = self.invariants.iter().find(|invariant| invariant.name == name);
        invariant.map_or(0, |invariant| u64::try_from(invariant.found - invariant.expected).unwrap_or(0))
    }

    /// An audit that could not check the sale, with the reason.
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
