//! The course of a run, as the data of charts and tables.

use model::crowd::{Change, Counts, Point, Status};

/// The course of a run, from its start to its end or until now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// The points. In a run of at least ten steps, they are at least a step apart.
    pub history: Vec<Point>,
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
        Self::new(status.history.clone(), &status.outcomes, status.changes.clone())
    }
}

impl Course {
    /// Makes the course of these points, whose answers have the names of these counts.
    pub fn new(history: Vec<Point>, outcomes: &Counts, changes: Vec<Change>) -> Self {
        let names = outcomes.0.iter().map(|(name, _)| name.clone()).collect();
        Self { history: in_steps(history), names, changes }
    }

    /// Returns the boundaries of the intervals, beginning with 0. Each interval has a point.
    pub fn ends(&self) -> Vec<f64> {
        let start = (!self.history.is_empty()).then_some(0.0);
        start.into_iter().chain(self.history.iter().map(|point| point.at_ms as f64)).collect()
    }

    /// Returns the answers of this name per second, at each point; the unanswered attempts for `None`.
    pub fn rates(&self, name: Option<&str>) -> Vec<f64> {
        let counts = self.counts(name);
        let since = std::iter::once(0).chain(self.history.iter().map(|point| point.at_ms));
        let stretches = self.history.iter().zip(since).map(|(point, since)| point.at_ms.saturating_sub(since).max(1));
        counts.zip(stretches).map(|(count, stretch)| count as f64 * 1_000.0 / stretch as f64).collect()
    }

    /// Returns whether there was an answer of this name; an unanswered attempt for `None`.
    pub fn has(&self, name: Option<&str>) -> bool {
        self.counts(name).any(|count| count > 0)
    }

    /// Returns the events in order, with milliseconds after the start. `sold_out` is the answer to users who come too
    /// late.
    pub fn marks(&self, sold_out: &str) -> Vec<(u64, Mark)> {
        let mut marks: Vec<(u64, Mark)> =
            self.changes.iter().map(|change| (change.at_ms, Mark::Changed(change.per_s))).collect();
        let times = || self.history.iter().map(|point| point.at_ms);
        if let Some((at, _)) = times().zip(self.counts(Some(sold_out))).find(|(_, count)| *count > 0) {
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

    fn counts(&self, name: Option<&str>) -> impl Iterator<Item = u64> {
        let at = match name {
            Some(name) => self.names.iter().position(|known| known == name).unwrap_or(usize::MAX),
            None => self.names.len(),
        };
        self.history.iter().map(move |point| point.answers.get(at).copied().unwrap_or_default())
    }
}

/// The lengths of a step, in milliseconds. Within less than half a second, a few answers say little about a rate.
const STEPS: [u64; 5] = [500, 200, 100, 50, 20];

/// Joins points that are closer than a step.
fn in_steps(history: Vec<Point>) -> Vec<Point> {
    let end = history.last().map_or(0, |point| point.at_ms);
    let step = STEPS.into_iter().find(|step| end >= 10 * step).unwrap_or(0);
    let mut joined: Vec<Point> = Vec::new();
    // The beginning of the last step.
    let mut begun = 0;
    for point in history {
        let (length, next) = (joined.last().map_or(0, |last| last.at_ms - begun), point.at_ms);
        // The remainder at the end is part of the last step.
        let is_rest = next == end && next - begun - length < step / 2;
        match joined.last_mut().filter(|_| length < step || is_rest) {
            Some(last) => {
                let per_s = (last.per_s * length + point.per_s * (next - begun - length)) / (next - begun).max(1);
                *last = last.joined(&point, per_s);
            }
            None => {
                begun += length;
                joined.push(point);
            }
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_at_least_half_a_second_and_loses_no_answer() {
        for (of, every, expected) in
            [(12_000, 100, 24), (4_850, 100, 24), (1_000, 10, 10), (28, 10, 3), (5_000, 2_500, 2)]
        {
            let at = (1..).map(|nth| (nth * every).min(of)).take_while({
                let mut is_over = false;
                move |at| !std::mem::replace(&mut is_over, *at == of)
            });
            let point = |at_ms| Point { at_ms, per_s: 1_000, answers: vec![1], ..Point::default() };
            let history: Vec<Point> = at.map(point).collect();
            let count = history.len() as u64;
            let joined = in_steps(history);
            assert_eq!(joined.len(), expected, "{of}: {joined:?}");
            assert_eq!(joined.iter().map(|point| point.answers[0]).sum::<u64>(), count, "{of}");
            assert!(joined.iter().all(|point| point.per_s == 1_000), "{of}: {joined:?}");
        }
    }

    #[test]
    fn rates_are_those_of_each_stretch_and_what_happened_is_marked() {
        let point = |at_ms, answers: [u64; 3]| Point { at_ms, answers: answers.to_vec(), ..Point::default() };
        let mut history =
            vec![point(100, [5, 0, 0]), point(300, [0, 4, 2]), point(400, [0, 6, 1]), point(500, [0, 1, 0])];
        history[1].redis_down_since_ms = Some(120);
        let outcomes = Counts([("won".to_owned(), 5), ("sold_out".to_owned(), 11)].into());
        let course = Course::new(history, &outcomes, vec![Change { at_ms: 250, per_s: 9 }]);
        assert_eq!(course.rates(Some("won")), [50.0, 0.0, 0.0, 0.0]);
        assert_eq!(course.rates(Some("sold_out")), [0.0, 20.0, 60.0, 10.0]);
        assert_eq!(course.rates(None), [0.0, 10.0, 10.0, 0.0]);
        // Redis was down since the first attempt began to wait. At 400, one was refused for another reason, and others
        // answered.
        let marks = [(120, Mark::RedisDown), (250, Mark::Changed(9)), (300, Mark::SoldOut), (400, Mark::RedisBack)];
        assert_eq!(course.marks("sold_out"), marks);
        assert_eq!(Course::default().marks("sold_out"), []);
        let mut course = course;
        course.history[2].answers = vec![0, 0, 1];
        assert!(course.marks("sold_out").contains(&(500, Mark::RedisBack)), "only an answer shows that Redis is back");
    }
}
