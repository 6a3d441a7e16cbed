//! The crowd: simulated users, whose attempts take the same path as those of real users, through service and batcher.
//!
//! Some fields have names of the first version of the API, which clients rely on: `taste`, `judging`, `orders`, `judgement`.

mod api;
pub mod arrival;
pub mod behavior;
pub mod counts;
pub mod runs;

pub use api::CrowdApi;
pub use arrival::{Arrival, ArrivalKind};
pub use behavior::{Behavior, KindBehavior};
pub use counts::Counts;

use crate::{
    Cents, Millis, Verdict, check_id,
    error::{Code, Error, Result},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most users that one crowd may have.
pub const MAX_USERS: u32 = 1_000_000;
/// The most users that may wait for an answer at the same time.
pub const MAX_CONCURRENCY: u32 = 10_000;
/// The fastest arrival, in users a second.
pub const MAX_PER_S: u32 = 1_000_000;
/// The most changes of its load that a run takes.
pub const MAX_CHANGES: usize = 100;
/// The longest ramp, in seconds.
pub const MAX_OVER_S: u32 = 3_600;

/// Runs of one server at a time.
pub const MAX_RUNS: usize = 16;

/// The settings of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunSettings")]
pub struct RunConfig {
    /// The sale at which it runs.
    pub sale: String,
    /// Number of users.
    pub users: u32,
    /// Users waiting for an answer at the same time.
    pub concurrency: u32,
    /// Share of users that click twice, 0 to 1.
    pub repeat_rate: f64,
    /// How users arrive.
    pub arrival: Arrival,
    /// Determines who clicks twice, what each user wants, and the users' names.
    pub seed: u64,
    /// How users behave; `null` if the kind of sale offers no choice.
    #[serde(rename = "taste", default, skip_serializing_if = "Option::is_none")]
    pub behavior: Option<Behavior>,
}

impl RunConfig {
    /// Checks every limit except those specific to the kind.
    ///
    /// # Errors
    /// `bad_request`, naming the field and the limit.
    pub fn check(&self) -> Result<()> {
        check_id("sale", &self.sale)?;
        let within = |field: &str, value: u32, most: u32| {
            if (1..=most).contains(&value) {
                Ok(())
            } else {
                Err(Error::bad(field, format!("`{field}` is {value}; it must be 1 to {most}.")))
            }
        };
        within("users", self.users, MAX_USERS)?;
        within("concurrency", self.concurrency, MAX_CONCURRENCY)?;
        within("arrival.per_s", self.arrival.per_s, MAX_PER_S)?;
        within("arrival.over_s", self.arrival.over_s, MAX_OVER_S)?;
        check_share("repeat_rate", self.repeat_rate)
    }
}

/// Checks a share: 0 to 1.
///
/// # Errors
/// `bad_request`, naming the field.
pub fn check_share(field: &str, share: f64) -> Result<()> {
    if (0.0..=1.0).contains(&share) {
        return Ok(());
    }
    Err(Error::bad(field, format!("`{field}` is {share}; it must be from 0 to 1.")))
}

/// The answer to `start`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunStarted")]
pub struct Started {
    /// The id of the run.
    pub run: String,
}

/// The phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RunPhase")]
pub enum Phase {
    /// Users are arriving or waiting for answers.
    Running,
    /// Every attempt is answered; the run is being verified.
    #[serde(rename = "judging")]
    Verifying,
    /// Finished and verified.
    Done,
    /// Stopped by hand; verified all the same.
    Stopped,
    /// Interrupted: its server stopped during the run.
    Lost,
}

impl Phase {
    /// Whether the run has ended, for whatever reason.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Stopped | Self::Lost)
    }
}

/// Rate and latencies over an interval. Latencies are in microseconds, measured from the moment when
/// the user was due to click (so a stalling server cannot hide them) to the answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunPoint")]
pub struct Point {
    /// End of the interval, milliseconds after the start.
    pub at_ms: u64,
    /// Answered attempts a second.
    pub per_s: u64,
    /// Median latency.
    pub p50_us: u64,
    /// 99th percentile of the latency.
    pub p99_us: u64,
    /// How the attempts of the interval were answered: a count for each of the names in `outcomes`, in their order, and
    /// last how many had no answer.
    #[serde(default)]
    pub answers: Vec<u64>,
    /// When the first of those that found Redis down (`unavailable`) began, milliseconds after the start; missing if there
    /// are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis_down_since_ms: Option<u64>,
}

/// A change of the load of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunChange")]
pub struct Change {
    /// When it took effect, milliseconds after the start.
    pub at_ms: u64,
    /// Users a second from then on.
    pub per_s: u32,
}

/// The verification of a run: what users were told compared with what is stored, as Jepsen does. What an item is, and
/// what a user may have of them, depends on the kind of sale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunVerification")]
pub struct Verification {
    /// Whether the run and the subsequent audit were clean.
    pub verdict: Verdict,
    /// Items given out beyond those that there were.
    pub oversold: u64,
    /// Items given out twice, or beyond what a user may have; requests answered twice.
    pub doubled: u64,
    /// Items or orders that were acknowledged, but are not in the final state.
    pub lost: u64,
    /// Items or orders in the final state that were neither acknowledged nor of an unknown outcome.
    pub unexpected: u64,
    /// The money that the sale must account for, in cents: what users paid, or all that there was to give out. 0 if the
    /// kind of sale counts no money.
    pub expected_cents: Cents,
    /// The money that was found, in cents.
    pub found_cents: Cents,
    /// Why the run could not be verified, if the verdict is `unknown`.
    pub reason: Option<String>,
}

impl Verification {
    /// Whether money was at stake: some kinds of sale count items alone.
    pub fn has_money(&self) -> bool {
        self.expected_cents != 0 || self.found_cents != 0
    }
}

/// A run, as `status` and the live view show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunStatus")]
pub struct Status {
    /// The id of the run.
    pub run: String,
    /// The settings of the run.
    #[serde(rename = "orders")]
    pub config: RunConfig,
    /// The phase of the run.
    pub phase: Phase,
    /// When it started.
    pub started_at: Millis,
    /// When the run's server published this.
    pub reported_at: Millis,
    /// Milliseconds since the start.
    pub elapsed_ms: u64,
    /// Estimated milliseconds until the last answer.
    pub left_ms: Option<u64>,
    /// Attempts to be made in total: users and their repeats. Follow-ups, such as another try, a payment or a
    /// cancellation, are added as they occur.
    pub attempts: u64,
    /// The number of attempts expected at the end: an estimate while users who may make follow-ups are still to come; then
    /// `attempts`.
    #[serde(default)]
    pub expected_attempts: u64,
    /// Attempts that are over, answered or not: `unknown` counts those without an answer.
    pub answered: u64,
    /// Answers by name.
    #[schemars(with = "std::collections::BTreeMap<String, u64>")]
    pub outcomes: Counts,
    /// Attempts without an answer.
    pub unknown: u64,
    /// The same by the code of the error that came instead: `busy` was not tried, `unavailable` may have been.
    #[schemars(with = "std::collections::BTreeMap<String, u64>")]
    #[serde(default)]
    pub unanswered: BTreeMap<Code, u64>,
    /// Answered attempts per second, over the latest interval.
    pub per_s: u64,
    /// Answered attempts per second, over the whole run.
    pub mean_per_s: u64,
    /// Median latency of the whole run, in microseconds.
    pub p50_us: u64,
    /// 90th percentile of the latency, in microseconds.
    pub p90_us: u64,
    /// 99th percentile of the latency, in microseconds.
    pub p99_us: u64,
    /// The longest latency, in microseconds.
    pub max_us: u64,
    /// The course of the run in at most 120 points: a tenth of a second apart, a hundredth for a short run that is
    /// over, more for a long one.
    pub history: Vec<Point>,
    /// How the load was changed during the run, in order, at most 100 times.
    #[serde(default)]
    pub changes: Vec<Change>,
    /// The verification; `null` until the run is over.
    #[serde(rename = "judgement")]
    pub verification: Option<Verification>,
    /// The verdict of the verification, repeated here for clients that need nothing else.
    pub verdict: Option<Verdict>,
}
