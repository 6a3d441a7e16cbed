//! A compact encoding of the states of all seats for browsers: all states once, then only changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state of a seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeatState {
    /// The seat is available.
    #[default]
    Free,
    /// An order that is not paid yet holds the seat.
    Held,
    /// The seat was paid.
    Sold,
}

impl SeatState {
    /// The state of a byte in Redis: `0`, `1`, `2`.
    pub fn of(byte: u8) -> Option<Self> {
        [Self::Free, Self::Held, Self::Sold].get(usize::from(byte.wrapping_sub(b'0'))).copied()
    }
}

/// The states of seats, as sent to a browser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SeatStates")]
pub enum Seats {
    /// Every seat in the order of numbers, one character for each three seats: `a` + 9 × the first + 3 × the second +
    /// the third. The last possible character is `{`.
    Whole(String),
    /// The seats that have changed since the last states sent to this browser, each as 3 × number + state.
    Changed(Vec<u32>),
}

/// The approximate number of bytes for a changed seat in JSON.
const BYTES_A_CHANGE: usize = 7;
const SEATS_A_LETTER: usize = 3;

impl Seats {
    /// Encodes every seat. `seats` has one byte each: `0` free, `1` held, `2` sold.
    pub fn whole(seats: &[u8]) -> Self {
        let letter = |three: &[u8]| {
            let digits = (0..SEATS_A_LETTER).map(|place| three.get(place).map_or(0, |byte| (byte - b'0') % 3));
            char::from(b'a' + digits.fold(0, |sum, digit| 3 * sum + digit))
        };
        Self::Whole(seats.chunks(SEATS_A_LETTER).map(letter).collect())
    }

    /// Encodes the changes between two states of the same hall, or every seat if that is shorter.
    pub fn since(before: &[u8], now: &[u8]) -> Self {
        const AT_A_TIME: usize = 64;
        let mut changed = Vec::new();
        let mut number = 0;
        for (before, now) in before.chunks(AT_A_TIME).zip(now.chunks(AT_A_TIME)) {
            // Most chunks are unchanged.
            if before != now {
                let pairs = before.iter().zip(now).zip(number..);
                changed.extend(
                    pairs
                        .filter(|((before, now), _)| before != now)
                        .map(|((_, now), number)| 3 * number + u32::from((now - b'0') % 3)),
                );
            }
            number += now.len() as u32;
        }
        if before.len() != now.len() || changed.len() * BYTES_A_CHANGE > now.len() / SEATS_A_LETTER {
            return Self::whole(now);
        }
        Self::Changed(changed)
    }

    /// Updates `seats` and calls `changed` with the number of each changed seat. If the states belong to a hall of
    /// another size, returns false and changes nothing.
    pub fn apply(&self, seats: &mut [SeatState], mut changed: impl FnMut(usize)) -> bool {
        let state = |digit: u32| SeatState::of(b'0' + digit as u8);
        let mut set = |seat: &mut SeatState, number: usize, now: SeatState| {
            if *seat != now {
                *seat = now;
                changed(number);
            }
        };
        match self {
            Self::Whole(text) => {
                let letters = text.as_bytes();
                let are_ours = letters.iter().all(|letter| (b'a'..=b'{').contains(letter));
                if letters.len() != seats.len().div_ceil(SEATS_A_LETTER) || !are_ours {
                    return false;
                }
                for (number, seat) in seats.iter_mut().enumerate() {
                    let code = u32::from(letters[number / SEATS_A_LETTER] - b'a');
                    let digit = [code / 9, code / 3 % 3, code % 3][number % SEATS_A_LETTER];
                    set(seat, number, state(digit).unwrap_or_default());
                }
            }
            Self::Changed(list) => {
                if list.iter().any(|change| (change / 3) as usize >= seats.len()) {
                    return false;
                }
                for change in list {
                    let number = (change / 3) as usize;
                    set(&mut seats[number], number, state(change % 3).unwrap_or_default());
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(seats: &Seats, mut shown: Vec<SeatState>) -> (Vec<SeatState>, Vec<usize>) {
        let mut changed = Vec::new();
        assert!(seats.apply(&mut shown, |number| changed.push(number)));
        (shown, changed)
    }

    fn states(seats: &[u8]) -> Vec<SeatState> {
        seats.iter().filter_map(|byte| SeatState::of(*byte)).collect()
    }

    #[test]
    fn every_seat_arrives_in_every_state() {
        for length in 0..10 {
            for nth in 0..3_usize.pow(length) {
                let seats: Vec<u8> = (0..length).map(|place| b'0' + (nth / 3_usize.pow(place) % 3) as u8).collect();
                let (shown, _) = applied(&Seats::whole(&seats), vec![SeatState::Sold; seats.len()]);
                assert_eq!(shown, states(&seats));
            }
        }
    }

    #[test]
    fn of_a_large_hall_only_what_changed_is_told_as_long_as_that_is_shorter() {
        let before = vec![b'0'; 60_000];
        let mut now = before.clone();
        (now[0], now[63], now[64], now[59_999]) = (b'1', b'2', b'1', b'2');
        let seats = Seats::since(&before, &now);
        assert_eq!(seats, Seats::Changed(vec![1, 191, 193, 179_999]));
        assert_eq!(applied(&seats, states(&before)), (states(&now), vec![0, 63, 64, 59_999]));
        assert_eq!(Seats::since(&now, &now), Seats::Changed(Vec::new()));
        now.fill(b'2');
        let Seats::Whole(text) = Seats::since(&before, &now) else { panic!("all of them changed") };
        assert_eq!((text.len(), &text[..2]), (20_000, "{{"));
    }

    #[test]
    fn what_is_of_another_hall_changes_nothing() {
        let mut shown = vec![SeatState::Free; 4];
        for other in [Seats::Whole("a".into()), Seats::Whole("a|".into()), Seats::Changed(vec![1, 12])] {
            assert!(!other.apply(&mut shown, |_| panic!("{other:?} changed a seat")));
        }
        assert_eq!(shown, vec![SeatState::Free; 4]);
    }
}
