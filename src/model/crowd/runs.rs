//! Ended runs of crowds: their records in lists, and their reports.

use crate::{
    Audit, Millis,
    crowd::{Change, Counts, Phase, Point, RunConfig, Status, Verification},
    error::Code,
    runs::{KeptRun, RunEntry},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// The verification; of a run that was lost with its server by the audit alone, and `null` until there is one.
    pub verification: Option<Verification>,
}

/// The figures of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunFigures {
    /// The number of items left at the start; `null` if there is no limit, or if an earlier version kept the run.
    #[serde(default)]
    pub left_at_start: Option<u64>,
    /// Milliseconds from the start to the last answer.
    pub elapsed_ms: u64,
    /// The number of attempts that were planned.
    pub attempts: u64,
    /// Attempts that have ended, with or without an answer; `unanswered` counts those without one.
    pub answered: u64,
    /// Answers by name.
    #[schemars(with = "std::collections::BTreeMap<String, u64>")]
    pub outcomes: Counts,
    /// Attempts without an answer that may have been carried out.
    pub unknown: u64,
    /// All attempts without an answer, by the code of the error.
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
    /// The audit that belongs to the verification; `null` if there is none.
    pub audit: Option<Audit>,
    /// The time series of the run, at most 120 points.
    pub history: Vec<Point>,
    /// The changes of load during the run.
    pub changes: Vec<Change>,
}

impl RunRecord {
    /// The number of attempts of which no answer is known.
    pub fn without_answer(&self) -> u64 {
        let figures = &self.figures;
        let unrecorded = if self.is_lost() { figures.attempts.saturating_sub(figures.answered) } else { 0 };
        figures.unknown + figures.not_tried() + unrecorded
    }
}

impl RunFigures {
    /// The number of attempts without an answer of which nothing was carried out.
    pub fn not_tried(&self) -> u64 {
        super::not_tried(&self.unanswered)
    }
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
                left_at_start: status.left_at_start,
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
        Self { record, audit, history: status.history, changes: status.changes }
    }
}

impl RunEntry for RunRecord {
    fn run(&self) -> &str {
        &self.run
    }

    fn started_at(&self) -> Millis {
        self.started_at
    }

    fn is_lost(&self) -> bool {
        self.phase == Phase::Lost
    }
}

impl KeptRun for RunReport {
    type Entry = RunRecord;

    fn kind(&self) -> &str {
        &self.record.kind
    }

    fn sale(&self) -> &str {
        &self.record.sale
    }

    fn entry(&self) -> RunRecord {
        self.record.clone()
    }
}
