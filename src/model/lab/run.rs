//! The report of a run: its progress, its results, and its entry in lists. Shared by browser and server.

use crate::{
    Millis, Verdict,
    lab::{Figures, Settings},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most samples kept of a strategy. When there are more, every other one is dropped.
const MOST_SAMPLES: usize = 60;
/// The number of newest runs that are kept.
pub const KEPT: u32 = 200;
/// The number of runs in a list by default.
pub const DEFAULT_LIMIT: u32 = 20;

/// The progress of the strategy that is running.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabProgress")]
pub struct Now {
    /// The id of the strategy.
    pub strategy: String,
    /// The position of the strategy in the run, from 1.
    pub nth: u32,
    /// The number of strategies in the run.
    pub of: u32,
    /// Answered attempts of the strategy.
    pub answered: u64,
    /// The number of attempts of the whole crowd.
    pub attempts: u64,
}

/// The time series of a strategy: answered attempts, sampled at equal intervals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabCourse")]
pub struct Course {
    /// The id of the strategy.
    pub name: String,
    /// The milliseconds between samples, and from the start to the first sample.
    pub every_ms: u64,
    /// The attempts answered up to each sample; at most 60 samples.
    pub answered: Vec<u64>,
}

impl Course {
    /// The empty time series of a strategy that starts, with a sample every `every_ms` milliseconds.
    pub fn new(name: &str, every_ms: u64) -> Self {
        Self { name: name.to_owned(), every_ms, answered: Vec::new() }
    }

    /// Adds a sample that was taken `after_ms` milliseconds after the start, if the next one is due.
    pub fn sample(&mut self, after_ms: u64, answered: u64) {
        if after_ms < (self.answered.len() as u64 + 1) * self.every_ms {
            return;
        }
        self.answered.push(answered);
        if self.answered.len() > MOST_SAMPLES {
            // The second, fourth, sixth sample and so on are the samples of an interval twice as long.
            self.answered = self.answered.iter().skip(1).step_by(2).copied().collect();
            self.every_ms *= 2;
        }
    }
}

/// The progress of a run: the current results of its strategies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The strategy that is running.
    pub now: Option<Now>,
    /// The figures of the finished strategies, in the order of their runs.
    pub strategies: Vec<Figures>,
    /// The time series of each strategy; the running one is last.
    pub courses: Vec<Course>,
}

/// The phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "LabPhase")]
pub enum Phase {
    /// The strategies are running.
    Running,
    /// All strategies were run.
    Done,
    /// The run was stopped by hand. Strategies that had finished have their figures.
    Stopped,
    /// Redis or the database failed; `reason` gives the error.
    Failed,
    /// The server of the run stopped.
    Lost,
}

/// A run, in progress or ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabRun")]
pub struct Run {
    /// The id of the run.
    pub run: String,
    /// The settings of the run.
    pub settings: Settings,
    /// The database of the strategies that use one: `SQLite` or `PostgreSQL`.
    pub database: String,
    /// The phase of the run.
    pub phase: Phase,
    /// The time of the start.
    pub started_at: Millis,
    /// The time at which the server published this report; for an ended run, the time of its end.
    pub reported_at: Millis,
    /// The strategy that is running; `null` once the run has ended.
    pub now: Option<Now>,
    /// The figures of the finished strategies, in the order of their runs.
    pub strategies: Vec<Figures>,
    /// The time series of answered attempts, by strategy.
    pub courses: Vec<Course>,
    /// The reason why the run failed.
    pub reason: Option<String>,
}

impl Run {
    /// Whether the run has ended.
    pub fn is_over(&self) -> bool {
        self.phase != Phase::Running
    }
}

/// An ended run in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabRunEntry")]
pub struct RunEntry {
    /// The id of the run.
    pub run: String,
    /// The settings of the run.
    pub settings: Settings,
    /// The final phase.
    pub phase: Phase,
    /// The time of the start.
    pub started_at: Millis,
    /// The time of the end.
    pub ended_at: Millis,
    /// The ids of the strategies whose verdict holds.
    pub held: Vec<String>,
    /// The ids of the other strategies.
    pub broken: Vec<String>,
}

impl From<Run> for RunEntry {
    fn from(run: Run) -> Self {
        let (held, broken): (Vec<_>, Vec<_>) =
            run.strategies.into_iter().partition(|figures| figures.verdict == Verdict::Holds);
        let names = |figures: Vec<Figures>| figures.into_iter().map(|figures| figures.name).collect();
        Self {
            run: run.run,
            settings: run.settings,
            phase: run.phase,
            started_at: run.started_at,
            ended_at: run.reported_at,
            held: names(held),
            broken: names(broken),
        }
    }
}

/// The ended runs, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabRuns")]
pub struct Runs {
    /// The runs.
    pub runs: Vec<RunEntry>,
}

/// The answer to `start`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabStarted")]
pub struct Started {
    /// The id of the run.
    pub run: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_course_has_its_samples_further_apart() {
        let mut course = Course::new("script", 100);
        // Samples are offered twice as often as they are due.
        for tick in 1..=2 * 61 {
            course.sample(tick * 50, tick * 5);
        }
        assert_eq!((course.every_ms, course.answered.len()), (200, 30));
        assert_eq!(course.answered[..3], [20, 40, 60], "as many as there were after 200, 400 and 600 ms");
        course.sample(6_150, 1);
        assert_eq!(course.answered.len(), 30, "too early for the next");
        course.sample(6_200, 2);
        assert_eq!(course.answered.len(), 31);
    }
}
