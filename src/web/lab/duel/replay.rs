//! A side of a duel at a certain time of its record.

use model::lab::duel::Side;

/// A side, moved to a time.
pub struct Replay {
    side: Side,
    /// The users of each item in the end, from item 1.
    holders: Vec<Vec<u32>>,
    at_us: u64,
    /// The number of awards up to then.
    given: usize,
    /// How often each item was won up to then, from item 1.
    times: Vec<u32>,
    /// The items that were won more than once up to then, in the order of their second award.
    twice: Vec<u32>,
}

/// The figures of a side at a certain time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideFigures {
    /// The attempts answered.
    pub answered: u64,
    /// The attempts that won an item.
    pub given: u64,
    /// The items that were won more than once.
    pub twice: u64,
}

impl SideFigures {
    /// The attempts answered that won nothing.
    pub fn refused(self) -> u64 {
        self.answered - self.given
    }
}

impl Replay {
    /// The side at its start, with this many items.
    pub fn new(side: Side, items: u32) -> Self {
        let holders = side.awards.holders(items);
        Self { side, holders, at_us: 0, given: 0, times: vec![0; items as usize], twice: Vec::new() }
    }

    /// Moves to a time, forwards or backwards.
    pub fn seek(&mut self, at_us: u64) {
        let given = self.side.awards.at_us.partition_point(|&at| at <= at_us);
        if given < self.given {
            self.given = 0;
            self.times.fill(0);
            self.twice.clear();
        }
        for &item in &self.side.awards.items[self.given..given] {
            if let Some(times) = (item as usize).checked_sub(1).and_then(|place| self.times.get_mut(place)) {
                *times += 1;
                if *times == 2 {
                    self.twice.push(item);
                }
            }
        }
        (self.at_us, self.given) = (at_us, given);
    }

    /// How often each item was won, from item 1.
    pub fn times(&self) -> &[u32] {
        &self.times
    }

    /// The items that were won more than once, in the order of their second award.
    pub fn twice(&self) -> &[u32] {
        &self.twice
    }

    /// The users who have won this item so far.
    pub fn users(&self, item: u32) -> &[u32] {
        let place = (item as usize).wrapping_sub(1);
        let so_far = self.times.get(place).copied().unwrap_or_default() as usize;
        self.holders.get(place).and_then(|holders| holders.get(..so_far)).unwrap_or_default()
    }

    /// How often each item was won in the end, from item 1.
    pub fn times_in_the_end(&self) -> impl Iterator<Item = usize> {
        self.holders.iter().map(Vec::len)
    }

    /// The figures.
    pub fn figures(&self) -> SideFigures {
        let given = self.given as u64;
        // More than were counted by then may have won.
        let answered = self.answered().max(given);
        SideFigures { answered, given, twice: self.twice.len() as u64 }
    }

    /// The share of attempts that are not answered yet.
    pub fn waiting(&self) -> f64 {
        1.0 - self.answered() as f64 / self.side.figures.attempts.max(1) as f64
    }

    /// The attempts answered. Between two counts, as many as if they were answered at equal intervals.
    fn answered(&self) -> u64 {
        if self.at_us >= self.side.took_us {
            return self.side.figures.attempts;
        }
        let counts = &self.side.answered;
        let place = self.at_us as f64 / self.side.took_us as f64 * counts.len() as f64;
        let count = |nth: usize| match nth.checked_sub(1) {
            Some(nth) => counts.get(nth).copied().unwrap_or_default().into(),
            None => 0.0,
        };
        let before: f64 = count(place as usize);
        (before + (count(place as usize + 1) - before) * place.fract()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::figures;
    use model::lab::{Figures, duel::Awards};

    /// Three items; the third was won by two users.
    fn replay() -> Replay {
        let awards = Awards { at_us: vec![100, 150, 150, 900], users: vec![4, 5, 6, 7], items: vec![3, 2, 3, 1] };
        let figures = Figures { attempts: 10, ..figures("read-check-write") };
        Replay::new(Side { figures, took_us: 1_000, answered: vec![4, 10], awards }, 3)
    }

    #[test]
    fn an_item_that_is_won_again_stays_so_forwards_and_not_backwards() {
        let mut replay = replay();
        replay.seek(100);
        assert_eq!((replay.times(), replay.twice(), replay.users(3)), (&[0, 0, 1][..], &[][..], &[4][..]));
        for at_us in [150, 1_000, 150] {
            replay.seek(at_us);
            assert_eq!((replay.twice(), replay.users(3), replay.users(2)), (&[3][..], &[4, 6][..], &[5][..]));
        }
        replay.seek(0);
        assert_eq!((replay.times(), replay.twice(), replay.users(3)), (&[0, 0, 0][..], &[][..], &[][..]));
        assert_eq!((replay.users(0), replay.users(4)), (&[][..], &[][..]));
    }

    #[test]
    fn attempts_are_answered_evenly_between_two_counts() {
        let mut replay = replay();
        let answered = [0, 250, 500, 750, 999, 1_000, 5_000].map(|at_us| {
            replay.seek(at_us);
            replay.figures().answered
        });
        // After 250 µs two are counted, but three had won.
        assert_eq!(answered, [0, 3, 4, 7, 9, 10, 10]);
        assert_eq!(replay.figures(), SideFigures { answered: 10, given: 4, twice: 1 });
    }
}
