//! The lists of a sale according to its history: its own codes, with who has which, and the users who may claim.

use crate::coupon::{
    codes::{code_of, own_code},
    history::StoredTerms,
};
use model::{
    EventId,
    coupon::{List, Lists},
};
use std::collections::{HashMap, VecDeque};

/// The lists of a sale, as `codes`, `pending` and `invited` have them.
#[derive(Debug, Default)]
pub(super) struct ReplayedLists {
    /// The key of the codes that are made.
    key: String,
    /// For how many entries the sale was opened, and how many were uploaded.
    pub lists: Lists,
    /// The fields of `codes`.
    pub codes: HashMap<String, Named>,
    /// The entries of `pending`.
    pub pending: VecDeque<String>,
    /// The fields of `invited`.
    pub invited: HashMap<String, Listed>,
    /// The entries that a list had already.
    pub twice: i64,
}

/// A field of `codes`.
#[derive(Debug)]
pub(super) struct Named {
    /// The coupon, by its key in `coupons`; empty if nobody has the code.
    pub id: String,
    pub listed: Listed,
}

/// Since when something is listed, and whether the audit found it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed {
    pub since: EventId,
    pub seen: bool,
}

impl Listed {
    fn since(since: EventId) -> Self {
        Self { since, seen: false }
    }
}

impl ReplayedLists {
    /// The lists of a sale with these terms, of which nothing is uploaded yet.
    pub fn of(terms: &StoredTerms) -> Self {
        Self { key: terms.code_key.clone(), lists: terms.lists, ..Self::default() }
    }

    /// Whether the sale has own codes.
    pub fn has_own(&self) -> bool {
        self.lists.own_codes > 0
    }

    /// Whether a user may claim.
    pub fn is_invited(&self, user: &str) -> bool {
        self.lists.only_for == 0 || self.invited.contains_key(user)
    }

    /// Adds a part of a list.
    pub fn add(&mut self, since: EventId, list: List, entries: Vec<String>) {
        for entry in entries {
            let listed = Listed::since(since);
            let before = match list {
                List::Codes => {
                    let (reading, pending) = own_code(&entry);
                    self.lists.codes_uploaded += 1;
                    self.pending.push_back(pending);
                    self.codes.insert(reading, Named { id: String::new(), listed }).is_some()
                }
                List::Users => {
                    self.lists.users_uploaded += 1;
                    self.invited.insert(entry, listed).is_some()
                }
            };
            self.twice += i64::from(before);
        }
    }

    /// The key in `coupons` of the coupon of a request.
    pub fn id_of(&self, request_id: &str) -> String {
        code_of(&self.key, request_id)
    }

    /// The key in `coupons` of the coupon that a code and a request name, as in `lib/coupons.lua`.
    pub fn named(&self, code: &str, request_id: &str) -> Option<String> {
        let (reading, _) = own_code(code);
        let named = self.codes.get(&format!("{reading} {request_id}")).or_else(|| self.codes.get(&reading))?;
        (!named.id.is_empty()).then(|| named.id.clone())
    }

    /// Gives a code to a coupon. Returns whether the code was pending.
    pub fn give(&mut self, code: &str, id: &str) -> bool {
        let (reading, entry) = own_code(code);
        // Only where rows contradict each other, it is not the first.
        if self.pending.front() == Some(&entry) {
            self.pending.pop_front();
        } else {
            let Some(place) = self.pending.iter().position(|pending| *pending == entry) else { return false };
            self.pending.remove(place);
        }
        if let Some(named) = self.codes.get_mut(&reading) {
            named.id = id.to_owned();
        }
        true
    }

    /// Takes a code back, which somebody else may have then. These requests go on naming the coupon.
    pub fn take_back<'a>(&mut self, since: EventId, code: &str, id: &str, requests: impl Iterator<Item = &'a str>) {
        let (reading, entry) = own_code(code);
        for request_id in requests {
            let named = Named { id: id.to_owned(), listed: Listed::since(since) };
            self.codes.insert(format!("{reading} {request_id}"), named);
        }
        if let Some(named) = self.codes.get_mut(&reading) {
            named.id.clear();
        }
        self.pending.push_back(entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_that_comes_back_is_given_after_all_others_and_its_request_names_the_same_coupon() {
        let mut lists = ReplayedLists { lists: Lists::of(2, 0), ..ReplayedLists::default() };
        lists.add(EventId::default(), List::Codes, vec!["Summer-1".to_owned(), "SUMMER2".to_owned()]);
        assert!(lists.give("Summer-1", "A") && !lists.give("Summer-1", "B"));
        assert_eq!(lists.named("summer1", "r").as_deref(), Some("A"));
        lists.take_back(EventId::default(), "Summer-1", "A", ["r"].into_iter());
        assert_eq!(lists.pending, ["SUMMER2", "SUMMER1 Summer-1"]);
        assert!(lists.give("SUMMER2", "B") && lists.give("Summer-1", "C"));
        assert_eq!(["r", "s"].map(|request| lists.named("summer1", request).expect("a coupon")), ["A", "C"]);
        assert_eq!((lists.named("SUMMER3", "r"), lists.lists.is_whole(), lists.twice), (None, true, 0));
    }
}
