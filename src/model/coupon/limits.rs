//! The limits of a sale, as data: each has a scope and a window. The scripts know none of them by name: they go by the
//! table of the sale, which it keeps as it was opened. One more limit is one more row in the table below; CONTRIBUTING.md,
//! "A limit of coupons", has what else it needs.

use crate::{Checks, check_within, error::Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The largest limit.
pub const MAX_LIMIT: u64 = 1_000_000;

/// What a limit counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// Its name in Redis.
    pub name: &'static str,
    /// The place of its value in an attempt, from 1, where request id and code have 2 and 3; 0 for the sale, which is the
    /// same for all.
    pub place: usize,
}

/// The whole sale.
pub const SALE: Scope = Scope { name: "sale", place: 0 };
/// Each user.
pub const USER: Scope = Scope { name: "user", place: 1 };
/// Every scope; those after the first two, in the order of their places.
pub const SCOPES: [Scope; 2] = [SALE, USER];

impl Scope {
    /// The scopes of which an attempt has a value beside its user.
    pub fn further() -> impl Iterator<Item = Self> {
        SCOPES.into_iter().skip(2)
    }

    /// Where it is counted for a value: a field of `counts`.
    pub fn field(self, value: &str) -> String {
        format!("{}:{value}", self.name)
    }
}

/// The time over which a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Window {
    /// From the opening of the sale on.
    Ever,
    /// A calendar day in the time zone of the sale.
    Day,
    /// An hour, as UTC counts them.
    Hour,
}

impl Window {
    /// Every kind of window.
    pub const ALL: [Self; 3] = [Self::Ever, Self::Day, Self::Hour];

    /// Its name in Redis.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ever => "ever",
            Self::Day => "day",
            Self::Hour => "hour",
        }
    }
}

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit<Name = LimitName> {
    /// Its name.
    pub name: Name,
    /// What it counts for.
    pub scope: Scope,
    /// The time over which it counts.
    pub window: Window,
}

/// Declares the limits from a table. A row has what a limit counts, its name in Rust, its name in JSON and in Redis, its
/// scope and its window; rows are in the order in which limits refuse.
///
/// This is a macro because serde and schemars need a named field for each limit, and an enum needs a variant; both would
/// otherwise be a second and a third list, to be kept in the order of the first.
macro_rules! limits {
    ($($(#[$doc:meta])+ $name:ident $field:ident $scope:ident $window:ident;)+) => {
        /// The name of a limit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[schemars(rename = "CouponLimit")]
        pub enum LimitName {
            $($(#[$doc])+ $name,)+
        }

        /// Every limit, in the order in which they refuse.
        pub const LIMITS: [Limit<LimitName>; [$(LimitName::$name),+].len()] =
            [$(Limit { name: LimitName::$name, scope: $scope, window: Window::$window }),+];

        impl LimitName {
            /// Its name in JSON and in Redis.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($field),)+
                }
            }
        }

        /// A number for each limit: how many there may be, or how many more; `null` where the limit is not set.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[schemars(rename = "CouponLimits")]
        pub struct ByLimit {
            $($(#[$doc])+ pub $field: Option<u64>,)+
        }

        impl ByLimit {
            /// The number of a limit.
            pub fn get(&self, limit: LimitName) -> Option<u64> {
                match limit {
                    $(LimitName::$name => self.$field,)+
                }
            }

            /// Sets the number of a limit.
            pub fn set(&mut self, limit: LimitName, number: Option<u64>) {
                match limit {
                    $(LimitName::$name => self.$field = number,)+
                }
            }
        }

        /// Attempts that each limit has refused.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[schemars(rename = "CouponRefusals")]
        pub struct Refusals {
            $(#[doc = concat!("Attempts that the limit `", stringify!($field), "` refused.")] pub $field: u64,)+
        }

        impl Refusals {
            /// Reads the number of each limit.
            pub fn of(mut read: impl FnMut(LimitName) -> u64) -> Self {
                Self { $($field: read(LimitName::$name),)+ }
            }

            /// The number of a limit.
            pub fn get(&self, limit: LimitName) -> u64 {
                match limit {
                    $(LimitName::$name => self.$field,)+
                }
            }
        }
    };
}

limits! {
    /// Coupons in all.
    Total           total             SALE Ever;
    /// Coupons of a user.
    PerUser         per_user          USER Ever;
    /// Coupons of a user on a day.
    PerUserPerDay   per_user_per_day  USER Day;
}

/// The limits of a sale, in the order in which they refuse: as it was opened, whatever limits programs know since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<(String, String, String)>", into = "Vec<(String, String, String)>")]
pub struct Table(Vec<Limit>);

impl Table {
    /// A table with these limits.
    pub fn new(limits: impl Into<Vec<Limit>>) -> Self {
        Self(limits.into())
    }

    /// Its limits.
    pub fn limits(&self) -> impl Iterator<Item = Limit> {
        self.0.iter().copied()
    }
}

impl From<Table> for Vec<(String, String, String)> {
    fn from(table: Table) -> Self {
        let words = |limit: Limit| [limit.name.name(), limit.scope.name, limit.window.name()].map(str::to_owned).into();
        table.limits().map(words).collect()
    }
}

impl TryFrom<Vec<(String, String, String)>> for Table {
    type Error = String;

    fn try_from(rows: Vec<(String, String, String)>) -> std::result::Result<Self, String> {
        let limit = |(name, scope, window): (String, String, String)| {
            let name = LimitName::from_name(&name)?;
            let scope = SCOPES.into_iter().find(|known| known.name == scope)?;
            let window = Window::ALL.into_iter().find(|known| known.name() == window)?;
            Some(Limit { name, scope, window })
        };
        let limits: Option<Vec<Limit>> = rows.into_iter().map(limit).collect();
        limits.map(Self).ok_or_else(|| "a limit that this program does not know".to_owned())
    }
}

impl LimitName {
    /// Its place in [`LIMITS`].
    pub const fn place(self) -> usize {
        self as usize
    }

    /// The limit with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        LIMITS.into_iter().map(|limit| limit.name).find(|limit| limit.name() == name)
    }
}

impl Refusals {
    /// By any limit.
    pub fn sum(&self) -> u64 {
        LIMITS.iter().map(|limit| self.get(limit.name)).sum()
    }
}

impl ByLimit {
    /// Checks that each is a limit that a sale may have.
    ///
    /// # Errors
    /// `bad_request`, naming the field and the limit.
    pub fn check(&self) -> Result<()> {
        self.check_from(|_| 1)
    }

    /// Like [`ByLimit::check`], of limits that are changed: 0 for the whole sale stops claims.
    ///
    /// # Errors
    /// As [`ByLimit::check`].
    pub fn check_edit(&self) -> Result<()> {
        self.check_from(|limit| u64::from(limit.scope != SALE))
    }

    fn check_from(&self, least: impl Fn(Limit) -> u64) -> Result<()> {
        let mut checks = Checks::default();
        for limit in LIMITS {
            let (name, least) = (limit.name.name(), least(limit));
            let number = self.get(limit.name).unwrap_or(least);
            checks.note(check_within(name, number, least..=MAX_LIMIT, " coupons, or be left out for no limit"));
        }
        checks.finish(Ok(()))
    }

    /// `total=1000 per_user=5 per_user_per_day=none`: as one text, which the ledger keeps.
    pub fn to_text(&self) -> String {
        edit_to_text(&LIMITS.map(|limit| (limit.name, self.get(limit.name))))
    }

    /// Reads [`ByLimit::to_text`].
    pub fn from_text(text: &str) -> Option<Self> {
        let mut limits = Self::default();
        for (name, number) in edit_from_text(text)? {
            limits.set(name, number);
        }
        Some(limits)
    }
}

/// An edit of limits: each limit that it changes, with its new maximum.
pub type Edit = Vec<(LimitName, Option<u64>)>;

/// An edit as the ledger keeps it, in the form of [`ByLimit::to_text`].
pub fn edit_to_text(edit: &[(LimitName, Option<u64>)]) -> String {
    let word = |(name, number): &(LimitName, Option<u64>)| {
        format!("{}={}", name.name(), number.map_or_else(|| "none".to_owned(), |number| number.to_string()))
    };
    edit.iter().map(word).collect::<Vec<String>>().join(" ")
}

/// Reads [`edit_to_text`].
pub fn edit_from_text(text: &str) -> Option<Edit> {
    let word = |word: &str| {
        let (name, number) = word.split_once('=')?;
        let number = if number == "none" { None } else { Some(number.parse().ok()?) };
        Some((LimitName::from_name(name)?, number))
    };
    text.split(' ').map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_at_its_place() {
        assert!(LIMITS.iter().enumerate().all(|(place, limit)| limit.name.place() == place));
        let table = Table::new(LIMITS);
        let rows: Vec<(String, String, String)> = table.clone().into();
        assert_eq!(rows[2], ("per_user_per_day".to_owned(), "user".to_owned(), "day".to_owned()));
        assert_eq!(Table::try_from(rows), Ok(table));
        let unknown = vec![("total".to_owned(), "city".to_owned(), "day".to_owned())];
        assert!(Table::try_from(unknown).is_err());
    }

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
        let none = ByLimit { total: Some(0), ..ByLimit::default() };
        assert!(none.check().is_err() && none.check_edit().is_ok(), "0 in all stops claims later");
        assert!(ByLimit { per_user: Some(0), ..none }.check_edit().is_err());
    }

    /// A fourth limit, for each city and hour: a row, and nothing else.
    mod with_cities {
        use super::*;

        pub const CITY: Scope = Scope { name: "city", place: 4 };

        limits! {
            /// Coupons in all.
            Total           total              SALE Ever;
            /// Coupons of a user.
            PerUser         per_user           USER Ever;
            /// Coupons of a user on a day.
            PerUserPerDay   per_user_per_day   USER Day;
            /// Coupons in a city in an hour.
            PerCityPerHour  per_city_per_hour  CITY Hour;
        }
    }

    #[test]
    fn a_fourth_limit_is_a_row_in_the_table() {
        use with_cities::{ByLimit, CITY, LIMITS, LimitName, Refusals};

        let rows = LIMITS.map(|limit| (limit.name.name(), limit.scope.name, limit.window.name()));
        assert_eq!(
            rows,
            [
                ("total", "sale", "ever"),
                ("per_user", "user", "ever"),
                ("per_user_per_day", "user", "day"),
                ("per_city_per_hour", "city", "hour")
            ]
        );
        let fourth = LIMITS[3];
        assert_eq!(fourth, Limit { name: LimitName::PerCityPerHour, scope: CITY, window: Window::Hour });
        // Its name in JSON is that in the table.
        for limit in LIMITS {
            assert_eq!(serde_json::to_value(limit.name).expect("a name"), limit.name.name());
        }

        let mut limits = ByLimit { per_user: Some(5), ..ByLimit::default() };
        limits.set(fourth.name, Some(100));
        assert_eq!(LIMITS.map(|limit| limits.get(limit.name)), [None, Some(5), None, Some(100)]);
        let json = serde_json::json!({
            "total": null, "per_user": 5, "per_user_per_day": null, "per_city_per_hour": 100
        });
        assert_eq!(serde_json::to_value(limits).expect("limits"), json);
        assert_eq!(serde_json::from_value::<ByLimit>(json).expect("limits"), limits);

        let refused = Refusals::of(|name| if name == fourth.name { 7 } else { 0 });
        assert_eq!(LIMITS.map(|limit| refused.get(limit.name)), [0, 0, 0, 7]);
    }
}
