//! What a run gave away, at a certain time of its replay.

use model::crowd::{Point, replay::Replay};

/// The most squares. At a larger sale, a square stands for several items.
const MOST_SQUARES: u64 = 20_000;

/// A replay, moved to a time.
#[derive(Clone)]
pub struct Timeline {
    replay: Replay,
    /// The time of each transfer, in microseconds after the start.
    at_us: Vec<f64>,
    /// The number of items that a square stands for.
    per_square: u64,
    /// The number of items of all squares.
    all: u64,
    /// How many items of each square somebody has.
    taken: Vec<u64>,
    /// The squares that have changed since they were last asked for.
    changed: Vec<usize>,
    /// The number of transfers up to then.
    passed: usize,
    /// The items that somebody has, of a kind that counts.
    counted: i64,
    figures: Supplied,
}

/// The figures of the supply at a certain time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Supplied {
    /// The items that were given away.
    pub given: u64,
    /// Those that came back.
    pub returned: u64,
}

impl Timeline {
    /// The replay at its start.
    pub fn new(replay: Replay) -> Self {
        let at_us = spread(&replay.transfers.at_ms);
        let mut timeline = Self {
            replay,
            at_us,
            per_square: 1,
            all: 0,
            taken: Vec::new(),
            changed: Vec::new(),
            passed: 0,
            counted: 0,
            figures: Supplied::default(),
        };
        if timeline.is_counted() {
            timeline.begin_counted();
        } else {
            timeline.begin_named();
        }
        timeline
    }

    /// Whether items have no names.
    fn is_counted(&self) -> bool {
        self.replay.names.is_empty()
    }

    /// What came back before it was given away had been taken before the run.
    fn begin_counted(&mut self) {
        let mut sum = 0;
        let (mut least, mut most) = (0, 0);
        for quantity in &self.replay.transfers.quantities {
            sum += quantity;
            (least, most) = (sum.min(least), sum.max(most));
        }
        let before = -least;
        let items = i64::try_from(self.replay.items.unwrap_or_default()).unwrap_or(i64::MAX);
        self.lay_out(before.saturating_add(most.max(items)).unsigned_abs());
        self.count(before);
        self.changed.clear();
    }

    fn begin_named(&mut self) {
        let transfers = &self.replay.transfers;
        let mut was_taken: Vec<Option<bool>> = vec![None; self.replay.names.len()];
        for (item, quantity) in transfers.items.iter().zip(&transfers.quantities) {
            if let Some(taken) = was_taken.get_mut(*item as usize) {
                taken.get_or_insert(*quantity < 0);
            }
        }
        let before: Vec<usize> =
            was_taken.iter().enumerate().filter(|(_, taken)| **taken == Some(true)).map(|(item, _)| item).collect();
        let free = (was_taken.len() - before.len()) as u64;
        // Those that nobody got have no names, and come last.
        let never = self.replay.items.map_or(0, |items| items.saturating_sub(free));
        self.lay_out(was_taken.len() as u64 + never);
        for item in before {
            self.take(item, true);
        }
        self.changed.clear();
    }

    fn lay_out(&mut self, all: u64) {
        self.all = all;
        self.per_square = all.div_ceil(MOST_SQUARES).max(1);
        self.taken = vec![0; usize::try_from(all.div_ceil(self.per_square)).unwrap_or_default()];
    }

    /// The number of items that a square stands for.
    pub fn per_square(&self) -> u64 {
        self.per_square
    }

    /// The number of squares.
    pub fn squares(&self) -> usize {
        self.taken.len()
    }

    /// Which share of a square's items somebody has.
    pub fn share(&self, square: usize) -> f64 {
        let before = square as u64 * self.per_square;
        let size = self.per_square.min(self.all.saturating_sub(before)).max(1);
        self.taken.get(square).copied().unwrap_or_default() as f64 / size as f64
    }

    /// The squares that have changed since this was last asked, each once: a colour that lets the other shine through
    /// must not be drawn twice.
    pub fn changed(&mut self) -> Vec<usize> {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// The time of the last transfer, in microseconds.
    pub fn last_us(&self) -> f64 {
        self.at_us.last().copied().unwrap_or_default()
    }

    /// The figures.
    pub fn figures(&self) -> Supplied {
        self.figures
    }

    /// The number of items left; `None` without a limit, and if the replay does not have all that was given away.
    pub fn left(&self) -> Option<u64> {
        if self.replay.is_cut {
            return None;
        }
        let Supplied { given, returned } = self.figures;
        Some((self.replay.items? + returned).saturating_sub(given))
    }

    /// The user who got something last, and the name of the item or its quantity. The user is `None` if it is none of
    /// the crowd.
    pub fn latest(&self) -> Option<(Option<u32>, String)> {
        let transfers = &self.replay.transfers;
        let nth = (0..self.passed).rev().find(|nth| transfers.quantities.get(*nth).is_some_and(|by| *by > 0))?;
        let name = transfers.items.get(nth).and_then(|item| self.replay.names.get(*item as usize)).cloned();
        let quantity = || transfers.quantities.get(nth).copied().unwrap_or_default().to_string();
        Some((transfers.users.get(nth).copied().flatten(), name.unwrap_or_else(quantity)))
    }

    /// Moves to a time, forwards or backwards.
    pub fn seek(&mut self, at_us: f64) {
        let passed = self.at_us.partition_point(|at| *at <= at_us);
        while self.passed < passed {
            self.pass(self.passed, 1);
            self.passed += 1;
        }
        while self.passed > passed {
            self.passed -= 1;
            self.pass(self.passed, -1);
        }
    }

    /// Does what a transfer did; undoes it if `sign` is -1.
    fn pass(&mut self, nth: usize, sign: i64) {
        let Some(&quantity) = self.replay.transfers.quantities.get(nth) else { return };
        let figure = if quantity > 0 { &mut self.figures.given } else { &mut self.figures.returned };
        *figure = figure.saturating_add_signed(sign * quantity.saturating_abs());
        match self.replay.transfers.items.get(nth) {
            Some(item) => self.take(*item as usize, sign * quantity > 0),
            None => self.count(sign * quantity),
        }
    }

    /// An item is somebody's, or nobody's.
    fn take(&mut self, item: usize, is_taken: bool) {
        let square = item / usize::try_from(self.per_square).unwrap_or(usize::MAX);
        if let Some(taken) = self.taken.get_mut(square) {
            *taken = taken.saturating_add_signed(if is_taken { 1 } else { -1 });
            self.changed.push(square);
        }
    }

    /// Somebody gets this many items, or gives them back. They fill the squares from the first one on.
    fn count(&mut self, quantity: i64) {
        let per_square = i64::try_from(self.per_square).unwrap_or(i64::MAX);
        let before = self.counted;
        self.counted += quantity;
        let (low, high) = (before.min(self.counted), before.max(self.counted));
        let squares = usize::try_from(low / per_square).unwrap_or_default()
            ..usize::try_from(high.unsigned_abs().div_ceil(self.per_square)).unwrap_or_default();
        for square in squares.start..squares.end.min(self.taken.len()) {
            let first = i64::try_from(square).unwrap_or(i64::MAX).saturating_mul(per_square);
            self.taken[square] = (self.counted - first).clamp(0, per_square).unsigned_abs();
            self.changed.push(square);
        }
    }
}

/// The times of transfers that are known to the millisecond, in microseconds: those of one millisecond are shown at equal
/// intervals until its end, in their order.
fn spread(at_ms: &[u64]) -> Vec<f64> {
    let same = at_ms.chunk_by(|one, other| one == other);
    let times = same.flat_map(|same| {
        same.iter().enumerate().map(|(nth, ms)| (*ms as f64 + (nth + 1) as f64 / same.len() as f64) * 1_000.0)
    });
    times.collect()
}

/// The answers of a run, added up by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerCounts {
    /// The ends of intervals, in microseconds, and the answers of each name until then.
    sums: Vec<(f64, Vec<u64>)>,
}

impl AnswerCounts {
    /// Adds up the course of a run.
    pub fn new(history: &[Point]) -> Self {
        let mut sums: Vec<(f64, Vec<u64>)> = Vec::with_capacity(history.len());
        for point in history {
            let before = sums.last().map_or(&[][..], |(_, sum)| sum);
            let sum = |(nth, count): (usize, &u64)| before.get(nth).copied().unwrap_or_default() + count;
            sums.push((point.at_ms as f64 * 1_000.0, point.answers.iter().enumerate().map(sum).collect()));
        }
        Self { sums }
    }

    /// The answers until a time, in the order of their names, then the attempts without an answer. Within an interval,
    /// as many as if they came at equal distances.
    pub fn at(&self, at_us: f64) -> Vec<u64> {
        let next = self.sums.partition_point(|(end, _)| *end <= at_us);
        let Some((end, until)) = self.sums.get(next) else {
            return self.sums.last().map_or_else(Vec::new, |(_, sum)| sum.clone());
        };
        let (begin, before) =
            next.checked_sub(1).and_then(|last| self.sums.get(last)).map_or((0.0, &[][..]), |(at, sum)| (*at, sum));
        let share = (at_us - begin) / (end - begin).max(1.0);
        let count = |(nth, until): (usize, &u64)| {
            let before = before.get(nth).copied().unwrap_or_default();
            before + ((until - before) as f64 * share) as u64
        };
        until.iter().enumerate().map(count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::crowd::replay::Transfers;

    fn of(items: u64, names: &[&str], at: &[(u64, u32, i64)]) -> Timeline {
        let transfers = Transfers {
            at_ms: at.iter().map(|(ms, ..)| *ms).collect(),
            users: (0..at.len()).map(|nth| u32::try_from(nth).ok()).collect(),
            items: if names.is_empty() { Vec::new() } else { at.iter().map(|(_, item, _)| *item).collect() },
            quantities: at.iter().map(|(.., quantity)| *quantity).collect(),
        };
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Timeline::new(Replay { items: Some(items), names, transfers, ..Replay::default() })
    }

    fn shares(timeline: &Timeline) -> Vec<f64> {
        (0..timeline.squares()).map(|square| timeline.share(square)).collect()
    }

    #[test]
    fn an_item_is_taken_and_comes_back_forwards_and_backwards() {
        // B was taken before the run, comes back, and is given away again. Of three that were free, one stays.
        let mut timeline = of(3, &["A", "B", "C"], &[(1, 0, 1), (2, 1, -1), (3, 2, 1), (4, 1, 1), (5, 0, -1)]);
        let begin = vec![0.0, 1.0, 0.0, 0.0];
        assert_eq!(shares(&timeline), begin);
        timeline.seek(4_000.0);
        assert_eq!((shares(&timeline), timeline.changed()), (vec![1.0, 0.0, 1.0, 0.0], vec![0, 1, 2]));
        assert_eq!((timeline.figures(), timeline.left()), (Supplied { given: 2, returned: 1 }, Some(2)));
        assert_eq!(timeline.latest(), Some((Some(2), "C".to_owned())));
        timeline.seek(9_000.0);
        assert_eq!((shares(&timeline), timeline.left()), (vec![0.0, 1.0, 1.0, 0.0], Some(2)));
        assert_eq!(timeline.latest(), Some((Some(3), "B".to_owned())), "what came back later was given to nobody");
        timeline.seek(0.0);
        assert_eq!((shares(&timeline), timeline.figures(), timeline.latest()), (begin, Supplied::default(), None));
    }

    #[test]
    fn what_is_counted_fills_the_squares_from_the_first_one_on() {
        let mut timeline = of(5, &[], &[(1, 0, 3), (2, 0, 2), (3, 0, -2)]);
        let filled = |timeline: &mut Timeline, ms: f64| {
            timeline.seek(ms * 1_000.0);
            shares(timeline).iter().sum::<f64>()
        };
        assert_eq!([2.0, 3.0, 4.0, 3.0, 0.0].map(|ms| filled(&mut timeline, ms)), [3.0, 5.0, 3.0, 5.0, 0.0]);
        assert_eq!(timeline.squares(), 5);
        // Two that were taken before come back first.
        let mut timeline = of(1, &[], &[(1, 0, -2), (2, 0, 3)]);
        assert_eq!([0.0, 2.0, 3.0].map(|ms| filled(&mut timeline, ms)), [2.0, 0.0, 3.0]);
        assert_eq!(timeline.left(), Some(0));
    }

    #[test]
    fn a_square_of_a_large_sale_stands_for_several_items() {
        let mut timeline = of(50_000, &[], &[(1, 0, 4)]);
        assert_eq!((timeline.per_square(), timeline.squares()), (3, 16_667));
        timeline.seek(2_000.0);
        assert_eq!((timeline.share(0), timeline.share(1), timeline.share(2)), (1.0, 1.0 / 3.0, 0.0));
        assert_eq!(timeline.changed(), [0, 1]);
        timeline.seek(0.0);
        assert_eq!((timeline.share(0), timeline.share(1)), (0.0, 0.0));
        let mut timeline = of(50_000, &[], &[(1, 0, 1), (2, 0, 1)]);
        timeline.seek(3_000.0);
        assert_eq!((timeline.share(0), timeline.changed()), (2.0 / 3.0, vec![0]), "two transfers change it once");
    }

    #[test]
    fn a_run_that_gave_nothing_away_has_what_was_left() {
        assert_eq!((of(4, &[], &[]).squares(), of(0, &[], &[]).squares()), (4, 0));
    }

    #[test]
    fn transfers_of_one_millisecond_are_spread_over_it() {
        assert_eq!(spread(&[0, 0, 3, 3, 3, 3, 9]), [500.0, 1_000.0, 3_250.0, 3_500.0, 3_750.0, 4_000.0, 10_000.0]);
    }

    #[test]
    fn answers_are_added_up_and_come_evenly_between_two_points() {
        let point = |at_ms, answers: [u64; 2]| Point { at_ms, answers: answers.to_vec(), ..Point::default() };
        let counts = AnswerCounts::new(&[point(10, [4, 0]), point(20, [2, 8])]);
        let at = [0.0, 5.0, 10.0, 15.0, 20.0, 99.0].map(|ms| counts.at(ms * 1_000.0));
        assert_eq!(at, [[0, 0], [2, 0], [4, 0], [5, 4], [6, 8], [6, 8]].map(|counts| counts.to_vec()));
        assert_eq!(AnswerCounts::default().at(1.0), [0; 0]);
    }
}
