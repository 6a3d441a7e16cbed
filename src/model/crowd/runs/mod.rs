//! Ended runs: their records in the ledger, and their reports.

use crate::{
    Audit, Millis,
    crowd::{Change, Counts, Phase, Point, RunConfig, Status, Verification},
    error::{Code, Error},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt, str::FromStr};

/// The number of newest runs of a sale that are kept.
pub const KEPT: u32 = 200;
/// Runs on a page, unless another number is requested.
pub const DEFAULT_LIMIT: u32 = 20;

/// An ended run, as the ledger keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// The id of the run.
    pub run: String,
    /// The kind of the sale.
    pub kind: String,
    /// The id of the sale.
    pub sale: String,
    /// The final phase: `done`, `stopped` or `lost`.
    pub phase: Phase,
    /// The time of the start.
    pub started_at: Millis,
    /// The time at which the verification ended; for a lost run, the last sign of life of its server.
    pub ended_at: Millis,
    /// The settings of the run.
    pub settings: RunConfig,
    /// Attempts, answers and latencies.
    pub figures: RunFigures,
    /// The verification; `null` if the run was lost with its server.
    pub verification: Option<Verification>,
}

/// The figures of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunFigures {
    /// Milliseconds from the start to the last answer.
    pub elapsed_ms: u64,
    /// The number of attempts that were planned.
    pub attempts: u64,
    /// Attempts that have ended, with or without an answer; `unknown` counts those without an answer.
    pub answered: u64,
    /// Answers by name.
    #[schemars(with = "std::collections::BTreeMap<String, u64>")]
    pub outcomes: Counts,
    /// Attempts without an answer.
    pub unknown: u64,
    /// The attempts without an answer, by the code of the error.
    #[schemars(with = "std::collections::BTreeMap<String, u64>")]
    pub unanswered: BTreeMap<Code, u64>,
    /// Answered attempts a second.
    pub mean_per_s: u64,
    /// The median latency, in microseconds.
    pub p50_us: u64,
    /// The latency at the 90th percentile, in microseconds.
    pub p90_us: u64,
    /// The latency at the 99th percentile, in microseconds.
    pub p99_us: u64,
    /// The longest latency, in microseconds.
    pub max_us: u64,
}

/// An ended run with all of its details.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunReport {
    /// The fields that lists have, too.
    #[serde(flatten)]
    pub record: RunRecord,
    /// The fields that only reports have.
    #[serde(flatten)]
    pub details: RunDetails,
}

/// The fields that only the report of a run has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunDetails {
    /// The audit that belongs to the verification; `null` if there is none.
    pub audit: Option<Audit>,
    /// The time series of the run, at most 120 points.
    pub history: Vec<Point>,
    /// The changes of load during the run.
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
    /// The cursor of the next page; `null` on the last page.
    pub next: Option<RunCursor>,
}

/// The position of a run among the runs of its sale, which are ordered by start and then by id: `<started_at>-<run>`.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String", inline)]
pub struct RunCursor {
    /// The start of the run.
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
    /// One line per figure.
    Csv,
    /// The answer of `/api/crowd/run`.
    Json,
    /// A self-contained page to read and print, without scripts and other files.
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
    /// The language of the HTML, `en` or `zh`; the language of the pages if left out.
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
