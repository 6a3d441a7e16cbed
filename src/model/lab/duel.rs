//! A duel: the same crowd at a strategy that fails and at the batched script, one after the other, with every award
//! recorded. Shared by browser and server.

use crate::{
    Millis,
    error::{Error, Result},
    lab::{Figures, Settings},
    url::with_query,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// The page of duels.
pub const PATH: &str = "/duel";
/// The strategies on the left. Each of them reads the stock, takes what it has read for the number of its item, and
/// fails.
pub const LEFT: [&str; 5] = [
    "read-check-write",
    "pipeline",
    "lock-in-process-two-servers",
    "setnx-lock-no-owner-check",
    "setnx-lock-short-lifetime",
];
/// The strategy on the right.
pub const RIGHT: &str = "batched-script";
/// The seed of the duel that the first page leads to.
pub const SEED: u64 = 7;
/// The number of items: a hall of 20 rows with 20 seats.
pub const ITEMS: u32 = 400;
/// The seeds of new crowds, which are short in links.
pub const NEW_SEEDS: RangeInclusive<u64> = 1..=9_999;
/// The number of intervals into which the time of a side is divided.
pub const INTERVALS: usize = 200;

/// What a duel is about: the strategy on the left, and the crowd.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Match {
    /// The id of the strategy on the left.
    pub left: String,
    /// The seed of the crowd.
    pub seed: u64,
}

impl Default for Match {
    fn default() -> Self {
        Self { left: LEFT[0].to_owned(), seed: SEED }
    }
}

impl Match {
    /// Checks the strategy on the left.
    ///
    /// # Errors
    /// `bad_request`, with the strategies that can be on the left.
    pub fn check(&self) -> Result<()> {
        if LEFT.contains(&self.left.as_str()) {
            return Ok(());
        }
        let sentence = format!("`{}` cannot be on the left; there are {}.", self.left, LEFT.join(", "));
        Err(Error::bad("left", sentence))
    }

    /// The settings of its run.
    pub fn settings(&self) -> Settings {
        // An attempt that waits for a lock of the whole sale takes a millisecond, and 20,000 of them too long to watch.
        let users = if self.left.starts_with("setnx-lock") { 2_000 } else { 20_000 };
        let strategies = vec![self.left.clone(), RIGHT.to_owned()];
        Settings { users, stock: ITEMS, seed: self.seed, strategies, ..Settings::default() }
    }

    /// The URL of the page that shows it.
    pub fn url(&self) -> String {
        with_query(PATH, [("left", Some(self.left.clone())), ("seed", Some(self.seed.to_string()))])
    }
}

/// A duel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabDuel")]
pub struct Duel {
    /// The settings of its run.
    pub settings: Settings,
    /// The time at which it was over.
    pub ended_at: Millis,
    /// The strategy that fails. It was run first.
    pub left: Side,
    /// The batched script.
    pub right: Side,
}

/// A strategy in a duel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabDuelSide")]
pub struct Side {
    /// The figures of the strategy, as of any run.
    pub figures: Figures,
    /// The time of the last answer, in microseconds after the start.
    pub took_us: u64,
    /// The attempts answered up to the end of each two hundredth of that time.
    pub answered: Vec<u32>,
    /// Every answer that an item was won, in the order of the answers.
    pub awards: Awards,
}

/// Awards, in columns: the nth entry of each belongs to the nth award.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabAwards")]
pub struct Awards {
    /// The time of the answer, in microseconds after the start.
    pub at_us: Vec<u64>,
    /// The number of the user: 7 is `user-7`.
    pub users: Vec<u32>,
    /// The number of the item, from 1: the stock that the attempt had read, or the number of the packet that it got.
    pub items: Vec<u32>,
}

impl Awards {
    /// The number of awards.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether nothing was won.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The users of each item in the order of their awards. The first entry belongs to item 1.
    pub fn holders(&self, items: u32) -> Vec<Vec<u32>> {
        let mut holders = vec![Vec::new(); items as usize];
        for (&item, &user) in self.items.iter().zip(&self.users) {
            if let Some(holders) = (item as usize).checked_sub(1).and_then(|place| holders.get_mut(place)) {
                holders.push(user);
            }
        }
        holders
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_fails_and_names_an_item_is_on_the_left() {
        let of = |left: &str| Match { left: left.to_owned(), ..Match::default() }.check();
        assert!(LEFT.into_iter().all(|left| of(left).is_ok()));
        let refused = of("script").expect_err("a refusal");
        assert_eq!(refused.field.as_deref(), Some("left"));
        assert!(refused.message.contains("`script` cannot be on the left; there are read-check-write, "), "{refused}");
    }

    #[test]
    fn a_match_is_in_its_link() {
        assert_eq!(Match::default().url(), "/duel?left=read-check-write&seed=7");
    }

    #[test]
    fn an_item_has_all_its_users() {
        let awards = Awards { at_us: vec![1, 2, 3], users: vec![5, 6, 5], items: vec![2, 2, 1] };
        assert_eq!(awards.holders(3), [vec![5], vec![5, 6], vec![]]);
    }
}
