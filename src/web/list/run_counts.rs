//! The counts of a run, as a miniature replays them: how many got something, and how many did not, in the course of time.

use crate::{
    crowd::{api, panel::CrowdKindForm, replay::timeline::AnswerCounts},
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
    pub won: u64,
    /// The number of answers that gave nothing.
    pub refused: u64,
}

/// The newest recorded run at a sale.
#[derive(Clone, Debug, PartialEq)]
pub struct NewestRun {
    /// The id of the sale.
    pub sale: String,
    /// The id of the run.
    pub run: String,
    /// Its counts; `None` if nobody got anything in it.
    pub counts: Option<RunCounts>,
}

/// The counts in the course of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCounts {
    answers: AnswerCounts,
    /// The places of the answers that gave something, and of those that gave nothing.
    won: Vec<usize>,
    refused: Vec<usize>,
    /// The share of what was given away in the end that earlier runs had got.
    before: f64,
    /// The end of the run.
    end: Moment,
}

impl RunCounts {
    /// Makes the counts of a course, if somebody got something in it. Earlier runs gave something as many times as
    /// `earlier`.
    fn new(history: &[Point], outcomes: &Counts, earlier: u64, form: &CrowdKindForm) -> Option<Self> {
        let (win, refusals) = (form.win(), (form.refusals)());
        let places = |is_meant: &dyn Fn(&str) -> bool| -> Vec<usize> {
            let names = outcomes.0.keys().enumerate();
            names.filter(|(_, name)| is_meant(name)).map(|(place, _)| place).collect()
        };
        let mut counts = Self {
            answers: AnswerCounts::new(history),
            won: places(&|name| name == win),
            refused: places(&|name| refusals.contains(&name)),
            before: 0.0,
            end: Moment::default(),
        };
        counts.end = counts.at_ms(history.last().map_or(0.0, |point| point.at_ms as f64));
        let own = counts.end.won;
        // What an answer gave may have been several items, as many as in earlier runs.
        counts.before = earlier as f64 / (earlier + own).max(1) as f64;
        (own > 0).then_some(counts)
    }

    /// Returns the end of the run.
    pub fn end(&self) -> Moment {
        self.end
    }

    /// Returns the moment at this share of its time, from 0 to 1. Between two records, counts grow evenly.
    pub fn at(&self, share: f64) -> Moment {
        self.at_ms(self.end.at_ms * share.clamp(0.0, 1.0))
    }

    fn at_ms(&self, at_ms: f64) -> Moment {
        let counts = self.answers.at(at_ms * 1_000.0);
        let sum = |places: &[usize]| places.iter().filter_map(|place| counts.get(*place)).sum::<u64>();
        Moment { at_ms, won: sum(&self.won), refused: sum(&self.refused) }
    }

    /// Returns the share of what is given away at the end that is given away at this share of the time. It begins with
    /// what earlier runs had got.
    pub fn given(&self, share: f64) -> f64 {
        let own = self.at(share).won as f64 / self.end.won.max(1) as f64;
        self.before + (1.0 - self.before) * own
    }
}

/// Loads the newest recorded run at a sale, unless that is the `known` one.
pub async fn load_newest_run(
    kind: &'static Registration,
    sale: String,
    known: Option<String>,
) -> Result<Option<NewestRun>> {
    // With the runs before it, as many as are on a page.
    let mut runs = api::runs(kind.info.id.to_owned(), sale.clone(), None, None).await?.runs.into_iter();
    let Some(newest) = runs.next().filter(|newest| known.as_ref() != Some(&newest.run)) else { return Ok(None) };
    let form = &kind.pages.crowd;
    let earlier: u64 = runs.map(|earlier| earlier.figures.outcomes.get(form.win())).sum();
    let report = api::run(newest.run).await?;
    let record = report.record;
    let counts = RunCounts::new(&report.history, &record.figures.outcomes, earlier, form);
    Ok(Some(NewestRun { sale, run: record.run, counts }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KINDS;

    /// The counts of a course, after runs that gave something as many times as `earlier`.
    fn counts(history: &[Point], earlier: u64) -> Option<RunCounts> {
        let form = KINDS[0].pages.crowd;
        let (win, refusal) = (form.win().to_owned(), (form.refusals)()[0].to_owned());
        RunCounts::new(history, &Counts([(win, 30), (refusal, 10)].into()), earlier, &form)
    }

    fn point(at_ms: u64, won: u64, refused: u64) -> Point {
        Point { at_ms, answers: vec![won, refused, 0], ..Point::default() }
    }

    #[test]
    fn counts_grow_evenly_between_two_records() {
        let run = counts(&[point(100, 10, 0), point(200, 20, 10)], 0).expect("somebody won");
        let at = |share| (run.at(share).at_ms, run.at(share).won, run.at(share).refused);
        assert_eq!(
            [0.0, 0.25, 0.5, 0.75, 1.0].map(at),
            [(0.0, 0, 0), (50.0, 5, 0), (100.0, 10, 0), (150.0, 20, 5), (200.0, 30, 10)]
        );
        assert!((run.given(0.5) - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!((counts(&[point(100, 0, 9)], 0), counts(&[], 0)), (None, None));
    }

    #[test]
    fn a_replay_begins_with_what_an_earlier_crowd_had_got() {
        let run = counts(&[point(100, 10, 0), point(200, 20, 10)], 90).expect("somebody won");
        let given = [0.0, 0.5, 1.0].map(|share| (run.given(share) * 120.0).round());
        assert_eq!(given, [90.0, 100.0, 120.0]);
        assert_eq!((run.at(0.0).won, run.end().won), (0, 30), "the figures are its own");
    }
}
