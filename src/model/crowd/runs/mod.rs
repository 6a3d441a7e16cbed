//! Runs that are over: what the ledger keeps of them, and what the pages show of it.

use crate::{
    Audit, Millis,
    crowd::{Change, Counts, Phase, Point, RunConfig, Status, Verification},
    error::{Code, Error},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt, str::FromStr};

/// How many of a sale's newest runs are kept.
pub const KEPT: u32 = 200;
/// Runs on a page, unless another number is requested.
pub const DEFAULT_LIMIT: u32 = 20;

/// A run that is over, as the ledger keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// The id of the run.
    pub run: String,
    /// The kind of the sale.
    pub kind: String,
    /// The sale at which it ran.
    pub sale: String,
    /// How it ended: `done`, `stopped` or `lost`.
    pub phase: Phase,
    /// When it started.
    pub started_at: Millis,
    /// When it had been verified; for a lost run, when its server was last heard from.
    pub ended_at: Millis,
    /// The settings of the run.
    pub settings: RunConfig,
    /// Attempts, answers and latencies.
    pub figures: RunFigures,
    /// The verification; `null` if the run was lost with its server.
    pub verification: Option<Verification>,
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunFigures {
    /// Milliseconds from the start to the last answer.
    pub elapsed_ms: u64,
    /// Attempts that were to be made.
    pub attempts: u64,
    /// Attempts that are over, answered or not: `unknown` counts those without an answer.
    pub answered: u64,
    /// Answers by name.
    #[schemars(with = "std::collections::BTreeMap<String, u64>")]
    pub outcomes: Counts,
    /// Attempts without an answer.
    pub unknown: u64,
    /// The same by the code of the error that came instead.
    #[schemars(with = "std::collections::BTreeMap<String, u64>")]
    #[serde(default)]
    pub unanswered: BTreeMap<Code, u64>,
    /// Answered attempts per second.
    pub mean_per_s: u64,
    /// Median latency, in microseconds.
    pub p50_us: u64,
    /// 90th percentile of the latency, in microseconds.
    pub p90_us: u64,
    /// 99th percentile of the latency, in microseconds.
    pub p99_us: u64,
    /// The longest latency, in microseconds.
    pub max_us: u64,
}

/// A run that is over, with everything that is kept of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunReport {
    /// What lists have of it, too.
    #[serde(flatten)]
    pub record: RunRecord,
    /// What only reports have.
    #[serde(flatten)]
    pub details: RunDetails,
}

/// What only the report of a run has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunDetails {
    /// The audit that belongs to the verification; `null` if there is none.
    pub audit: Option<Audit>,
    /// The course of the run in at most 120 points.
    pub history: Vec<Point>,
    /// How the load was changed during the run.
    #[serde(default)]
    pub changes: Vec<Change>,
}

impl RunReport {
    /// The report of a run at a sale of this kind, from its last status.
    pub fn new(kind: &str, status: Status, audit: Option<Audit>) -> Self {
        let record = RunRecord {
            run: status.run,
            kind: kind.to_owned(),
            sale: status.config.sale.clone(),
            phase: status.phase,
            started_at: status.started_at,
            ended_at: status.reported_at,
            settings: status.config,
            figures: RunFigures {
                elapsed_ms: status.elapsed_ms,
                attempts: status.attempts,
                answered: status.answered,
                outcomes: status.outcomes,
                unknown: status.unknown,
                unanswered: status.unanswered,
                mean_per_s: status.mean_per_s,
                p50_us: status.p50_us,
                p90_us: status.p90_us,
                p99_us: status.p99_us,
                max_us: status.max_us,
            },
            verification: status.verification,
        };
        Self { record, details: RunDetails { audit, history: status.history, changes: status.changes } }
    }
}

/// A page of the runs of a sale, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunPage {
    /// The runs.
    pub runs: Vec<RunRecord>,
    /// Where the next page begins; `null` on the last one.
    pub next: Option<RunCursor>,
}

/// The place of a run among those of its sale, which are ordered by start and then by id: `<started_at>-<run>`.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String", inline)]
pub struct RunCursor {
    /// When the run started.
    pub started_at: Millis,
    /// The id of the run.
    pub run: String,
}

impl fmt::Display for RunCursor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{}", self.started_at, self.run)
    }
}

impl FromStr for RunCursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let place = text.split_once('-').and_then(|(at, run)| {
            let cursor = Self { started_at: at.parse().ok()?, run: run.to_owned() };
            crate::check_id("after", &cursor.run).is_ok().then_some(cursor)
        });
        place.ok_or_else(|| {
            Error::bad("after", format!("\"{text}\" is not a position in the list of runs; use the `next` of a page."))
        })
    }
}

impl Serialize for RunCursor {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RunCursor {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(|error: Error| serde::de::Error::custom(error.message))
    }
}

/// The format of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportFormat {
    /// A line for each figure.
    Csv,
    /// What `/api/crowd/run` answers.
    Json,
    /// A page to read and print, which needs nothing else: no script, and no other file.
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

    #[test]
    fn a_place_survives_its_text() {
        let cursor = RunCursor { started_at: 1_767_225_610_000, run: "019b76da-c000-7000".to_owned() };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        for text in ["", "1767225610000", "x-y", "1767225610000-", "1-a\0b"] {
            assert!(text.parse::<RunCursor>().is_err(), "{text:?}");
        }
    }
}
