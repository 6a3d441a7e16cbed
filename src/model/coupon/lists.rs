//! The lists of a sale, uploaded in parts after the opening: its own codes, and the users who may claim.

use crate::{
    Checks, check_new_id, check_within,
    coupon::codes::check_own_code,
    error::{Error, Result},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The most entries of a list.
pub const MAX_LISTED: u64 = 1_000_000;
/// The most entries of a part of a list, which takes Redis some milliseconds.
pub const LISTED_AT_A_TIME: usize = 2_048;

/// The lists of a sale: for how many entries it was opened, and how many were uploaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CouponLists")]
pub struct Lists {
    /// The number of own codes; 0 if codes are made for each claim.
    pub own_codes: u64,
    /// The number of users who may claim; 0 if everybody may.
    pub only_for: u64,
    /// The own codes that were uploaded so far.
    pub codes_uploaded: u64,
    /// The users that were uploaded so far.
    pub users_uploaded: u64,
}

impl Lists {
    /// The lists of a sale that is opened now.
    pub fn of(own_codes: u64, only_for: u64) -> Self {
        Self { own_codes, only_for, ..Self::default() }
    }

    /// The lists of a request. One that is left out is none; a length of 0 is a mistake, as a sale for an empty list of users
    /// would be open to everybody.
    ///
    /// # Errors
    /// `bad_request`, naming the field.
    pub fn given(own_codes: Option<u64>, only_for: Option<u64>) -> Result<Self> {
        let length = |field: &str, given: Option<u64>| match given {
            Some(0) => Err(Error::bad(field, format!("`{field}` is 0; leave it out for a sale without that list."))),
            given => Ok(given.unwrap_or_default()),
        };
        let mut checks = Checks::default();
        let own_codes = checks.value(length("own_codes", own_codes));
        let only_for = checks.value(length("only_for", only_for));
        checks.finish(Ok(Self::of(own_codes, only_for)))
    }

    /// Checks the lengths.
    ///
    /// # Errors
    /// `bad_request`, naming the field and the limit.
    pub fn check(&self) -> Result<()> {
        let mut checks = Checks::default();
        checks.note(check_within("own_codes", self.own_codes, 0..=MAX_LISTED, " codes"));
        checks.finish(check_within("only_for", self.only_for, 0..=MAX_LISTED, " users"))
    }

    /// Whether the sale has none.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Whether all parts were uploaded.
    pub fn is_whole(&self) -> bool {
        self.missing() == 0
    }

    /// The entries that were not uploaded yet.
    pub fn missing(&self) -> u64 {
        (self.own_codes + self.only_for).saturating_sub(self.codes_uploaded + self.users_uploaded)
    }

    /// The most coupons in all, with this limit for the sale: there are no more than own codes.
    pub fn most(&self, total: Option<u64>) -> Option<u64> {
        let own = (self.own_codes > 0).then_some(self.own_codes);
        total.into_iter().chain(own).min()
    }

    /// How many entries of each list the sale was opened for, with a blank between, as in its event.
    pub fn to_text(&self) -> String {
        format!("{} {}", self.own_codes, self.only_for)
    }

    /// All four numbers with blanks between, as `meta` has them.
    pub fn to_meta(&self) -> String {
        format!("{} {} {}", self.to_text(), self.codes_uploaded, self.users_uploaded)
    }

    /// Reads [`Self::to_text`] and [`Self::to_meta`].
    pub fn from_text(text: &str) -> Option<Self> {
        let numbers: Option<Vec<u64>> = text.split(' ').map(|number| number.parse().ok()).collect();
        match numbers?[..] {
            [own_codes, only_for] => Some(Self::of(own_codes, only_for)),
            [own_codes, only_for, codes_uploaded, users_uploaded] => {
                Some(Self { own_codes, only_for, codes_uploaded, users_uploaded })
            }
            _ => None,
        }
    }
}

/// A list of a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Own codes.
    Codes,
    /// Users who may claim.
    Users,
}

impl List {
    /// Its name in JSON and in Redis.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Codes => "codes",
            Self::Users => "users",
        }
    }

    /// The list with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Codes, Self::Users].into_iter().find(|list| list.name() == name)
    }
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The list.
    pub list: List,
    /// The place of its first entry in the list, from 1.
    pub first: u64,
    /// Its entries.
    pub entries: Vec<String>,
}

impl Part {
    /// The part in a request, which has either own codes or users.
    ///
    /// # Errors
    /// `bad_request`, naming the field.
    pub fn given(first: u64, codes: Option<Vec<String>>, users: Option<Vec<String>>) -> Result<Self> {
        match (codes, users) {
            (Some(codes), None) => Ok(Self { list: List::Codes, first, entries: codes }),
            (None, Some(users)) => Ok(Self { list: List::Users, first, entries: users }),
            _ => Err(Error::bad("codes", "Give either `codes` or `users`: a part belongs to one list.")),
        }
    }

    /// Checks the place, the number of entries, and each entry: its form, and that no other is compared alike.
    ///
    /// # Errors
    /// `bad_request`, naming the field, and the first entry at fault by its place in the list.
    pub fn check(&self) -> Result<()> {
        let Self { list, first, entries } = self;
        let field = list.name();
        let mut checks = Checks::default();
        checks.note(check_within("first", *first, 1..=MAX_LISTED, ""));
        let count = entries.len();
        if !(1..=LISTED_AT_A_TIME).contains(&count) {
            let why = format!("`{field}` has {count} entries; it must have 1 to {LISTED_AT_A_TIME}.");
            checks.note::<()>(Err(Error::bad(field, why)));
        }
        let mut known = HashSet::with_capacity(entries.len());
        for (entry, place) in entries.iter().zip(*first..) {
            let compared = match list {
                List::Codes => check_own_code(field, entry),
                List::Users => check_new_id(field, entry).map(|()| entry.clone()),
            };
            let compared = compared
                .and_then(|compared| if known.insert(compared) { Ok(()) } else { Err(named_twice(*list, entry)) });
            if let Err(error) = compared {
                checks.note::<()>(Err(Error::bad(field, format!("Entry {place} of {}", error.message))));
                break;
            }
        }
        checks.finish(Ok(()))
    }
}

/// The error for an entry that a list has already.
pub fn named_twice(list: List, entry: &str) -> Error {
    let (field, why) = match list {
        List::Codes => ("codes", ", or a code that is read alike; each own code is given once"),
        List::Users => ("users", "; each user is named once"),
    };
    Error::bad(field, format!("`{field}` has \"{entry}\" already{why}."))
}

/// The answer to an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CouponUploaded")]
pub struct Uploaded {
    /// The lists of the sale.
    #[serde(flatten)]
    pub lists: Lists,
    /// Whether the same part was uploaded before. Nothing changed then.
    pub existed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::wrong_fields;

    fn codes(entries: &[&str]) -> Part {
        Part { list: List::Codes, first: 1, entries: entries.iter().map(|entry| (*entry).to_owned()).collect() }
    }

    #[test]
    fn lists_are_read_as_they_are_written() {
        let lists = Lists::of(5, 7);
        assert_eq!((lists.to_text().as_str(), Lists::from_text("5 7")), ("5 7", Some(lists)));
        let begun = Lists { codes_uploaded: 5, users_uploaded: 6, ..lists };
        assert_eq!(begun.to_meta(), "5 7 5 6");
        assert_eq!((Lists::from_text("5 7 5 6"), begun.missing(), begun.is_whole()), (Some(begun), 1, false));
        assert!(["", "5", "5 7 5", "5 x", "5 7 5 6 0"].iter().all(|text| Lists::from_text(text).is_none()));
    }

    #[test]
    fn there_are_no_more_coupons_than_own_codes() {
        assert_eq!([Some(9), Some(3), None].map(|total| Lists::of(5, 7).most(total)), [Some(5), Some(3), Some(5)]);
        assert_eq!([Some(9), None].map(|total| Lists::of(0, 7).most(total)), [Some(9), None]);
    }

    #[test]
    fn a_part_names_each_once_and_as_it_may_be_typed() {
        assert_eq!(wrong_fields(codes(&["SUMMER-1", "SUMMER-2"]).check()), [""; 0]);
        for wrong in [&["SUMMER-1", "summer1"][..], &["SUMMER-1", "券"], &["ab"], &[]] {
            assert_eq!(wrong_fields(codes(wrong).check()), ["codes"], "{wrong:?}");
        }
        let twice = Part { list: List::Users, ..codes(&["ann", "bob", "ann"]) };
        let error = twice.check().expect_err("refused");
        assert_eq!(error.message, "Entry 3 of `users` has \"ann\" already; each user is named once.");
        assert_eq!(wrong_fields(Part { first: 0, ..codes(&["SUMMER-1"]) }.check()), ["first"]);
        let both = Part::given(1, Some(Vec::new()), Some(Vec::new()));
        assert_eq!(
            (wrong_fields(both), wrong_fields(Part::given(1, None, None))),
            (vec!["codes".into()], vec!["codes".into()])
        );
    }
}
