//! When the coupons of a sale can be redeemed.

use crate::{
    Checks, Millis, check_within,
    error::{Error, Result},
    instant::LATEST,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The time in which coupons can be redeemed, in epoch milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CouponValidity")]
pub struct Validity {
    /// From when on coupons can be redeemed; `null` for at once.
    pub valid_from: Option<Millis>,
    /// Until when, that instant not included; `null` for as long as the sale is in Redis.
    pub valid_until: Option<Millis>,
}

impl Validity {
    /// Checks that both are instants, and that there is a time between them.
    ///
    /// # Errors
    /// `bad_request`, naming the field and the limit.
    pub fn check(&self) -> Result<()> {
        let Self { valid_from, valid_until } = *self;
        let mut checks = Checks::default();
        for (field, at) in [("valid_from", valid_from), ("valid_until", valid_until)] {
            checks.note(at.map_or(Ok(()), |at| check_within(field, at, 0..=LATEST, " epoch milliseconds")));
        }
        if let (Some(from), Some(until)) = (valid_from, valid_until)
            && until <= from
        {
            let why = format!("`valid_until` is {until}; it must be later than `valid_from`, which is {from}.");
            checks.note::<()>(Err(Error::bad("valid_until", why)));
        }
        checks.finish(Ok(()))
    }

    /// Whether coupons can be redeemed at any time.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    /// Both, with a blank between, as the scripts store them. Empty for none.
    pub fn to_text(&self) -> String {
        let text = |at: Option<Millis>| at.map_or_else(String::new, |at| at.to_string());
        format!("{} {}", text(self.valid_from), text(self.valid_until))
    }

    /// Reads [`Validity::to_text`].
    pub fn from_text(text: &str) -> Option<Self> {
        let read = |text: &str| if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) };
        let (from, until) = text.split_once(' ')?;
        Some(Self { valid_from: read(from)?, valid_until: read(until)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::wrong_fields;

    fn validity(valid_from: Option<Millis>, valid_until: Option<Millis>) -> Validity {
        Validity { valid_from, valid_until }
    }

    #[test]
    fn a_validity_is_read_as_it_is_written() {
        for (validity, text) in [
            (validity(None, None), " "),
            (validity(Some(5), None), "5 "),
            (validity(None, Some(7)), " 7"),
            (validity(Some(5), Some(7)), "5 7"),
        ] {
            assert_eq!((validity.to_text().as_str(), Validity::from_text(text)), (text, Some(validity)));
        }
        assert!(["", "5", "a ", "5 7 9"].iter().all(|text| Validity::from_text(text).is_none()));
    }

    #[test]
    fn there_is_a_time_between_the_two() {
        assert_eq!(wrong_fields(validity(Some(5), Some(6)).check()), [""; 0]);
        assert_eq!(wrong_fields(validity(Some(6), Some(6)).check()), ["valid_until"]);
        assert_eq!(wrong_fields(validity(Some(-1), Some(LATEST + 1)).check()), ["valid_from", "valid_until"]);
    }
}
