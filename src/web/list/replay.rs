//! The record of a crowd, as a miniature replays it: how many got something, and how many did not, in the course of time.

use crate::{
    crowd::{api, panel::CrowdKindForm},
    kind::Registration,
};
use model::{
    crowd::{Counts, Point},
    error::Result,
};

/// The counts at a moment of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moment {
    /// The time after the start, in milliseconds.
    pub at_ms: f64,
    /// The number of answers that gave something.
    pub won: f64,
    /// The number of answers that gave nothing.
    pub refused: f64,
}

/// The course of the newest recorded run at a sale.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The id of the run.
    pub run: String,
    /// The end of each interval of the course; never empty.
    moments: Vec<Moment>,
}

impl Replay {
    /// Makes the replay of a course, if somebody got something in it.
    fn new(run: String, history: &[Point], outcomes: &Counts, form: &CrowdKindForm) -> Option<Self> {
        let (win, refusals) = (form.win(), (form.refusals)());
        let names: Vec<&str> = outcomes.0.keys().map(String::as_str).collect();
        let count = |point: &Point, is_meant: &dyn Fn(&str) -> bool| -> f64 {
            let meant = names.iter().zip(&point.answers).filter(|(name, _)| is_meant(name));
            meant.map(|(_, count)| *count as f64).sum()
        };
        let mut moments = Vec::with_capacity(history.len());
        let mut now = Moment::default();
        for point in history {
            now.at_ms = point.at_ms as f64;
            now.won += count(point, &|name| name == win);
            now.refused += count(point, &|name| refusals.contains(&name));
            moments.push(now);
        }
        (now.won > 0.0).then_some(Self { run, moments })
    }

    /// Returns the end of the run.
    pub fn end(&self) -> Moment {
        self.moments.last().copied().unwrap_or_default()
    }

    /// Returns the moment at this share of its time, from 0 to 1. Between two records, counts grow evenly.
    pub fn at(&self, share: f64) -> Moment {
        let at_ms = self.end().at_ms * share.clamp(0.0, 1.0);
        let after = self.moments.partition_point(|moment| moment.at_ms < at_ms);
        let before = after.checked_sub(1).and_then(|before| self.moments.get(before)).copied().unwrap_or_default();
        let Some(next) = self.moments.get(after) else { return self.end() };
        let part = (at_ms - before.at_ms) / (next.at_ms - before.at_ms).max(f64::MIN_POSITIVE);
        let between = |from: f64, to: f64| from + (to - from) * part;
        Moment { at_ms, won: between(before.won, next.won), refused: between(before.refused, next.refused) }
    }

    /// Returns the share of what is given away at the end that is given away at this share of the time.
    pub fn given(&self, share: f64) -> f64 {
        self.at(share).won / self.end().won
    }
}

/// Loads the replay of the newest recorded run at a sale, unless that is the `known` one.
pub async fn load_replay(kind: &'static Registration, sale: String, known: Option<String>) -> Result<Option<Replay>> {
    let newest = api::runs(kind.info.id.to_owned(), sale, Some(1), None).await?.runs.into_iter().next();
    let Some(newest) = newest.filter(|newest| known.as_ref() != Some(&newest.run)) else { return Ok(None) };
    let report = api::run(newest.run).await?;
    let record = report.record;
    Ok(Replay::new(record.run, &report.history, &record.figures.outcomes, &kind.pages.crowd))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KINDS;

    #[test]
    fn counts_grow_evenly_between_two_records() {
        let form = KINDS[0].pages.crowd;
        let (win, refusal) = (form.win().to_owned(), (form.refusals)()[0].to_owned());
        let outcomes = Counts([(win, 30), (refusal, 10)].into());
        let point = |at_ms, won, refused| Point { at_ms, answers: vec![won, refused, 0], ..Point::default() };
        let history = [point(100, 10, 0), point(200, 20, 10)];
        let replay = Replay::new("run".to_owned(), &history, &outcomes, &form).expect("somebody won");
        let at = |share| (replay.at(share).at_ms, replay.at(share).won, replay.at(share).refused);
        assert_eq!(
            [0.0, 0.25, 0.5, 0.75, 1.0].map(at),
            [(0.0, 0.0, 0.0), (50.0, 5.0, 0.0), (100.0, 10.0, 0.0), (150.0, 20.0, 5.0), (200.0, 30.0, 10.0)]
        );
        assert!((replay.given(0.5) - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!(Replay::new("run".to_owned(), &[point(100, 0, 9)], &outcomes, &form), None);
        assert_eq!(Replay::new("run".to_owned(), &[], &outcomes, &form), None);
    }
}
