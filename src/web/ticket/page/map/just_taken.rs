//! Seats that were just taken: for a moment, they have a look of their own.
//!
//! Time is divided into periods, and the looks of even and odd ones are two, though they look alike. So a seat's look
//! tells when it was taken, and no list of seats is needed: it stands out until the end of the next period.

/// The length of a period, in milliseconds.
pub const PERIOD_MS: f64 = 250.0;

/// The looks of a painter.
#[derive(Clone, Copy, Debug)]
pub struct Looks {
    /// The number of looks of free seats, which come first; those of taken ones follow.
    pub free: u8,
    /// The number of looks of free and taken seats.
    pub own: u8,
    /// The look of seats that were just taken in an even period; that of an odd one follows.
    pub just_taken: u8,
}

/// The looks of seats that were just taken.
#[derive(Clone, Copy, Debug)]
pub struct JustTaken {
    looks: Looks,
    /// The number of the latest period.
    number: u64,
    /// The looks of two periods that still stand out; `None` while no seat is to stand out.
    lasting: Option<[bool; 2]>,
    /// Some seats stand out in the picture. They are to be painted again when their time is over.
    pub is_any_drawn: bool,
}

impl JustTaken {
    /// No seat was taken yet.
    pub fn new(looks: Looks) -> Self {
        Self { looks, number: 0, lasting: None, is_any_drawn: false }
    }

    /// Begins a picture at this time in milliseconds; `None` if no seat is to stand out.
    pub fn begin(&mut self, now: Option<f64>) {
        self.is_any_drawn = false;
        self.lasting = now.map(|now| {
            let before = self.number;
            self.number = (now / PERIOD_MS) as u64;
            let is_odd = self.number % 2 == 1;
            match self.number.saturating_sub(before) {
                0 => [true; 2],
                // The looks of this period are those of the one before the last.
                1 => [is_odd, !is_odd],
                _ => [false; 2],
            }
        });
    }

    /// Returns the look of a seat in this picture: its own, unless it was taken a moment ago. `drawn` is its look in the
    /// picture before.
    pub fn look(&mut self, drawn: u8, own: u8) -> u8 {
        let Looks { free, own: known, just_taken } = self.looks;
        let Some(lasting) = self.lasting.filter(|_| (free..known).contains(&own)) else { return own };
        let period = drawn.checked_sub(just_taken).map(usize::from);
        let look = match period {
            Some(period) if lasting[period] => drawn,
            None if drawn < free => just_taken + (self.number % 2) as u8,
            _ => return own,
        };
        self.is_any_drawn = true;
        look
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOKS: Looks = Looks { free: 8, own: 10, just_taken: 13 };
    const HELD: u8 = 8;
    const SOLD: u8 = 9;

    #[test]
    fn a_seat_stands_out_until_the_end_of_the_next_period() {
        let mut state = JustTaken::new(LOOKS);
        let mut look = |at: f64, drawn, own| {
            state.begin(Some(at * PERIOD_MS));
            (state.look(drawn, own), state.is_any_drawn)
        };
        let (even, odd) = (LOOKS.just_taken, LOOKS.just_taken + 1);
        assert_eq!(look(10.5, 0, HELD), (even, true));
        assert_eq!(look(10.9, even, HELD), (even, true));
        assert_eq!(look(11.2, even, SOLD), (even, true), "paid meanwhile");
        assert_eq!(look(11.2, 3, HELD), (odd, true), "another one");
        assert_eq!(look(12.0, even, SOLD), (SOLD, false));
        assert_eq!(look(12.0, odd, HELD), (odd, true));
        assert_eq!(look(20.0, odd, HELD), (HELD, false), "much later");
        assert_eq!(look(20.0, even, 0), (0, false), "free again");
        assert_eq!(look(20.0, HELD, SOLD), (SOLD, false), "it was taken before");
        assert_eq!(look(20.0, 10, 11), (11, false), "filtered out");
    }

    #[test]
    fn no_seat_stands_out_where_nothing_should_move() {
        let mut state = JustTaken::new(LOOKS);
        state.begin(None);
        assert_eq!((state.look(0, HELD), state.look(LOOKS.just_taken, SOLD), state.is_any_drawn), (HELD, SOLD, false));
    }
}
