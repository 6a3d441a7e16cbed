//! When the users of a run arrive: by its settings, and after a change of the load at another rate.

use super::{Arrival, ArrivalKind};

/// A schedule of all users, of which those before a change are never looked at again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    arrival: Arrival,
    /// The first user who comes by it.
    from_place: u32,
    /// When that user comes, in microseconds after the start.
    from_us: u64,
}

impl Pace {
    /// By the settings of a run.
    pub fn new(arrival: Arrival) -> Self {
        Self { arrival, from_place: 0, from_us: 0 }
    }

    /// From now on so many users a second. Those who have arrived by now, `after_us` microseconds after the start, stay.
    pub fn changed(self, users: u32, after_us: u64, per_s: u32) -> Self {
        let arrival = Arrival { kind: ArrivalKind::Constant, per_s, ..self.arrival };
        Self { arrival, from_place: self.arrived(users, after_us), from_us: after_us }
    }

    /// When the user with this place in the queue arrives, in microseconds after the start.
    pub fn due_us(self, place: u32) -> u64 {
        self.from_us + self.arrival.due_us(place.saturating_sub(self.from_place))
    }

    /// How many of so many users have arrived after so many microseconds.
    pub fn arrived(self, users: u32, after_us: u64) -> u32 {
        let of_these = users.saturating_sub(self.from_place);
        match after_us.checked_sub(self.from_us) {
            Some(since) => self.from_place + self.arrival.arrived(of_these, since),
            None => self.from_place,
        }
    }

    /// Whether all come at once.
    pub fn is_burst(self) -> bool {
        self.arrival.kind == ArrivalKind::Burst
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000;

    #[test]
    fn a_change_moves_those_who_are_still_to_come() {
        let slow = Pace::new(Arrival { kind: ArrivalKind::Constant, per_s: 10, over_s: 1 });
        assert_eq!((slow.arrived(1_000, 2 * S), slow.due_us(100)), (21, 10 * S));
        let fast = slow.changed(1_000, 2 * S, 100);
        assert_eq!((fast.due_us(21), fast.due_us(121)), (2 * S, 3 * S));
        assert_eq!((fast.arrived(1_000, 2 * S), fast.arrived(1_000, 3 * S), fast.arrived(50, 9 * S)), (22, 122, 50));
        let slow = fast.changed(1_000, 3 * S, 1);
        assert_eq!((slow.due_us(122), slow.due_us(123)), (3 * S, 4 * S));
        assert_eq!(slow.arrived(1_000, 4 * S), 124);
        assert!(!slow.is_burst() && Pace::new(Arrival::BURST).is_burst());
    }
}
