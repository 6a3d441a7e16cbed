//! The crowd: simulated users, whose attempts take the same path as those of real ones, through service and batcher.

pub mod api;
mod arrival;
mod counts;
pub mod panel;
#[cfg(feature = "ssr")]
pub mod rng;
#[cfg(feature = "ssr")]
pub mod run;
#[cfg(feature = "ssr")]
pub mod runner;
#[cfg(feature = "ssr")]
pub mod scenario;
#[cfg(feature = "ssr")]
mod times;
pub mod words;

pub use arrival::{Arrival, ArrivalKind};
pub use counts::Counts;

use crate::{
    domain::{Cents, Millis, Verdict, check_id},
    error::{Error, Result},
};
use serde::{Deserialize, Serialize};

/// The most users that one crowd may have.
pub const MAX_USERS: u32 = 1_000_000;
/// The most users that may wait for an answer at the same time.
pub const MAX_CONCURRENCY: u32 = 10_000;
/// The fastest arrival, in users a second.
pub const MAX_PER_S: u32 = 1_000_000;
/// The longest ramp, in seconds.
pub const MAX_OVER_S: u32 = 3_600;

/// How the users of a kind of sale behave: fields of the kind's own, in JSON.
pub type Behavior = serde_json::Map<String, serde_json::Value>;

/// The settings of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunConfig {
    pub sale: String,
    pub users: u32,
    /// Users that wait for an answer at the same time.
    pub concurrency: u32,
    /// Share of users that click twice, 0 to 1.
    pub repeat_rate: f64,
    pub arrival: Arrival,
    /// Decides who clicks twice, what everyone wants and what the users are called.
    pub seed: u64,
    /// How users behave, where the kind of sale has a choice.
    #[serde(rename = "taste", default, skip_serializing_if = "Option::is_none")]
    pub behavior: Option<Behavior>,
}

impl RunConfig {
    /// Checks every limit that is not the kind's own.
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
        within("arrival", self.arrival.per_s, MAX_PER_S)?;
        within("arrival", self.arrival.over_s, MAX_OVER_S)?;
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
    Err(Error::bad(field, format!("`{field}` is {share}; it is a share from 0 to 1.")))
}

/// The answer to `start`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    pub run: String,
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Running,
    /// Every attempt is answered; the run is being verified.
    #[serde(rename = "judging")]
    Verifying,
    Done,
    /// Stopped by hand; verified all the same.
    Stopped,
    /// Its server went away in the middle.
    Lost,
}

impl Phase {
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Stopped | Self::Lost)
    }
}

/// How fast and how slow, over a stretch of time. Latencies in microseconds, from the moment that
/// the user was due to click (so a server that stalls cannot hide it) to the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// End of the stretch, milliseconds after the start.
    pub at_ms: u64,
    /// Answered attempts a second.
    pub per_s: u64,
    pub p50_us: u64,
    pub p99_us: u64,
}

/// The verification of a run, the Jepsen way: what was acknowledged against what is there. Red packets are counted in
/// packets, tickets in orders and seats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    pub verdict: Verdict,
    /// Packets given beyond what there was, or seats of a category beyond those it has.
    pub oversold: u64,
    /// Packets or seats given to two users, or users given two packets.
    pub doubled: u64,
    /// Acknowledged, but not in the final state.
    pub lost: u64,
    /// In the final state, but never acknowledged nor unknown.
    pub unexpected: u64,
    /// Σ cents that must be there, and what was found: of a red packet pending + claimed + refunded, of tickets
    /// what was paid.
    pub expected_cents: Cents,
    pub found_cents: Cents,
    /// Why it could not be verified, where the verdict is `unknown`.
    pub reason: Option<String>,
}

/// A run, as `status` and the live view show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    pub run: String,
    #[serde(rename = "orders")]
    pub config: RunConfig,
    pub phase: Phase,
    pub started_at: Millis,
    /// When the run's server published this.
    pub reported_at: Millis,
    pub elapsed_ms: u64,
    /// Estimated time to the last answer.
    pub left_ms: Option<u64>,
    /// Attempts to be made in all (users and their repeats; at a ticket sale what follows from an answer is
    /// added as it comes: another try, a payment, a cancellation), and answered so far.
    pub attempts: u64,
    pub answered: u64,
    pub outcomes: Counts,
    /// Attempts whose answer never came: neither won nor refused.
    pub unknown: u64,
    /// Answered attempts a second: over the last moment, and over the whole run.
    pub per_s: u64,
    pub mean_per_s: u64,
    /// Latencies over the whole run, in microseconds.
    pub p50_us: u64,
    pub p90_us: u64,
    pub p99_us: u64,
    pub max_us: u64,
    /// The course of the run in at most 120 points.
    pub history: Vec<Point>,
    #[serde(rename = "judgement")]
    pub verification: Option<Verification>,
    /// The verdict of the verification, for whoever wants only that.
    pub verdict: Option<Verdict>,
}
