//! The limits of a sale, as data: each has a scope and a period. The scripts know none of them by name, so
//! one more limit needs no other script. Here it is one more entry in [`LIMITS`] and its name; a scope or a period that
//! no limit has yet also needs its value in each attempt and its place in a recovery.

use crate::error::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The largest limit.
pub const MAX_LIMIT: u64 = 1_000_000;

/// What a limit counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The whole sale.
    Sale,
    /// Each user.
    User,
}

impl Scope {
    /// Its name in Redis.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sale => "sale",
            Self::User => "user",
        }
    }

    /// The place of its value in an attempt, from 1; 0 for the sale, which is the same for all.
    pub fn place(self) -> u8 {
        match self {
            Self::Sale => 0,
            Self::User => 1,
        }
    }
}

/// The time over which a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// From the opening of the sale on.
    Ever,
    /// A calendar day in the time zone of the sale.
    Day,
}

/// The name of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CouponLimit")]
pub enum LimitName {
    /// Coupons in all.
    Total,
    /// Coupons of a user.
    PerUser,
    /// Coupons of a user on a day.
    PerUserPerDay,
}

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Its name.
    pub name: LimitName,
    /// What it counts for.
    pub scope: Scope,
    /// The time over which it counts.
    pub window: Window,
}

/// Every limit, in the order in which they refuse.
pub const LIMITS: [Limit; 3] = [
    Limit { name: LimitName::Total, scope: Scope::Sale, window: Window::Ever },
    Limit { name: LimitName::PerUser, scope: Scope::User, window: Window::Ever },
    Limit { name: LimitName::PerUserPerDay, scope: Scope::User, window: Window::Day },
];

impl LimitName {
    /// Its name in JSON and in Redis.
    pub fn name(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::PerUser => "per_user",
            Self::PerUserPerDay => "per_user_per_day",
        }
    }

    /// The limit with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        LIMITS.into_iter().map(|limit| limit.name).find(|limit| limit.name() == name)
    }
}

/// A number for each limit: how many there may be, or how many more; `null` where the limit is not set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CouponLimits")]
pub struct ByLimit {
    /// Coupons in all.
    pub total: Option<u64>,
    /// Coupons of a user.
    pub per_user: Option<u64>,
    /// Coupons of a user on a day.
    pub per_user_per_day: Option<u64>,
}

impl ByLimit {
    /// The number of a limit.
    pub fn get(&self, limit: LimitName) -> Option<u64> {
        match limit {
            LimitName::Total => self.total,
            LimitName::PerUser => self.per_user,
            LimitName::PerUserPerDay => self.per_user_per_day,
        }
    }

    /// Sets the number of a limit.
    pub fn set(&mut self, limit: LimitName, number: Option<u64>) {
        match limit {
            LimitName::Total => self.total = number,
            LimitName::PerUser => self.per_user = number,
            LimitName::PerUserPerDay => self.per_user_per_day = number,
        }
    }

    /// Checks that each is a limit that a sale may have.
    ///
    /// # Errors
    /// `bad_request`, naming the field and the limit.
    pub fn check(&self) -> Result<()> {
        for Limit { name, .. } in LIMITS {
            let (field, number) = (name.name(), self.get(name));
            if let Some(number) = number.filter(|number| !(1..=MAX_LIMIT).contains(number)) {
                let why =
                    format!("`{field}` is {number}; it must be 1 to {MAX_LIMIT} coupons, or be left out for no limit.");
                return Err(Error::bad(field, why));
            }
        }
        Ok(())
    }

    /// `total=1000 per_user=5 per_user_per_day=none`: as one text, which the ledger keeps.
    pub fn to_text(&self) -> String {
        let number = |limit: Limit| self.get(limit.name).map_or_else(|| "none".to_owned(), |number| number.to_string());
        LIMITS.map(|limit| format!("{}={}", limit.name.name(), number(limit))).join(" ")
    }

    /// Reads [`ByLimit::to_text`].
    pub fn from_text(text: &str) -> Option<Self> {
        let mut limits = Self::default();
        for word in text.split(' ') {
            let (name, number) = word.split_once('=')?;
            let number = if number == "none" { None } else { Some(number.parse().ok()?) };
            limits.set(LimitName::from_name(name)?, number);
        }
        Some(limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_they_are_written() {
        for limits in [
            ByLimit::default(),
            ByLimit { total: Some(1_000), per_user: None, per_user_per_day: Some(1) },
            ByLimit { total: None, per_user: Some(MAX_LIMIT), per_user_per_day: None },
        ] {
            assert_eq!(ByLimit::from_text(&limits.to_text()), Some(limits));
        }
        assert_eq!(
            ByLimit { per_user: Some(5), ..ByLimit::default() }.to_text(),
            "total=none per_user=5 per_user_per_day=none"
        );
        assert_eq!(ByLimit::from_text("total=many"), None);
        assert_eq!(ByLimit::from_text("per_city=1"), None);
    }

    #[test]
    fn a_limit_is_1_to_a_million() {
        let with = |number| ByLimit { per_user: Some(number), ..ByLimit::default() }.check();
        assert!(with(1).is_ok() && with(MAX_LIMIT).is_ok());
        for number in [0, MAX_LIMIT + 1] {
            assert_eq!(with(number).map_err(|error| error.field), Err(Some("per_user".to_owned())));
        }
    }
}
