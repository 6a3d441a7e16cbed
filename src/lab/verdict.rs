//! The verdict on a strategy: the answers to attempts, compared with the records.

use model::{
    Verdict,
    lab::{Anomaly, Told},
};
use std::collections::{BTreeMap, BTreeSet};

/// The number of items of each user.
pub type Holdings = BTreeMap<String, u64>;

/// The answers to users.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// For each user, the number of answers that an item was won.
    pub won: Holdings,
    /// The users with the answer that they already have one.
    pub already: BTreeSet<String>,
    /// The users who were sent away: with the answer that nothing is left, or that the sale is busy.
    pub refused: BTreeSet<String>,
    /// The users whose order was cancelled or expired. What they give back may come too late for others.
    pub returned: BTreeSet<String>,
}

impl Answers {
    /// Notes the answer to a user.
    pub fn note(&mut self, user: String, told: Told) {
        match told {
            Told::Won => *self.won.entry(user).or_default() += 1,
            Told::Already => _ = self.already.insert(user),
            Told::SoldOut | Told::Busy => _ = self.refused.insert(user),
            Told::Cancelled | Told::Expired => _ = self.returned.insert(user),
        }
    }

    /// Adds the answers to other users.
    pub fn add(&mut self, other: Self) {
        for (user, won) in other.won {
            *self.won.entry(user).or_default() += won;
        }
        self.already.extend(other.already);
        self.refused.extend(other.refused);
        self.returned.extend(other.returned);
    }
}

/// The items given out, and the anomalies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finding {
    /// The number of items given out. For each user, the answers or the records count, whichever is more.
    pub given: u64,
    /// The number of items given out beyond the stock.
    pub oversold: u64,
    /// The number of users with more than one item.
    pub doubled: u64,
    /// The number of items that users have according to their answers, from this or an earlier attempt, but not
    /// according to any record.
    pub lost: u64,
    /// The number of items left for users who were sent away, and who have nothing. Items of orders that were cancelled
    /// or expired do not count.
    pub undersold: u64,
}

impl Finding {
    /// Compares the answers to users with the records.
    pub fn of(stock: u32, answers: &Answers, recorded: &Holdings) -> Self {
        let Answers { won, already, refused, returned } = answers;
        let users: BTreeSet<&String> = won.keys().chain(already).chain(recorded.keys()).collect();
        let mut finding = Self::default();
        for user in users {
            let count = |holdings: &Holdings| holdings.get(user).copied().unwrap_or(0);
            let (told, recorded) = (count(won), count(recorded));
            let given = told.max(recorded);
            finding.given += given;
            finding.doubled += u64::from(given > 1);
            let at_least = told.max(already.contains(user).into());
            finding.lost += at_least.saturating_sub(recorded);
        }
        let stock = u64::from(stock);
        finding.oversold = finding.given.saturating_sub(stock);
        let has_none = |user: &&String| !won.contains_key(*user) && recorded.get(*user).copied().unwrap_or(0) == 0;
        let turned_away = refused.iter().filter(has_none).count() as u64;
        finding.undersold = turned_away.min(stock.saturating_sub(finding.given + returned.len() as u64));
        finding
    }

    /// The anomalies that happened.
    pub fn anomalies(&self) -> Vec<Anomaly> {
        let happened = |anomaly: &Anomaly| match anomaly {
            Anomaly::Oversold => self.oversold > 0,
            Anomaly::Doubled => self.doubled > 0,
            Anomaly::Lost => self.lost > 0,
            Anomaly::Undersold => self.undersold > 0,
            // Depends on the remaining items; see [`is_drained`].
            Anomaly::Drained => false,
        };
        Anomaly::ALL.into_iter().filter(happened).collect()
    }

    /// Whether nothing went wrong.
    pub fn verdict(&self) -> Verdict {
        if self.anomalies().is_empty() { Verdict::Holds } else { Verdict::Broken }
    }
}

/// Whether there are items that are neither left nor held by a user.
pub fn is_drained(stock: u32, left: i64, recorded: &Holdings) -> bool {
    let held: u64 = recorded.values().sum();
    left.max(0).unsigned_abs() + held < u64::from(stock)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holdings(users: &[(&str, u64)]) -> Holdings {
        users.iter().map(|(user, count)| ((*user).to_owned(), *count)).collect()
    }

    #[test]
    fn what_was_told_and_what_is_recorded_both_count() {
        let finding = |stock, won: &[_], recorded: &[_]| {
            Finding::of(stock, &Answers { won: holdings(won), ..Answers::default() }, &holdings(recorded))
        };
        let fine = Finding { given: 2, ..Finding::default() };
        assert_eq!(finding(2, &[("ann", 1), ("bob", 1)], &[("ann", 1), ("bob", 1)]), fine);
        assert_eq!(fine.verdict(), Verdict::Holds);
        assert_eq!(finding(1, &[("ann", 1)], &[("ann", 1), ("bob", 1)]), Finding { oversold: 1, ..fine });
        assert_eq!(finding(2, &[("ann", 2)], &[("ann", 2)]), Finding { doubled: 1, ..fine });
        let overwritten = finding(2, &[("ann", 2)], &[("ann", 1)]);
        assert_eq!(overwritten, Finding { doubled: 1, lost: 1, ..fine });
        assert_eq!(overwritten.anomalies(), [Anomaly::Doubled, Anomaly::Lost]);
        assert_eq!(finding(2, &[("ann", 1), ("bob", 1)], &[("ann", 1)]), Finding { lost: 1, ..fine });
    }

    #[test]
    fn what_is_left_for_who_was_refused_and_has_nothing_is_undersold() {
        let finding = |stock, recorded: &[_], refused: &[&str]| {
            let mut answers = Answers { won: holdings(&[("ann", 1)]), ..Answers::default() };
            refused.iter().for_each(|user| answers.note((*user).to_owned(), Told::SoldOut));
            Finding::of(stock, &answers, &holdings(recorded))
        };
        let undersold = |stock, refused: &[&str]| finding(stock, &[("ann", 1)], refused).undersold;
        let mut busy = Answers::default();
        busy.note("ann".to_owned(), Told::Busy);
        assert_eq!(Finding::of(1, &busy, &Holdings::new()).undersold, 1, "who is told to come back has none either");
        assert_eq!(undersold(1, &["bob"]), 0, "nothing is left");
        assert_eq!(undersold(2, &[]), 0, "nobody was refused");
        assert_eq!(undersold(2, &["ann"]), 0, "who was refused has one");
        assert_eq!([undersold(2, &["bob", "cid"]), undersold(4, &["bob", "cid"])], [1, 2], "the fewer of both");
        let found = finding(2, &[("ann", 1)], &["bob"]);
        assert_eq!((found.anomalies(), found.verdict()), (vec![Anomaly::Undersold], Verdict::Broken));
        let mut answers = Answers::default();
        answers.note("ann".to_owned(), Told::Cancelled);
        answers.note("bob".to_owned(), Told::SoldOut);
        let of = |stock| Finding::of(stock, &answers, &Holdings::new()).undersold;
        assert_eq!([of(1), of(2)], [0, 1], "what was given back may have come too late");
        let recorded_only = finding(3, &[("ann", 1), ("bob", 1)], &["bob"]);
        assert_eq!(recorded_only, Finding { given: 2, ..Finding::default() });
    }

    #[test]
    fn what_is_neither_left_nor_held_is_drained() {
        let held = holdings(&[("ann", 1)]);
        assert_eq!(
            [(2, 1), (2, 0), (2, -1), (1, -3)].map(|(stock, left)| is_drained(stock, left, &held)),
            [false, true, true, false]
        );
    }

    #[test]
    fn who_is_told_to_have_one_has_one() {
        let finding = |recorded: &[_]| {
            let mut answers = Answers::default();
            answers.note("ann".to_owned(), Told::Already);
            Finding::of(2, &answers, &holdings(recorded))
        };
        assert_eq!(finding(&[("ann", 1)]), Finding { given: 1, ..Finding::default() });
        assert_eq!(finding(&[("bob", 1)]), Finding { given: 1, lost: 1, ..Finding::default() });
    }
}
