//! The course of a run, as the data of charts and tables.

use model::{
    Millis,
    crowd::{Change, Counts, Point, Status},
};

/// The course of a run, from its start to its end or until now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// The start of the run, if readers may point at its instants.
    pub started_at: Millis,
    /// The points as they were recorded, which have the times of what happened.
    history: Vec<Point>,
    /// The same points in steps, to be drawn.
    pub steps: Vec<Point>,
    /// The least length of a step, in milliseconds.
    step: u64,
    /// The names of the answers that the points count.
    pub names: Vec<String>,
    /// The changes of the load.
    pub changes: Vec<Change>,
}

/// An event that is marked on the time axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The first users learned that nothing is left.
    SoldOut,
    /// The first attempt that found Redis down began.
    RedisDown,
    /// Attempts are answered again.
    RedisBack,
    /// The load changed to this many arriving users per second.
    Changed(u32),
}

impl From<&Status> for Course {
    fn from(status: &Status) -> Self {
        let is_over = status.phase.is_over();
        let course = Self::new(status.history.clone(), &status.outcomes, status.changes.clone(), is_over);
        Self { started_at: status.started_at, ..course }
    }
}

impl Course {
    /// Makes the course of these points, whose answers have the names of these counts.
    pub fn new(history: Vec<Point>, outcomes: &Counts, changes: Vec<Change>, is_over: bool) -> Self {
        let names = outcomes.0.iter().map(|(name, _)| name.clone()).collect();
        let end = history.last().filter(|_| is_over).map_or(0, |point| point.at_ms);
        let step = step_of(end);
        Self { started_at: 0, steps: in_steps(&history, step, is_over), step, history, names, changes }
    }

    /// Returns the boundaries of the steps, beginning with 0.
    pub fn ends(&self) -> Vec<f64> {
        let start = (!self.steps.is_empty()).then_some(0.0);
        start.into_iter().chain(self.steps.iter().map(|point| point.at_ms as f64)).collect()
    }

    /// Returns the time over which rates are counted, in milliseconds: a second, unless a run was over at once. As many
    /// answers a second as it had in its few moments, nobody has ever seen.
    pub fn per_ms(&self) -> u64 {
        if (1..STEP).contains(&self.step) { self.step } else { SECOND }
    }

    /// Returns the rate of the answers of this name in each step; of the unanswered attempts for `None`.
    pub fn rates(&self, name: Option<&str>) -> Vec<f64> {
        let since = std::iter::once(0).chain(self.steps.iter().map(|point| point.at_ms));
        let stretches = self.steps.iter().zip(since).map(|(point, since)| point.at_ms.saturating_sub(since).max(1));
        let per_ms = self.per_ms() as f64;
        let counts = self.counts(&self.steps, name);
        counts.zip(stretches).map(|(count, stretch)| count as f64 * per_ms / stretch as f64).collect()
    }

    /// Returns the rate of all answers in each step.
    pub fn answered(&self) -> impl Iterator<Item = f64> {
        let share = self.per_ms() as f64 / SECOND as f64;
        self.steps.iter().map(move |point| point.per_s as f64 * share)
    }

    /// Returns whether there was an answer of this name; an unanswered attempt for `None`.
    pub fn has(&self, name: Option<&str>) -> bool {
        self.counts(&self.history, name).any(|count| count > 0)
    }

    /// Returns the events in order, with milliseconds after the start. `sold_out` is the answer to users who come too
    /// late.
    pub fn marks(&self, sold_out: &str) -> Vec<(u64, Mark)> {
        let mut marks: Vec<(u64, Mark)> =
            self.changes.iter().map(|change| (change.at_ms, Mark::Changed(change.per_s))).collect();
        let times = || self.history.iter().map(|point| point.at_ms);
        if let Some((at, _)) = times().zip(self.counts(&self.history, Some(sold_out))).find(|(_, count)| *count > 0) {
            marks.push((at, Mark::SoldOut));
        }
        let mut is_down = false;
        let mut back_at = 0;
        for point in &self.history {
            let at = point.at_ms;
            match point.redis_down_since_ms {
                // Attempts wait for a while before they are given up.
                Some(since) if !is_down => marks.push((since.clamp(back_at, at), Mark::RedisDown)),
                // Without attempts, nothing shows whether Redis is back.
                None if is_down && point.answers.iter().take(self.names.len()).any(|count| *count > 0) => {
                    back_at = at;
                    marks.push((at, Mark::RedisBack));
                }
                _ => continue,
            }
            is_down = !is_down;
        }
        marks.sort_by_key(|(at, _)| *at);
        marks
    }

    fn counts<'a>(&self, points: &'a [Point], name: Option<&str>) -> impl Iterator<Item = u64> + use<'a> {
        let at = match name {
            Some(name) => self.names.iter().position(|known| known == name).unwrap_or(usize::MAX),
            None => self.names.len(),
        };
        points.iter().map(move |point| point.answers.get(at).copied().unwrap_or_default())
    }
}

const SECOND: u64 = 1_000;
/// The length of a step, in milliseconds. Within less, a few answers say little about a rate.
const STEP: u64 = 500;
/// The lengths of a step of a run that was over within four of those, and the most of such steps.
const SHORT_STEPS: [u64; 4] = [10, 20, 50, 100];
const MOST_SHORT_STEPS: u64 = 20;

/// Returns the length of the steps of a run that was over at this time; of one that goes on for 0.
fn step_of(end: u64) -> u64 {
    let is_short = (1..4 * STEP).contains(&end);
    SHORT_STEPS.into_iter().find(|step| is_short && end <= step * MOST_SHORT_STEPS).unwrap_or(STEP)
}

/// Joins points until they are at least a step apart. While a run goes on, what is no whole step yet is left out: half
/// of a second is known when it is over.
fn in_steps(history: &[Point], step: u64, is_over: bool) -> Vec<Point> {
    let mut steps: Vec<Point> = Vec::new();
    for point in history {
        if last_length(&steps).is_some_and(|length| length < step) {
            join_last(&mut steps, point);
        } else {
            steps.push(point.clone());
        }
    }
    if last_length(&steps).is_some_and(|length| length < step) {
        let rest = steps.pop().filter(|_| is_over);
        rest.iter().for_each(|rest| join_last(&mut steps, rest));
    }
    steps
}

/// Returns the beginning of the last step.
fn last_begun(steps: &[Point]) -> u64 {
    steps.iter().rev().nth(1).map_or(0, |before| before.at_ms)
}

fn last_length(steps: &[Point]) -> Option<u64> {
    steps.last().map(|last| last.at_ms - last_begun(steps))
}

/// Makes a point part of the last step, or the only one.
fn join_last(steps: &mut Vec<Point>, point: &Point) {
    let begun = last_begun(steps);
    match steps.last_mut() {
        Some(last) => {
            let (before, after) = (last.at_ms - begun, point.at_ms - last.at_ms);
            let per_s = (last.per_s * before + point.per_s * after) / (before + after).max(1);
            *last = last.joined(point, per_s);
        }
        None => steps.push(point.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of one answer each, 1,000 a second.
    fn points(every: u64, end: u64) -> Vec<Point> {
        let point = |at_ms| Point { at_ms, per_s: 1_000, answers: vec![1], ..Point::default() };
        (1..=end.div_ceil(every)).map(|nth| point((nth * every).min(end))).collect()
    }

    #[test]
    fn a_step_is_at_least_half_a_second_and_loses_no_answer() {
        for (of, every, expected) in [
            (12_000, 100, 24),
            (4_850, 100, 9),
            (2_000, 100, 4),
            (5_000, 2_500, 2),
            (1_900, 100, 19),
            (1_000, 10, 20),
            (28, 10, 2),
        ] {
            let history = points(every, of);
            let joined = in_steps(&history, step_of(of), true);
            assert_eq!(joined.len(), expected, "{of}: {joined:?}");
            assert_eq!(joined.iter().map(|point| point.answers[0]).sum::<u64>(), history.len() as u64, "{of}");
            assert!(joined.iter().all(|point| point.per_s == 1_000), "{of}: {joined:?}");
            let ends: Vec<u64> = std::iter::once(0).chain(joined.iter().map(|point| point.at_ms)).collect();
            assert!(ends.windows(2).all(|pair| pair[1] - pair[0] >= step_of(of)), "{of}: {ends:?}");
        }
        assert_eq!(in_steps(&points(4, 4), 10, true).len(), 1, "a run that is shorter than a step");
    }

    #[test]
    fn while_a_run_goes_on_only_whole_steps_are_shown() {
        let ends = |end| in_steps(&points(100, end), STEP, false).iter().map(|point| point.at_ms).collect::<Vec<_>>();
        assert_eq!((ends(400), ends(900), ends(1_000)), (vec![], vec![500], vec![500, 1_000]));
    }

    #[test]
    fn a_run_that_was_over_at_once_is_counted_in_its_steps() {
        let course = |end, is_over| {
            let outcomes = Counts([("won".to_owned(), 1)].into());
            Course::new(points(10, end), &outcomes, Vec::new(), is_over)
        };
        let short = course(100, true);
        assert_eq!((short.per_ms(), short.rates(Some("won")).as_slice()), (10, [1.0; 10].as_slice()));
        assert_eq!(short.answered().collect::<Vec<_>>(), [10.0; 10]);
        assert_eq!((course(2_000, true).per_ms(), course(100, false).per_ms()), (1_000, 1_000));
        assert_eq!(course(2_000, true).rates(Some("won")), [100.0; 4]);
    }

    #[test]
    fn rates_are_those_of_each_stretch_and_what_happened_is_marked() {
        let point = |at_ms, answers: [u64; 3]| Point { at_ms, answers: answers.to_vec(), ..Point::default() };
        let mut history =
            vec![point(1_000, [5, 0, 0]), point(3_000, [0, 4, 2]), point(4_000, [0, 6, 1]), point(5_000, [0, 1, 0])];
        history[1].redis_down_since_ms = Some(1_200);
        let outcomes = Counts([("won".to_owned(), 5), ("sold_out".to_owned(), 11)].into());
        let course = Course::new(history, &outcomes, vec![Change { at_ms: 2_500, per_s: 9 }], true);
        assert_eq!(course.rates(Some("won")), [5.0, 0.0, 0.0, 0.0]);
        assert_eq!(course.rates(Some("sold_out")), [0.0, 2.0, 6.0, 1.0]);
        assert_eq!(course.rates(None), [0.0, 1.0, 1.0, 0.0]);
        // Redis was down since the first attempt began to wait. At 4,000, one was refused for another reason, and
        // others answered.
        let marks =
            [(1_200, Mark::RedisDown), (2_500, Mark::Changed(9)), (3_000, Mark::SoldOut), (4_000, Mark::RedisBack)];
        assert_eq!(course.marks("sold_out"), marks);
        assert_eq!(Course::default().marks("sold_out"), []);
        let mut course = course;
        course.history[2].answers = vec![0, 0, 1];
        assert!(
            course.marks("sold_out").contains(&(5_000, Mark::RedisBack)),
            "only an answer shows that Redis is back"
        );
    }

    #[test]
    fn what_happened_keeps_its_time_within_a_step() {
        let point = |at_ms, sold_out| Point { at_ms, answers: vec![sold_out, 0], ..Point::default() };
        let history = vec![point(100, 0), point(200, 3), point(3_000, 1)];
        let course = Course::new(history, &Counts([("sold_out".to_owned(), 4)].into()), Vec::new(), true);
        assert_eq!(course.marks("sold_out"), [(200, Mark::SoldOut)]);
    }
}
