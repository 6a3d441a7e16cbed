//! The arrival times of the users of a run: by its settings, and at another rate from each change of the load on.

use model::crowd::{Arrival, ArrivalKind, Change, MAX_CHANGES};

/// Users from a position in the queue on, who arrive by this pattern.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    arrival: Arrival,
    from_place: u32,
    /// The arrival of the first of them, in microseconds after the start.
    from_us: u64,
}

/// The schedule of all users.
#[derive(Clone, Debug)]
pub(super) struct Pace(Vec<Stretch>);

impl Pace {
    /// The schedule by the settings of a run.
    pub fn new(arrival: Arrival) -> Self {
        Self(vec![Stretch { arrival, from_place: 0, from_us: 0 }])
    }

    /// Sets the rate to `per_s` users a second from `after_us` microseconds after the start on. Users who have arrived
    /// by then keep their times. In a burst, where all have arrived, these are the `begun` users who have begun. After
    /// [`MAX_CHANGES`] changes, a call changes nothing.
    pub fn change(&mut self, users: u32, begun: u32, after_us: u64, per_s: u32) {
        if self.0.len() > MAX_CHANGES {
            return;
        }
        let last = self.last();
        let from_place =
            if last.arrival.kind == ArrivalKind::Burst { begun.min(users) } else { self.arrived(users, after_us) };
        let arrival = Arrival { kind: ArrivalKind::Constant, per_s, ..last.arrival };
        self.0.push(Stretch { arrival, from_place: from_place.max(last.from_place), from_us: after_us });
    }

    /// The changes so far, in order.
    pub fn changes(&self) -> Vec<Change> {
        let changed = self.0.iter().skip(1);
        changed.map(|stretch| Change { at_ms: stretch.from_us / 1_000, per_s: stretch.arrival.per_s }).collect()
    }

    /// The arrival of the user at this position in the queue, in microseconds after the start, and whether all users
    /// arrive together.
    pub fn due(&self, place: u32) -> (u64, bool) {
        let of = self.0.iter().rev().find(|stretch| stretch.from_place <= place).unwrap_or(&self.0[0]);
        (of.from_us + of.arrival.due_us(place - of.from_place), of.arrival.kind == ArrivalKind::Burst)
    }

    /// The number of users who have arrived after this many microseconds, out of `users`. The latest change must not be
    /// later.
    pub fn arrived(&self, users: u32, after_us: u64) -> u32 {
        let last = self.last();
        let of_these = users.saturating_sub(last.from_place);
        last.from_place + last.arrival.arrived(of_these, after_us.saturating_sub(last.from_us))
    }

    fn last(&self) -> Stretch {
        self.0[self.0.len() - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000;

    fn constant(per_s: u32) -> Pace {
        Pace::new(Arrival { kind: ArrivalKind::Constant, per_s, over_s: 1 })
    }

    #[test]
    fn a_change_moves_those_who_are_still_to_come() {
        let mut pace = constant(10);
        assert_eq!((pace.arrived(1_000, 2 * S), pace.due(100)), (21, (10 * S, false)));
        pace.change(1_000, 0, 2 * S, 100);
        assert_eq!((pace.due(21), pace.due(121)), ((2 * S, false), (3 * S, false)));
        assert_eq!((pace.arrived(1_000, 2 * S), pace.arrived(1_000, 3 * S), pace.arrived(50, 9 * S)), (22, 122, 50));
        pace.change(1_000, 0, 3 * S, 1);
        assert_eq!((pace.due(122), pace.due(123)), ((3 * S, false), (4 * S, false)));
        assert_eq!(pace.arrived(1_000, 4 * S), 124);
    }

    /// The latency of a user who was due and waits for a worker counts from the due time. Otherwise a stall would be
    /// hidden.
    #[test]
    fn a_change_leaves_those_who_have_arrived() {
        let mut pace = constant(10);
        pace.change(1_000, 3, 2 * S, 100);
        pace.change(1_000, 3, 3 * S, 1);
        assert_eq!(
            (pace.due(0), pace.due(20), pace.due(30)),
            ((0, false), (2 * S, false), (2 * S + S / 100 * 9, false))
        );
    }

    #[test]
    fn of_a_burst_those_come_later_who_have_not_begun() {
        let mut pace = Pace::new(Arrival::BURST);
        assert_eq!((pace.arrived(1_000, 0), pace.due(999)), (1_000, (0, true)));
        pace.change(1_000, 400, 2 * S, 100);
        assert_eq!((pace.due(399), pace.due(400), pace.due(500)), ((0, true), (2 * S, false), (3 * S, false)));
        assert_eq!(pace.arrived(1_000, 3 * S), 501);
    }

    #[test]
    fn there_is_an_end_to_changes() {
        let mut pace = constant(1);
        (0..200).for_each(|number| pace.change(1_000_000, 0, number * S, 7));
        let last = Change { at_ms: 99_000, per_s: 7 };
        assert_eq!((pace.changes().len(), pace.changes().last()), (MAX_CHANGES, Some(&last)));
    }
}
