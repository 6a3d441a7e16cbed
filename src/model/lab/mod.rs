//! The lab: ways to serialize attempts, compared. In each run the same seeded crowd goes after the same stock by each
//! strategy in turn, on the same real Redis and database. The figures are shown beside the verdict. Each strategy can
//! also be stepped through, call by call.
//!
//! This module has the types and limits that browser and server share. The other parts are in the server only.

mod api;
pub mod duel;
pub mod faults;
pub mod orders;
pub mod program;
pub mod registry;
pub mod run;
pub mod trace;

use crate::{Checks, Verdict, check_within, crowd::check_share, error::Result};
pub use api::LabApi;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// The number of items.
pub const STOCK: RangeInclusive<u32> = 1..=10_000;
/// The number of users.
pub const USERS: RangeInclusive<u32> = 1..=100_000;
/// The number of users that wait for an answer at a time.
pub const CONCURRENCY: RangeInclusive<u32> = 1..=512;
/// The numbers of users at a time in a ramp, one after the other.
pub const RAMP: [u32; 10] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
/// The number of users in a ramp: enough for the last stop.
pub const RAMP_USERS: RangeInclusive<u32> = RAMP[RAMP.len() - 1]..=*USERS.end();
/// The most connections to the database that the users of a strategy share. Whoever comes when all are in use waits for
/// one, as at the pool of any server. PostgreSQL accepts a hundred connections by default.
pub const MOST_SESSIONS: u32 = 80;
/// The delay that may be added to each round trip, in milliseconds.
pub const DELAY_MS: RangeInclusive<u32> = 0..=50;
/// The longest time in which a strategy takes attempts, in seconds. On a slow network, a lock for the whole sale needs
/// an hour for the work that a script does in a second. Users who have not arrived by then are left out.
pub const MOST_SECONDS: u64 = 20;
/// The same at each stop of a ramp, so that a ramp of all strategies takes minutes at most.
pub const RAMP_SECONDS: u64 = 2;

/// The settings of a run. The same settings give the same attempts in the same order of arrival.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabSettings")]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The number of items.
    pub stock: u32,
    /// The number of users, who want one item each.
    pub users: u32,
    /// The most users that wait for an answer at a time.
    pub concurrency: u32,
    /// Whether the run is a ramp: all strategies with 1 user at a time, then with 2, 4, 8 and so on to 512, in place of
    /// `concurrency`.
    pub ramp: bool,
    /// The share of users who try twice in direct succession, as with a double click, 0 to 1.
    pub repeat_rate: f64,
    /// The delay added to each round trip to Redis or the database, in milliseconds.
    pub delay_ms: u32,
    /// The seed. It determines the order of arrival, and who tries twice.
    pub seed: u64,
    /// The ids of the strategies, in the order of their runs; one may be a program. An empty list stands for all
    /// strategies.
    pub strategies: Vec<String>,
}

/// A size at which each strategy that can fail does so every time, on two cores. When the stock runs out, tens of users
/// are between their read and their write. The stock is no multiple of their number: connections that are served in
/// turn read together and write together, and the last turn would take exactly the rest of the stock. The stock is
/// large enough for locks that expire too early, as only some of them go wrong. The users are few enough for the
/// slowest strategy to finish in seconds.
impl Default for Settings {
    fn default() -> Self {
        Self {
            stock: 100,
            users: 2_000,
            concurrency: 64,
            ramp: false,
            repeat_rate: 0.1,
            delay_ms: 0,
            seed: 1,
            strategies: Vec::new(),
        }
    }
}

impl Settings {
    /// The settings of the table in the article on locks: 10,000 users for 100 packets.
    pub fn article() -> Self {
        Self { users: 10_000, stock: 100, repeat_rate: 0.0, ..Self::default() }
    }

    /// A delay of five milliseconds to Redis and the database, and a crowd small enough for it.
    pub fn slow_network() -> Self {
        Self { users: 200, stock: 20, concurrency: 16, delay_ms: 5, ..Self::default() }
    }

    /// A ramp of all strategies that fail and of two that do not. The crowd is small enough for every stop, and the
    /// stock is a multiple of none but the first.
    pub fn ramp() -> Self {
        let strategies = [
            "read-check-write",
            "pipeline",
            "lock-in-process-two-servers",
            "decr-incr",
            "setnx-lock-no-owner-check",
            "setnx-lock-short-lifetime",
            "user-lock",
            "user-lock-guard-unread",
            "script",
            "batched-script",
        ];
        let strategies = strategies.map(str::to_owned).into();
        Self { users: 600, stock: 99, ramp: true, strategies, ..Self::default() }
    }

    /// The numbers of users at a time with which the strategies are run, one after the other.
    pub fn stops(&self) -> Vec<u32> {
        if self.ramp { RAMP.into() } else { vec![self.concurrency] }
    }

    /// The longest time in which a strategy takes attempts, in seconds.
    pub fn most_seconds(&self) -> u64 {
        if self.ramp { RAMP_SECONDS } else { MOST_SECONDS }
    }

    /// Checks every limit except the names of the strategies, which the server knows.
    ///
    /// # Errors
    /// `bad_request`, naming the field and the limit.
    pub fn check(&self) -> Result<()> {
        let mut checks = Checks::default();
        checks.note(check_within("stock", self.stock, STOCK, ""));
        checks.note(match self.ramp {
            true => check_within("users", self.users, RAMP_USERS, " in a ramp"),
            false => check_within("users", self.users, USERS, ""),
        });
        checks.note(check_within("concurrency", self.concurrency, CONCURRENCY, ""));
        checks.note(check_share("repeat_rate", self.repeat_rate));
        checks.finish(check_within("delay_ms", self.delay_ms, DELAY_MS, ""))
    }
}

/// The figures of one strategy in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabFigures")]
pub struct Figures {
    /// The id of the strategy.
    pub name: String,
    /// The most users that waited for an answer at a time; 0 for runs that were kept before it was noted.
    #[serde(default)]
    pub concurrency: u32,
    /// The number of answered attempts.
    pub attempts: u64,
    /// Whether the time limit (20 s, or 2 s in a ramp) was reached before all users had arrived.
    pub cut_short: bool,
    /// Answered attempts a second.
    pub per_s: u64,
    /// The median latency of attempts, in milliseconds.
    pub p50_ms: f64,
    /// The latency at the 99th percentile, in milliseconds.
    pub p99_ms: f64,
    /// The mean number of round trips to Redis or the database per attempt. A batch is one round trip for all of its
    /// attempts.
    pub round_trips: f64,
    /// The mean number of commands or statements sent per attempt. A script counts as one.
    pub commands: f64,
    /// Items given out. Each user counts with the larger number of items in the answers or in the records.
    pub given: u64,
    /// Items given out beyond the stock.
    pub oversold: u64,
    /// Users who got more than one item.
    pub doubled: u64,
    /// Items that users were promised, now or by an earlier attempt, and that are in no record.
    pub lost: u64,
    /// Items left in the end for users who were sent away and have none; 0 if the time limit was reached, as the others
    /// might have got them.
    #[serde(default)]
    pub undersold: u64,
    /// Transactions that were repeated because another attempt had written in between.
    pub retries: u64,
    /// The lowest stock that an attempt read; `null` if the attempts of the strategy read no stock.
    pub lowest_stock: Option<i64>,
    /// The verdict, which is `holds` if nothing was oversold, doubled, lost or undersold.
    pub verdict: Verdict,
    /// The expected verdict of the strategy with these settings. Of a program, and of a strategy that can fail at a
    /// later stop of a ramp, that which it got.
    pub expected: Verdict,
}

impl Figures {
    /// Whether the strategy held until the time limit, which was reached before all users had arrived.
    pub fn holds_so_far(&self) -> bool {
        self.cut_short && self.verdict == Verdict::Holds
    }
}

/// An ended run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The settings of the run.
    pub settings: Settings,
    /// The database of the strategies that use one: `SQLite` or `PostgreSQL`.
    pub database: String,
    /// The figures of each strategy, in the order of their runs.
    pub strategies: Vec<Figures>,
}

/// The answer to an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// The user got an item.
    Won,
    /// The user already had an item, so this attempt got none.
    Already,
    /// Nothing is left.
    SoldOut,
    /// Another attempt of the same user is in progress.
    Busy,
    /// The order was cancelled.
    Cancelled,
    /// The order had expired, so nothing was paid.
    Expired,
}

/// An anomaly that a strategy can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Anomaly {
    /// More items are given out than there are.
    Oversold,
    /// A user gets more than one item.
    Doubled,
    /// A user was promised an item that is in no record.
    Lost,
    /// A user was sent away and has nothing, although items are left in the end.
    Undersold,
    /// Items are neither left nor held by anybody. Only plays check this.
    Drained,
}

impl Anomaly {
    /// The anomalies that runs check, in the order of the matrix.
    pub const ALL: [Self; 4] = [Self::Oversold, Self::Doubled, Self::Lost, Self::Undersold];
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of the history were kept before anything was counted as undersold.
    #[test]
    fn figures_without_what_was_undersold_can_be_read() {
        let kept = r#"{
            "name": "decr-incr", "attempts": 12, "cut_short": false, "per_s": 1000, "p50_ms": 0.5, "p99_ms": 2.25,
            "round_trips": 2.0, "commands": 4.0, "given": 3, "oversold": 0, "doubled": 0, "lost": 0, "retries": 0,
            "lowest_stock": null, "verdict": "holds", "expected": "holds"
        }"#;
        let figures: Figures = serde_json::from_str(kept).expect("figures");
        assert_eq!((figures.given, figures.undersold, figures.concurrency), (3, 0, 0));
    }
}
