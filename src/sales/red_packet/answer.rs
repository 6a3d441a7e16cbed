//! How answers are read from JSON: from one flat object, which costs the browser a third of what
//! serde's own reading of tagged enums does.

use super::{Outcome, Refund};
use crate::domain::{Cents, Millis};
use serde::Deserialize;

/// Every answer's fields; `outcome` says which are there.
#[derive(Deserialize)]
pub(super) struct Answer {
    outcome: Word,
    packet: Option<u32>,
    cents: Option<Cents>,
    expired_at: Option<Millis>,
    refunded_cents: Option<Cents>,
    expires_at: Option<Millis>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Won,
    Repeat,
    SoldOut,
    Expired,
    Refunded,
    NotExpired,
}

const INCOMPLETE: &str = "the answer lacks a field of its outcome";

impl TryFrom<Answer> for Outcome {
    type Error = &'static str;

    fn try_from(answer: Answer) -> Result<Self, Self::Error> {
        let outcome = match (answer.outcome, answer.packet, answer.cents, answer.expired_at) {
            (Word::Won, Some(packet), Some(cents), _) => Self::Won { packet, cents },
            (Word::Repeat, Some(packet), Some(cents), _) => Self::Repeat { packet, cents },
            (Word::SoldOut, ..) => Self::SoldOut,
            (Word::Expired, _, _, Some(expired_at)) => Self::Expired { expired_at },
            _ => return Err(INCOMPLETE),
        };
        Ok(outcome)
    }
}

impl TryFrom<Answer> for Refund {
    type Error = &'static str;

    fn try_from(answer: Answer) -> Result<Self, Self::Error> {
        let refund = match (answer.outcome, answer.refunded_cents, answer.expires_at) {
            (Word::Refunded, Some(refunded_cents), _) => Self::Refunded { refunded_cents },
            (Word::Repeat, Some(refunded_cents), _) => Self::Repeat { refunded_cents },
            (Word::NotExpired, Some(refunded_cents), Some(expires_at)) => {
                Self::NotExpired { refunded_cents, expires_at }
            }
            _ => return Err(INCOMPLETE),
        };
        Ok(refund)
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
        comes_back(Outcome::Won { packet: 17, cents: 101 });
        comes_back(Outcome::Repeat { packet: 17, cents: 101 });
        comes_back(Outcome::SoldOut);
        comes_back(Outcome::Expired { expired_at: 1_700_000_000_000 });
        comes_back(Refund::Refunded { refunded_cents: 5 });
        comes_back(Refund::Repeat { refunded_cents: 5 });
        comes_back(Refund::NotExpired { refunded_cents: 0, expires_at: 1_700_000_000_000 });
    }

    #[test]
    fn an_answer_without_its_figures_is_none() {
        assert!(serde_json::from_str::<Outcome>(r#"{"outcome":"won","packet":1}"#).is_err());
        assert!(serde_json::from_str::<Refund>(r#"{"outcome":"sold_out"}"#).is_err());
    }
}
