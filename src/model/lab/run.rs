//! A run as it is reported: its progress, its results, and its entry in lists. Shared by browser and server.

use crate::{
    Millis, Verdict,
    lab::{Figures, Settings},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most samples that are kept of a strategy. When there are more, every other one is dropped.
const MOST_SAMPLES: usize = 60;
/// How many of the newest runs are kept.
pub const KEPT: u32 = 200;
/// How many of them a list has by default.
pub const DEFAULT_LIMIT: u32 = 20;

/// The strategy that is running.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabProgress")]
pub struct Now {
    /// Its id.
    pub strategy: String,
    /// Its place among those of the run, from 1.
    pub nth: u32,
    /// How many strategies the run has.
    pub of: u32,
    /// Attempts that it has answered.
    pub answered: u64,
    /// Attempts of the whole crowd.
    pub attempts: u64,
}

/// How many attempts a strategy had answered, sampled at equal intervals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabCourse")]
pub struct Course {
    /// The id of the strategy.
    pub name: String,
    /// Milliseconds between samples, and from the start to the first one.
    pub every_ms: u64,
    /// Attempts answered by then, at most 60 samples.
    pub answered: Vec<u64>,
}

impl Course {
    /// The empty course of a strategy that starts, with a sample every `every_ms` milliseconds.
    pub fn new(name: &str, every_ms: u64) -> Self {
        Self { name: name.to_owned(), every_ms, answered: Vec::new() }
    }

    /// Adds a sample that was taken so many milliseconds after the start, if the next one is due.
    pub fn sample(&mut self, after_ms: u64, answered: u64) {
        if after_ms < (self.answered.len() as u64 + 1) * self.every_ms {
            return;
        }
        self.answered.push(answered);
        if self.answered.len() > MOST_SAMPLES {
            // The second, the fourth and so on are those at twice the interval.
            self.answered = self.answered.iter().skip(1).step_by(2).copied().collect();
            self.every_ms *= 2;
        }
    }
}

/// The progress of a run: what is known of its strategies so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The strategy that is running.
    pub now: Option<Now>,
    /// The figures of the strategies that have finished, in the order in which they were run.
    pub strategies: Vec<Figures>,
    /// The course of each, that of the running one last.
    pub courses: Vec<Course>,
}

/// The phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "LabPhase")]
pub enum Phase {
    /// Strategies are being run.
    Running,
    /// All of them were run.
    Done,
    /// Stopped by hand: the strategies that had finished have their figures.
    Stopped,
    /// Redis or the database failed; `reason` says how.
    Failed,
    /// Its server stopped.
    Lost,
}

/// A run, in progress or ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabRun")]
pub struct Run {
    /// Its id.
    pub run: String,
    /// Its settings.
    pub settings: Settings,
    /// The database of the strategies that use one: `SQLite` or `PostgreSQL`.
    pub database: String,
    /// The phase of the run.
    pub phase: Phase,
    /// When it started.
    pub started_at: Millis,
    /// When its server published this; for a run that has ended, when it ended.
    pub reported_at: Millis,
    /// The strategy that is running; `null` once the run has ended.
    pub now: Option<Now>,
    /// The figures of the strategies that have finished, in the order in which they were run.
    pub strategies: Vec<Figures>,
    /// How the attempts of each were answered over time.
    pub courses: Vec<Course>,
    /// Why the run failed.
    pub reason: Option<String>,
}

impl Run {
    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.phase != Phase::Running
    }
}

/// A run that has ended, as listed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabRunEntry")]
pub struct RunEntry {
    /// Its id.
    pub run: String,
    /// Its settings.
    pub settings: Settings,
    /// How it ended.
    pub phase: Phase,
    /// When it started.
    pub started_at: Millis,
    /// When it ended.
    pub ended_at: Millis,
    /// The ids of the strategies at which nothing went wrong.
    pub held: Vec<String>,
    /// The ids of the others.
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

/// The runs that have ended, newest first.
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
        // Called twice as often as samples are due.
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
