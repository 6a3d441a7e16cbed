//! The crowd: simulated users. Their attempts take the same path as those of real users, through service and batcher.
//!
//! Some fields keep their names of the first version of the API, on which clients rely: `taste`, `judging`, `orders`,
//! `judgement`.

mod api;
pub mod arrival;
pub mod behavior;
pub mod counts;
pub mod replay;
pub mod runs;
mod user;

pub use api::CrowdApi;
pub use arrival::{Arrival, ArrivalKind};
pub use behavior::{Behavior, KindBehavior};
pub use counts::Counts;
pub use user::{place_of_user, user_name};

use crate::{
    Cents, Checks, Millis, Verdict, check_id, check_within,
    error::{Code, Error, Result},
    life::Currency,
    runs::RunStatus,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most users that one crowd may have.
pub const MAX_USERS: u32 = 1_000_000;
/// The most users that may wait for an answer at a time.
pub const MAX_CONCURRENCY: u32 = 10_000;
/// The fastest arrival, in users a second.
pub const MAX_PER_S: u32 = 1_000_000;
/// The most changes of load in a run.
pub const MAX_CHANGES: usize = 100;
/// The longest ramp, in seconds.
pub const MAX_OVER_S: u32 = 3_600;

/// The most runs of a server at a time.
pub const MAX_RUNS: usize = 16;

/// The settings of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunSettings")]
pub struct RunConfig {
    /// The id of the sale.
    pub sale: String,
    /// Number of users.
    pub users: u32,
    /// The most users that wait for an answer at a time.
    pub concurrency: u32,
    /// The share of users who click twice, 0 to 1.
    pub repeat_rate: f64,
    /// The arrival pattern of users.
    pub arrival: Arrival,
    /// The seed. It determines who clicks twice, what each user wants, and the names of the users.
    pub seed: u64,
    /// The behavior of the users; `null` if the kind of sale offers no choice.
    #[serde(rename = "taste", default, skip_serializing_if = "Option::is_none")]
    pub behavior: Option<Behavior>,
}

impl RunConfig {
    /// Checks every limit except those specific to the kind.
    ///
    /// # Errors
    /// `bad_request`, naming the field and the limit.
    pub fn check(&self) -> Result<()> {
        let Self { sale, users, concurrency, repeat_rate, arrival, .. } = self;
        let mut checks = Checks::default();
        checks.note(check_id("sale", sale));
        checks.note(check_within("users", *users, 1..=MAX_USERS, ""));
        checks.note(check_within("concurrency", *concurrency, 1..=MAX_CONCURRENCY, ""));
        checks.note(check_within("arrival.per_s", arrival.per_s, 1..=MAX_PER_S, ""));
        checks.note(check_within("arrival.over_s", arrival.over_s, 1..=MAX_OVER_S, ""));
        checks.finish(check_share("repeat_rate", *repeat_rate))
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

/// Checks that two shares of the same are at most 1 together. If the first alone is more, that is its own fault.
///
/// # Errors
/// `bad_request`, naming the second field.
pub(crate) fn check_sum([(first, share), (second, other)]: [(&str, f64); 2]) -> Result<()> {
    let sum = share + other;
    // The tolerance is needed because shares given in percent do not add up exactly.
    if share > 1.0 || sum <= 1.0 + 1e-9 {
        return Ok(());
    }
    Err(Error::bad(second, format!("`{first}` and `{second}` are {sum} together; the sum must be at most 1.")))
}

/// The phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RunPhase")]
pub enum Phase {
    /// Users are arriving, or waiting for answers.
    Running,
    /// Every attempt has ended, and the run is being verified.
    #[serde(rename = "judging")]
    Verifying,
    /// The run has ended and was verified.
    Done,
    /// The run was stopped by hand; it is verified all the same.
    Stopped,
    /// The server of the run stopped during the run.
    Lost,
}

impl Phase {
    /// Whether the run has ended, for any reason.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Stopped | Self::Lost)
    }
}

/// The rate and the latencies of an interval. Latencies are in microseconds. They are measured from the moment when the
/// user was due to click to the answer, so a stalling server cannot hide them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunPoint")]
pub struct Point {
    /// The end of the interval, in milliseconds after the start.
    pub at_ms: u64,
    /// Answered attempts a second.
    pub per_s: u64,
    /// The median latency, in microseconds.
    pub p50_us: u64,
    /// The latency at the 99th percentile, in microseconds.
    pub p99_us: u64,
    /// The answers of the interval: one count for each name in `outcomes`, in that order, then the number of attempts
    /// without an answer.
    pub answers: Vec<u64>,
    /// The start of the first attempt in the interval that found Redis down (`unavailable`), in milliseconds after the
    /// start of the run; left out if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis_down_since_ms: Option<u64>,
}

impl Point {
    /// One point for two neighbours, with the rate of both. Counts are added. The higher of two latencies is kept, so that
    /// no peak is lost.
    #[must_use]
    pub fn joined(&self, next: &Self, per_s: u64) -> Self {
        Self {
            at_ms: next.at_ms,
            per_s,
            p50_us: self.p50_us.max(next.p50_us),
            p99_us: self.p99_us.max(next.p99_us),
            answers: self.answers.iter().zip(&next.answers).map(|(first, second)| first + second).collect(),
            redis_down_since_ms: self.redis_down_since_ms.into_iter().chain(next.redis_down_since_ms).min(),
        }
    }
}

/// A change of the load of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunChange")]
pub struct Change {
    /// The time of the change, in milliseconds after the start.
    pub at_ms: u64,
    /// Users a second after the change.
    pub per_s: u32,
}

/// The verification of a run: the answers of its users compared with the stored state, as Jepsen does. The kind of sale
/// defines an item, and how many items a user may have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunVerification")]
pub struct Verification {
    /// Whether the run and the subsequent audit were clean.
    pub verdict: Verdict,
    /// Items given out beyond the supply.
    pub oversold: u64,
    /// Items given out twice or beyond the limit of a user, and requests answered twice.
    pub doubled: u64,
    /// Items or orders that were acknowledged, but are not in the final state.
    pub lost: u64,
    /// Items or orders in the final state that were neither acknowledged nor left with an unknown outcome.
    pub unexpected: u64,
    /// Items given out before the start of the sale, by the times of their events; left out of a sale without a start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_start: Option<u64>,
    /// The money that the sale must account for, in cents: the payments of users, or all money that was there to give
    /// out. It is 0 if the kind of sale counts no money.
    pub expected_cents: Cents,
    /// The money that was found, in cents.
    pub found_cents: Cents,
    /// The currency of the money.
    #[serde(default)]
    pub currency: Currency,
    /// The reason why the run could not be verified, if the verdict is `unknown`.
    pub reason: Option<String>,
}

impl Verification {
    /// Whether the sale counts money. Some kinds of sale count items alone.
    pub fn has_money(&self) -> bool {
        self.expected_cents != 0 || self.found_cents != 0
    }
}

/// The status of a run, as in `status` and the live view.
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
    /// The time of the start.
    pub started_at: Millis,
    /// The time at which the server of the run published this status.
    pub reported_at: Millis,
    /// The number of items left at the start; `null` if there is no limit, or if an earlier version started the run.
    #[serde(default)]
    pub left_at_start: Option<u64>,
    /// Milliseconds since the start.
    pub elapsed_ms: u64,
    /// The estimated milliseconds until the last answer.
    pub left_ms: Option<u64>,
    /// The number of attempts so far planned: users and their repeats. Follow-ups, such as another try, a payment or a
    /// cancellation, are added as they occur.
    pub attempts: u64,
    /// The number of attempts expected at the end. It is an estimate while users who may make follow-ups are still to
    /// arrive, and equals `attempts` afterwards.
    pub expected_attempts: u64,
    /// Attempts that have ended, with or without an answer; `unanswered` counts those without one.
    pub answered: u64,
    /// Answers by name.
    #[schemars(with = "std::collections::BTreeMap<String, u64>")]
    pub outcomes: Counts,
    /// Attempts without an answer that may have been carried out.
    pub unknown: u64,
    /// All attempts without an answer, by the code of the error: `busy` was not tried, `unavailable` may have been.
    #[schemars(with = "std::collections::BTreeMap<String, u64>")]
    pub unanswered: BTreeMap<Code, u64>,
    /// Answered attempts a second, over the latest interval.
    pub per_s: u64,
    /// Answered attempts a second, over the whole run.
    pub mean_per_s: u64,
    /// The median latency of the whole run, in microseconds.
    pub p50_us: u64,
    /// The latency at the 90th percentile, in microseconds.
    pub p90_us: u64,
    /// The latency at the 99th percentile, in microseconds.
    pub p99_us: u64,
    /// The longest latency, in microseconds.
    pub max_us: u64,
    /// The time series of the run, at most 120 points. Points are a tenth of a second apart, or a hundredth in a short
    /// run that has ended, or more in a long run.
    pub history: Vec<Point>,
    /// The changes of load during the run, in order, at most 100.
    pub changes: Vec<Change>,
    /// The verification; `null` until the run is over.
    #[serde(rename = "judgement")]
    pub verification: Option<Verification>,
    /// The verdict of the verification, repeated for clients that need nothing else.
    pub verdict: Option<Verdict>,
}

impl Status {
    /// The number of users who have arrived.
    pub fn arrived(&self) -> u32 {
        let RunConfig { users, arrival, .. } = self.config;
        arrived(arrival, &self.changes, users, self.elapsed_ms * 1_000)
    }

    /// The number of attempts without an answer of which nothing was carried out.
    pub fn not_tried(&self) -> u64 {
        not_tried(&self.unanswered)
    }

    /// The number of attempts of which nobody knows the answer any more, as the server of the run is gone.
    pub fn unrecorded(&self) -> u64 {
        if self.phase == Phase::Lost { self.attempts.saturating_sub(self.answered) } else { 0 }
    }
}

/// The number of users who have arrived after this many microseconds, out of `users`: by the arrival pattern, and at
/// another rate from each change of the load on.
fn arrived(mut arrival: Arrival, changes: &[Change], users: u32, after_us: u64) -> u32 {
    let (mut here, mut since_us) = (0, 0);
    for change in changes {
        let at_us = change.at_ms * 1_000;
        here += arrival.arrived(users - here, at_us.saturating_sub(since_us));
        arrival = Arrival { kind: ArrivalKind::Constant, per_s: change.per_s, ..arrival };
        since_us = at_us;
    }
    here + arrival.arrived(users - here, after_us.saturating_sub(since_us))
}

/// How many of these attempts were not carried out.
fn not_tried(unanswered: &BTreeMap<Code, u64>) -> u64 {
    unanswered.iter().filter(|(code, _)| !code.is_outcome_unknown()).map(|(_, times)| times).sum()
}

impl RunStatus for Status {
    fn is_over(&self) -> bool {
        self.phase.is_over()
    }

    fn reported_at(&self) -> Millis {
        self.reported_at
    }

    fn lose(&mut self) {
        self.phase = Phase::Lost;
        self.per_s = 0;
        self.left_ms = None;
        self.expected_attempts = self.attempts;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_arrive_at_another_rate_from_a_change_on() {
        let constant = Arrival { kind: ArrivalKind::Constant, per_s: 10, over_s: 1 };
        let faster = [Change { at_ms: 1_000, per_s: 100 }];
        let after = |changes, ms: u64| arrived(constant, changes, 150, ms * 1_000);
        assert_eq!([500, 1_000, 2_000].map(|ms| after(&[], ms)), [6, 11, 21]);
        assert_eq!([1_000, 2_000, 9_000].map(|ms| after(&faster, ms)), [12, 112, 150]);
        assert_eq!(arrived(Arrival::BURST, &faster, 150, 0), 150, "all at once");
    }
}
