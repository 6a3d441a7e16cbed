//! How answers are read from JSON: from one flat object, as the browser reads it (see `wire.rs`).

use super::{Cancelled, HeldSeat, Left, Order, OrderState, Outcome, Paid, seats::Seats};
use crate::domain::{Cents, Millis};
use serde::{
    Deserialize, Deserializer,
    de::{SeqAccess, Visitor},
};
use std::fmt;

/// Every answer's fields; `outcome` says which are there.
#[derive(Deserialize)]
pub(super) struct Answer {
    outcome: Word,
    order: Option<String>,
    state: Option<OrderState>,
    seats: Option<Vec<String>>,
    cents: Option<Cents>,
    held_until: Option<Millis>,
    held: Option<Vec<HeldSeat>>,
    left: Option<Leftover>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Held,
    Repeat,
    SeatTaken,
    NotEnoughSeats,
    LimitReached,
    Paid,
    Refunded,
    Cancelled,
}

/// What is left: of a user's limit, or of categories.
enum Leftover {
    OfLimit(u32),
    OfCategories(Vec<Left>),
}

impl<'de> Deserialize<'de> for Leftover {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Leftover;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number or a list")
            }

            fn visit_u64<E>(self, left: u64) -> Result<Leftover, E> {
                Ok(Leftover::OfLimit(left as u32))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Leftover, A::Error> {
                let mut left = Vec::new();
                while let Some(one) = list.next_element()? {
                    left.push(one);
                }
                Ok(Leftover::OfCategories(left))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

const INCOMPLETE: &str = "the answer lacks a field of its outcome";

impl Answer {
    fn order(self) -> Result<Order, &'static str> {
        match (self.order, self.state, self.seats, self.cents, self.held_until) {
            (Some(order), Some(state), Some(seats), Some(cents), Some(held_until)) => {
                Ok(Order { order, state, seats, cents, held_until })
            }
            _ => Err(INCOMPLETE),
        }
    }
}

impl TryFrom<Answer> for Outcome {
    type Error = &'static str;

    fn try_from(answer: Answer) -> Result<Self, Self::Error> {
        match answer.outcome {
            Word::Held => answer.order().map(Self::Held),
            Word::Repeat => answer.order().map(Self::Repeat),
            Word::SeatTaken => match (answer.seats, answer.held) {
                (Some(seats), Some(held)) => Ok(Self::SeatTaken { seats, held }),
                _ => Err(INCOMPLETE),
            },
            Word::NotEnoughSeats => match answer.left {
                Some(Leftover::OfCategories(left)) => Ok(Self::NotEnoughSeats { left }),
                _ => Err(INCOMPLETE),
            },
            Word::LimitReached => match answer.left {
                Some(Leftover::OfLimit(left)) => Ok(Self::LimitReached { left }),
                _ => Err(INCOMPLETE),
            },
            _ => Err(INCOMPLETE),
        }
    }
}

impl TryFrom<Answer> for Paid {
    type Error = &'static str;

    fn try_from(answer: Answer) -> Result<Self, Self::Error> {
        let said = match answer.outcome {
            Word::Paid => Self::Paid,
            Word::Repeat => Self::Repeat,
            Word::Refunded => Self::Refunded,
            _ => return Err(INCOMPLETE),
        };
        answer.order().map(said)
    }
}

impl TryFrom<Answer> for Cancelled {
    type Error = &'static str;

    fn try_from(answer: Answer) -> Result<Self, Self::Error> {
        let said = match answer.outcome {
            Word::Cancelled => Self::Cancelled,
            Word::Refunded => Self::Refunded,
            Word::Repeat => Self::Repeat,
            _ => return Err(INCOMPLETE),
        };
        answer.order().map(said)
    }
}

/// [`Seats`] as an object of two fields, one of which is there.
#[derive(Deserialize)]
pub(super) struct Told {
    whole: Option<String>,
    changed: Option<Vec<u32>>,
}

impl TryFrom<Told> for Seats {
    type Error = &'static str;

    fn try_from(told: Told) -> Result<Self, Self::Error> {
        match (told.whole, told.changed) {
            (Some(whole), None) => Ok(Self::Whole(whole)),
            (None, Some(changed)) => Ok(Self::Changed(changed)),
            _ => Err("seats are told whole, or by their changes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Serialize, de::DeserializeOwned};
    use std::fmt::Debug;

    fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(answer: T) {
        let json = serde_json::to_string(&answer).unwrap();
        assert_eq!(serde_json::from_str::<T>(&json).unwrap(), answer, "{json}");
    }

    #[test]
    fn every_answer_is_read_as_it_was_written() {
        let order = Order {
            order: "o".to_owned(),
            state: OrderState::Held,
            seats: vec!["A-01-01".to_owned()],
            cents: 100,
            held_until: 7,
        };
        comes_back(Outcome::Held(order.clone()));
        comes_back(Outcome::Repeat(order.clone()));
        comes_back(Outcome::SeatTaken {
            seats: vec!["A-01-01".to_owned()],
            held: vec![HeldSeat { seat: "A-01-01".to_owned(), held_until: 7 }],
        });
        comes_back(Outcome::NotEnoughSeats { left: vec![Left { category: "floor".to_owned(), left: 2 }] });
        comes_back(Outcome::LimitReached { left: 2 });
        comes_back(Paid::Paid(order.clone()));
        comes_back(Paid::Repeat(order.clone()));
        comes_back(Paid::Refunded(order.clone()));
        comes_back(Cancelled::Cancelled(order.clone()));
        comes_back(Cancelled::Refunded(order.clone()));
        comes_back(Cancelled::Repeat(order));
        comes_back(Seats::Whole("abc".to_owned()));
        comes_back(Seats::Changed(vec![1, 2]));
    }

    #[test]
    fn an_answer_without_its_fields_is_none() {
        assert!(serde_json::from_str::<Outcome>(r#"{"outcome":"held","order":"o"}"#).is_err());
        assert!(serde_json::from_str::<Outcome>(r#"{"outcome":"limit_reached","left":[]}"#).is_err());
        assert!(serde_json::from_str::<Paid>(r#"{"outcome":"cancelled"}"#).is_err());
        assert!(serde_json::from_str::<Seats>("{}").is_err());
    }
}
