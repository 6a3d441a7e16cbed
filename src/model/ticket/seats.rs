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
    /// The seat is not for sale: its hall marks it so, or an operator has blocked it.
    Blocked,
}

impl SeatState {
    /// Every state, in the order of its byte in Redis.
    pub const ALL: [Self; 4] = [Self::Free, Self::Held, Self::Sold, Self::Blocked];

    /// The state of a byte in Redis: `0`, `1`, `2`, `3`.
    pub fn of(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte.wrapping_sub(b'0'))).copied()
    }

    /// The byte in Redis.
    pub fn byte(self) -> u8 {
        b'0' + self as u8
    }
}

/// The states of seats, as sent to a browser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SeatStates")]
pub enum Seats {
    /// Every seat in the order of numbers, one character for each three seats: `a` + 9 × the first + 3 × the second +
    /// the third, if none of them is blocked. The last possible character is `{`. Three seats with a blocked one have one
    /// of `0` to `9`, `A` to `Z` and `_`, in the order of 16 × the first + 4 × the second + the third.
    Whole(String),
    /// The seats that have changed since the last states sent to this browser, each as 3 × number + state; as 3 × the
    /// number of seats of the hall + number if it was blocked.
    Changed(Vec<u32>),
}

/// The approximate number of bytes for a changed seat in JSON.
const BYTES_A_CHANGE: usize = 7;
const SEATS_A_LETTER: usize = 3;
/// The states of a seat that is for sale.
const FOR_SALE: u32 = 3;
/// The characters of three seats with a blocked one.
const WITH_BLOCKED: &[u8; 37] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_";

/// The states of three seats, as numbers.
type Three = [u8; SEATS_A_LETTER];

/// The character of three seats.
fn letter(three: Three) -> u8 {
    // Almost all have no blocked seat, and there are many.
    if !three.contains(&(SeatState::Blocked as u8)) {
        return b'a' + 9 * three[0] + 3 * three[1] + three[2];
    }
    let nth = with_blocked().position(|other| other == three);
    WITH_BLOCKED[nth.unwrap_or_default()]
}

/// All states of three seats with a blocked one, in order.
fn with_blocked() -> impl Iterator<Item = Three> {
    let threes = (0..4).flat_map(|a| (0..4).flat_map(move |b| (0..4).map(move |c| [a, b, c])));
    threes.filter(|three| three.contains(&(SeatState::Blocked as u8)))
}

/// The three states of a character; `None` if there are none.
fn three(letter: u8) -> Option<Three> {
    if (b'a'..=b'{').contains(&letter) {
        let code = letter - b'a';
        return Some([code / 9, code / 3 % 3, code % 3]);
    }
    let nth = WITH_BLOCKED.iter().position(|known| *known == letter)?;
    with_blocked().nth(nth)
}

impl Seats {
    /// Encodes every seat. `seats` has one byte each, as in Redis.
    pub fn whole(seats: &[u8]) -> Self {
        let digit = |seats: &[u8], place| seats.get(place).map_or(0, |byte: &u8| (byte - b'0') % 4);
        let letters = seats
            .chunks(SEATS_A_LETTER)
            .map(|seats| char::from(letter([digit(seats, 0), digit(seats, 1), digit(seats, 2)])));
        Self::Whole(letters.collect())
    }

    /// Encodes the changes between two states of the same hall, or every seat if that is shorter.
    pub fn since(before: &[u8], now: &[u8]) -> Self {
        const AT_A_TIME: usize = 64;
        let all = now.len() as u32;
        let mut changed = Vec::new();
        let mut number = 0;
        for (before, now) in before.chunks(AT_A_TIME).zip(now.chunks(AT_A_TIME)) {
            // Most chunks are unchanged.
            if before != now {
                let pairs = before.iter().zip(now).zip(number..);
                changed.extend(pairs.filter(|((before, now), _)| before != now).map(
                    |((_, now), number)| match u32::from(now - b'0') {
                        state if state < FOR_SALE => FOR_SALE * number + state,
                        _ => FOR_SALE * all + number,
                    },
                ));
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
        let state = |digit: u8| SeatState::of(b'0' + digit).unwrap_or_default();
        let mut set = |seat: &mut SeatState, number: usize, now: SeatState| {
            if *seat != now {
                *seat = now;
                changed(number);
            }
        };
        match self {
            Self::Whole(text) => {
                let letters = text.as_bytes();
                let are_ours = letters.iter().all(|letter| three(*letter).is_some());
                if letters.len() != seats.len().div_ceil(SEATS_A_LETTER) || !are_ours {
                    return false;
                }
                for (nth, (seats, letter)) in seats.chunks_mut(SEATS_A_LETTER).zip(letters).enumerate() {
                    let three = three(*letter).unwrap_or_default();
                    for (place, (seat, digit)) in seats.iter_mut().zip(three).enumerate() {
                        set(seat, SEATS_A_LETTER * nth + place, state(digit));
                    }
                }
            }
            Self::Changed(list) => {
                let for_sale = FOR_SALE * seats.len() as u32;
                let read = |change: u32| match change.checked_sub(for_sale) {
                    None => ((change / FOR_SALE) as usize, state((change % FOR_SALE) as u8)),
                    Some(number) => (number as usize, SeatState::Blocked),
                };
                if list.iter().any(|change| read(*change).0 >= seats.len()) {
                    return false;
                }
                for change in list {
                    let (number, now) = read(*change);
                    set(&mut seats[number], number, now);
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
        for length in 0..8 {
            for nth in 0..4_usize.pow(length) {
                let seats: Vec<u8> = (0..length).map(|place| b'0' + (nth / 4_usize.pow(place) % 4) as u8).collect();
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
    fn a_seat_that_was_blocked_is_told_by_its_number_after_those_of_all_others() {
        let (before, now) = ([b'0'; 64], [[b'0'; 63].as_slice(), b"3"].concat());
        let seats = Seats::since(&before, &now);
        assert_eq!(seats, Seats::Changed(vec![3 * 64 + 63]));
        assert_eq!(applied(&seats, states(&before)), (states(&now), vec![63]));
        assert_eq!(applied(&Seats::since(&now, &before), states(&now)), (states(&before), vec![63]));
        assert_eq!(Seats::whole(b"000300"), Seats::Whole("aL".into()));
    }

    #[test]
    fn what_is_of_another_hall_changes_nothing() {
        let mut shown = vec![SeatState::Free; 4];
        for other in [Seats::Whole("a".into()), Seats::Whole("a|".into()), Seats::Changed(vec![1, 16])] {
            assert!(!other.apply(&mut shown, |_| panic!("{other:?} changed a seat")));
        }
        assert_eq!(shown, vec![SeatState::Free; 4]);
    }
}
