//! The lab: its pages, texts and server functions.

pub mod api;
#[cfg(feature = "ssr")]
pub mod description;
pub mod duel;
pub mod faults;
pub mod learn;
pub mod page;
pub mod player;
#[cfg(feature = "ssr")]
pub mod report;
pub mod results;
pub mod step;
pub mod words;
pub mod write;

#[cfg(test)]
mod tests {
    use model::{
        Verdict,
        lab::{
            Figures, Settings,
            run::{Course, Phase, Run},
        },
    };

    /// Returns a run that is done, with these figures and courses.
    pub fn run(strategies: Vec<Figures>, courses: Vec<Course>) -> Run {
        Run {
            run: "r".to_owned(),
            settings: Settings::default(),
            database: "SQLite".to_owned(),
            phase: Phase::Done,
            started_at: 0,
            reported_at: 0,
            now: None,
            strategies,
            courses,
            reason: None,
        }
    }

    /// Returns the figures of a strategy that gave three users an item each, without an anomaly.
    pub fn figures(name: &str) -> Figures {
        Figures {
            name: name.to_owned(),
            concurrency: 64,
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
            undersold: 0,
            retries: 0,
            lowest_stock: None,
            verdict: Verdict::Holds,
            expected: Verdict::Holds,
        }
    }
}
