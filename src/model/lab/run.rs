//! The report of a run: its progress, its results, and its entry in lists. Shared by browser and server.

use crate::{
    Millis, Verdict,
    lab::{Figures, Settings},
    runs::{self, KeptRun, RunStatus},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most samples kept of a strategy. When there are more, every other one is dropped.
const MOST_SAMPLES: usize = 60;
/// What runs of the lab have in the place of the kind of a sale.
pub const KIND: &str = "lab";

/// The progress of the strategy that is running.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabProgress")]
pub struct Now {
    /// The id of the strategy.
    pub strategy: String,
    /// The position of the strategy in the run, from 1.
    pub nth: u32,
    /// The number of strategies in the run; in a ramp, each counts at every stop.
    pub of: u32,
    /// The most users that wait for an answer at a time.
    pub concurrency: u32,
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
    /// The time series of each strategy; the running one is last. In a ramp, there is only that one.
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
    /// The figures of the finished strategies, in the order of their runs; in a ramp, of each stop.
    pub strategies: Vec<Figures>,
    /// The time series of answered attempts, by strategy; in a ramp, of the strategy that is running.
    pub courses: Vec<Course>,
    /// The reason why the run failed.
    pub reason: Option<String>,
}

impl RunStatus for Run {
    fn is_over(&self) -> bool {
        self.phase != Phase::Running
    }

    fn reported_at(&self) -> Millis {
        self.reported_at
    }

    fn lose(&mut self) {
        (self.phase, self.now) = (Phase::Lost, None);
    }
}

impl KeptRun for Run {
    type Entry = RunEntry;

    fn kind(&self) -> &str {
        KIND
    }

    fn sale(&self) -> &str {
        ""
    }

    fn entry(&self) -> RunEntry {
        // In a ramp, a strategy holds if it does so at every stop.
        let broke = |name: &String| {
            let own = |figures: &&Figures| figures.name == *name;
            self.strategies.iter().filter(own).any(|figures| figures.verdict != Verdict::Holds)
        };
        let mut held: Vec<String> = Vec::new();
        let mut broken: Vec<String> = Vec::new();
        for Figures { name, .. } in &self.strategies {
            let names = if broke(name) { &mut broken } else { &mut held };
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        RunEntry {
            run: self.run.clone(),
            settings: self.settings.clone(),
            phase: self.phase,
            started_at: self.started_at,
            ended_at: self.reported_at,
            held,
            broken,
        }
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

impl runs::RunEntry for RunEntry {
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
