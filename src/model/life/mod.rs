//! The life of a sale, the same for every kind: its start and end, pauses, title, description and currency.
//!
//! Nothing is switched by a timer. The script that answers an attempt compares Redis' time with the start and the end,
//! and [`Life::phase`] does the same for what pages show.

mod answers;
mod api;
mod currency;
mod instant;
mod plan;
mod texts;

use crate::Millis;
pub use answers::{Described, Paused, Reopened, Resumed, Scheduled};
pub use api::LifeApi;
pub use currency::Currency;
pub use instant::Instant;
pub use plan::{MAX_AHEAD_S, Plan, PlanFields, When, check_ahead, end, has_passed, not_after_start, start};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use texts::{
    MAX_DESCRIPTION, MAX_REASON, MAX_TITLE, Texts, check_description, check_reason, check_title, text_pattern,
};

/// The outcomes that the ledger records for changes of a sale's life.
pub mod outcome {
    /// An operator paused the sale.
    pub const PAUSED: &str = "paused";
    /// An operator resumed the sale.
    pub const RESUMED: &str = "resumed";
    /// The start or the end was changed.
    pub const SCHEDULED: &str = "scheduled";
    /// An operator reopened the sale.
    pub const REOPENED: &str = "reopened";
    /// The title or the description was changed.
    pub const DESCRIBED: &str = "described";

    /// All of them.
    pub const CHANGES: [&str; 5] = [PAUSED, RESUMED, SCHEDULED, REOPENED, DESCRIBED];
}

/// What the deadlines of holds do during a pause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HoldClock {
    /// Holds expire as if there was no pause.
    #[default]
    Runs,
    /// Nothing expires, and each deadline is later by the length of the pause.
    Stops,
}

impl HoldClock {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Stops => "stops",
        }
    }

    /// The clock with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Runs, Self::Stops].into_iter().find(|clock| clock.name() == name)
    }
}

/// A pause of a sale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SalePause")]
pub struct Pause {
    /// The beginning of the pause.
    pub at: Millis,
    /// The reason that users are shown; may be empty.
    pub reason: String,
    /// What the deadlines of holds do.
    pub hold_clock: HoldClock,
}

/// The life of a sale, in its snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SaleLife")]
pub struct Life {
    /// The server's time at which the snapshot was read.
    pub now: Millis,
    /// The start; `null` if the sale accepted attempts from its opening on.
    pub opens_at: Option<Millis>,
    /// The end; `null` if the sale has none.
    pub ends_at: Option<Millis>,
    /// The pause, while the sale is paused.
    pub pause: Option<Pause>,
    /// The title.
    pub title: Texts,
    /// The description.
    pub description: Texts,
    /// The currency of all amounts. Cents are its minor units, whatever these are called.
    pub currency: Currency,
}

/// The phase of a sale that is neither closed nor suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Before the start.
    Scheduled,
    /// Attempts are accepted.
    Open,
    /// Paused by an operator.
    Paused,
    /// After the end.
    Ended,
}

impl Life {
    /// The phase at a time, by the order in which scripts decide.
    pub fn phase(&self, now: Millis) -> Phase {
        if self.ends_at.is_some_and(|ends_at| now >= ends_at) {
            Phase::Ended
        } else if self.opens_at.is_some_and(|opens_at| now < opens_at) {
            Phase::Scheduled
        } else if self.pause.is_some() {
            Phase::Paused
        } else {
            Phase::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_counts_between_the_start_and_the_end() {
        let pause = Pause { at: 5, reason: String::new(), hold_clock: HoldClock::Runs };
        let life = Life { opens_at: Some(10), ends_at: Some(20), ..Life::default() };
        let phases = |life: &Life| [9, 10, 19, 20].map(|now| life.phase(now));
        assert_eq!(phases(&life), [Phase::Scheduled, Phase::Open, Phase::Open, Phase::Ended]);
        let paused = Life { pause: Some(pause), ..life };
        assert_eq!(phases(&paused), [Phase::Scheduled, Phase::Paused, Phase::Paused, Phase::Ended]);
        assert_eq!(Life::default().phase(Millis::MAX), Phase::Open);
    }
}
