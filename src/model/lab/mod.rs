//! The lab: ways to serialize attempts, side by side. The same seeded crowd goes after the same stock by each strategy
//! in turn, on the same real Redis and database, and the figures are shown beside the verdict; each strategy can also
//! be stepped through, call by call.
//!
//! This module has the types and limits that browser and server share; the rest is the server's.

mod api;
pub mod faults;
pub mod registry;
pub mod run;
pub mod trace;

use crate::{
    Verdict,
    crowd::check_share,
    error::{Error, Result},
};
pub use api::LabApi;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// How many items there may be.
pub const STOCK: RangeInclusive<u32> = 1..=10_000;
/// How many users may come.
pub const USERS: RangeInclusive<u32> = 1..=100_000;
/// How many users may wait for an answer at a time. Each has connections of its own, and a PostgreSQL as it is installed
/// takes a hundred.
pub const CONCURRENCY: RangeInclusive<u32> = 1..=80;
/// What may be added to each round trip, in milliseconds.
pub const DELAY_MS: RangeInclusive<u32> = 0..=50;
/// How long a strategy may go on taking attempts, in seconds. On a slow network, a lock for the whole sale takes an
/// hour for what a script does in a second; users who have not arrived by then are left out.
pub const MOST_SECONDS: u64 = 20;

/// The settings of a run. The same settings give the same attempts in the same order of arrival.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabSettings")]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Items to get.
    pub stock: u32,
    /// Users who want one each.
    pub users: u32,
    /// Users waiting for an answer at a time.
    pub concurrency: u32,
    /// Share of users who try twice, right after each other, as with a double click, 0 to 1.
    pub repeat_rate: f64,
    /// Added to each round trip to Redis or the database, in milliseconds.
    pub delay_ms: u32,
    /// Determines the order of arrival, and who tries twice.
    pub seed: u64,
    /// The ids of the strategies, in the order in which they are run; all of them if there are none.
    pub strategies: Vec<String>,
}

/// A size at which each strategy that can fail does so every time, on two cores: when the stock runs out, tens of users
/// are between their read and their write. The stock is no multiple of their number: connections that are served in turn
/// read together and write together, and the last turn would take exactly what is left. The stock is large enough for
/// locks that expire too early, of which only some go wrong, and the users are few enough for the slowest strategy to
/// finish in seconds.
impl Default for Settings {
    fn default() -> Self {
        Self {
            stock: 100,
            users: 2_000,
            concurrency: 64,
            repeat_rate: 0.1,
            delay_ms: 0,
            seed: 1,
            strategies: Vec::new(),
        }
    }
}

impl Settings {
    /// The table of the article on locks: 10,000 users for 100 packets.
    pub fn article() -> Self {
        Self { users: 10_000, stock: 100, repeat_rate: 0.0, ..Self::default() }
    }

    /// Redis and the database five milliseconds further away, and a crowd for which that is not too far.
    pub fn slow_network() -> Self {
        Self { users: 200, stock: 20, concurrency: 16, delay_ms: 5, ..Self::default() }
    }

    /// Checks every limit but the names of the strategies, which the server knows.
    ///
    /// # Errors
    /// `bad_request`, naming the field and the limit.
    pub fn check(&self) -> Result<()> {
        let within = |field: &str, value: u32, range: &RangeInclusive<u32>| {
            if range.contains(&value) {
                return Ok(());
            }
            let (least, most) = (range.start(), range.end());
            Err(Error::bad(field, format!("`{field}` is {value}; it must be {least} to {most}.")))
        };
        within("stock", self.stock, &STOCK)?;
        within("users", self.users, &USERS)?;
        within("concurrency", self.concurrency, &CONCURRENCY)?;
        check_share("repeat_rate", self.repeat_rate)?;
        within("delay_ms", self.delay_ms, &DELAY_MS)
    }
}

/// What one strategy did in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabFigures")]
pub struct Figures {
    /// The id of the strategy.
    pub name: String,
    /// Attempts that were made and answered.
    pub attempts: u64,
    /// Whether time was up (20 s) before everybody had arrived.
    pub cut_short: bool,
    /// Attempts answered a second.
    pub per_s: u64,
    /// The median time from attempt to answer, in milliseconds.
    pub p50_ms: f64,
    /// The 99th percentile of that time, in milliseconds.
    pub p99_ms: f64,
    /// Round trips to Redis or the database per attempt, on average. A batch is one round trip for all of its attempts.
    pub round_trips: f64,
    /// Commands or statements sent per attempt, on average. A script counts as one.
    pub commands: f64,
    /// Items given out: for each user, as many as the answers or the records say, whichever is more.
    pub given: u64,
    /// Items given out beyond the stock.
    pub oversold: u64,
    /// Users who got more than one.
    pub doubled: u64,
    /// Items that users were told they have, now or from an earlier attempt, and that are in no record.
    pub lost: u64,
    /// Transactions that were repeated because another attempt had written meanwhile.
    pub retries: u64,
    /// The lowest stock that an attempt saw, where attempts see the stock.
    pub lowest_stock: Option<i64>,
    /// Whether nothing was oversold, doubled or lost.
    pub verdict: Verdict,
    /// The verdict that is expected of the strategy.
    pub expected: Verdict,
}

impl Figures {
    /// Whether the strategy held for as long as it was tried: time was up before everybody had arrived.
    pub fn holds_so_far(&self) -> bool {
        self.cut_short && self.verdict == Verdict::Holds
    }

    /// Items that nobody got although enough users asked. If time was up, not everybody had asked.
    pub fn unsold(&self, settings: &Settings) -> u64 {
        let wanted = u64::from(settings.stock.min(settings.users));
        if self.cut_short { 0 } else { wanted.saturating_sub(self.given) }
    }
}

/// A run that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Its settings.
    pub settings: Settings,
    /// The database of the strategies that use one: `SQLite` or `PostgreSQL`.
    pub database: String,
    /// What each strategy did, in the order in which they were run.
    pub strategies: Vec<Figures>,
}

/// What an attempt was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// The user has one.
    Won,
    /// The user had one before, so this attempt got none.
    Already,
    /// Nothing is left.
    SoldOut,
    /// Another attempt of the same user is being made.
    Busy,
    /// The order was cancelled.
    Cancelled,
    /// The order had expired, so nothing was paid.
    Expired,
}

/// What can go wrong with a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Anomaly {
    /// More is given out than there is.
    Oversold,
    /// A user gets more than one.
    Doubled,
    /// A user was promised an item that is in no record.
    Lost,
    /// Items are neither left nor anybody's. Only plays look for it.
    Drained,
}

impl Anomaly {
    /// Those that runs look for, in the order of the matrix.
    pub const ALL: [Self; 3] = [Self::Oversold, Self::Doubled, Self::Lost];
}

/// The format of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "LabReportFormat")]
pub enum ReportFormat {
    /// A line for each strategy.
    Csv,
    /// What `/api/lab/run` answers.
    Json,
    /// A self-contained page to read and print, without scripts.
    Html,
}

/// The parameters of a report.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportParams {
    /// The id of the run.
    pub run: String,
    /// The format of the file.
    pub format: ReportFormat,
    /// The language of the HTML, `en` or `zh`; that of the pages if left out.
    pub lang: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strategy of which three users got an item each, and nothing went wrong.
    pub fn figures(name: &str) -> Figures {
        Figures {
            name: name.to_owned(),
            attempts: 12,
            cut_short: false,
            per_s: 1_000,
            p50_ms: 0.5,
            p99_ms: 2.25,
            round_trips: 2.0,
            commands: 4.0,
            given: 3,
            oversold: 0,
            doubled: 0,
            lost: 0,
            retries: 0,
            lowest_stock: None,
            verdict: Verdict::Holds,
            expected: Verdict::Holds,
        }
    }

    #[test]
    fn what_nobody_got_although_enough_users_asked_is_unsold() {
        let unsold = |stock, users| figures("decr-incr").unsold(&Settings { stock, users, ..Settings::default() });
        assert_eq!([unsold(5, 10), unsold(10, 5), unsold(3, 10), unsold(10, 3), unsold(2, 10)], [2, 2, 0, 0, 0]);
        let cut_short = Figures { cut_short: true, ..figures("decr-incr") };
        assert_eq!(cut_short.unsold(&Settings::default()), 0);
    }
}
