//! The newest attempts, collected from overlapping frames: new ones are detected, ordered, and kept up to a limit.

use model::{
    Cents, Millis,
    red_packet::{Declined, Snapshot},
};
use std::{collections::VecDeque, mem};

/// The number of rows that are kept; older ones are dropped.
pub const KEPT: usize = 200;

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    Won,
    Repeat,
    SoldOut,
    Expired,
    Closed,
    NotOpen,
    Paused,
}

impl AttemptOutcome {
    /// Every outcome, in the order of the toggles.
    pub const ALL: [Self; 7] =
        [Self::Won, Self::Repeat, Self::SoldOut, Self::Expired, Self::Closed, Self::NotOpen, Self::Paused];
}

impl From<Declined> for AttemptOutcome {
    fn from(declined: Declined) -> Self {
        match declined {
            Declined::Repeat => Self::Repeat,
            Declined::SoldOut => Self::SoldOut,
            Declined::Expired => Self::Expired,
            Declined::Closed => Self::Closed,
            Declined::NotOpen => Self::NotOpen,
            Declined::Paused => Self::Paused,
        }
    }
}

/// The identity of an attempt within its sale.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Key {
    Packet(u32),
    Declined(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The number of the row in order of arrival: stable and unique.
    pub serial: u64,
    pub user: String,
    pub outcome: AttemptOutcome,
    /// The packet and its cents, if one was won.
    pub packet: Option<(u32, Cents)>,
    pub at: Millis,
    key: Key,
}

/// The newest rows, newest first.
#[derive(Clone, Default, PartialEq)]
pub struct Rows {
    rows: VecDeque<Row>,
    /// The attempts of the last frame. A frame holds the newest attempts, so those it shares with the last one are old,
    /// even if their rows are dropped already.
    last: Vec<Key>,
    /// The number of rows ever received.
    pub seen: u64,
}

impl Rows {
    /// Adds the new attempts of a frame, which has two lists, each with its newest first.
    pub fn absorb(&mut self, frame: &Snapshot) {
        let won = frame.latest.iter().map(|claim| Row {
            serial: 0,
            user: claim.user.clone(),
            outcome: AttemptOutcome::Won,
            packet: Some((claim.packet, claim.cents)),
            at: claim.at,
            key: Key::Packet(claim.packet),
        });
        let declined = frame.declined.iter().map(|attempt| Row {
            serial: 0,
            user: attempt.user.clone(),
            outcome: attempt.outcome.into(),
            packet: None,
            at: attempt.at,
            key: Key::Declined(attempt.id.clone()),
        });
        let (mut won, mut declined): (Vec<Row>, Vec<Row>) = (won.collect(), declined.collect());
        let held = won.iter().chain(&declined).map(|row| row.key.clone()).collect();
        let last = mem::replace(&mut self.last, held);
        // From the oldest on; within a millisecond, the wins come first.
        loop {
            let wins = match (won.last(), declined.last()) {
                (Some(won), Some(declined)) => won.at <= declined.at,
                (won, None) if won.is_none() => break,
                (won, _) => won.is_some(),
            };
            if let Some(row) = if wins { won.pop() } else { declined.pop() }
                && !last.contains(&row.key)
            {
                self.push(row);
            }
        }
        self.rows.truncate(KEPT);
    }

    fn push(&mut self, row: Row) {
        if self.rows.iter().all(|kept| kept.key != row.key) {
            self.rows.push_front(Row { serial: self.seen, ..row });
            self.seen += 1;
        }
    }

    /// Returns at most `most` rows that `wanted` accepts, newest first.
    pub fn pick(&self, most: usize, wanted: impl Fn(&Row) -> bool) -> Vec<Row> {
        self.rows.iter().filter(|row| wanted(row)).take(most).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::red_packet::{Claim, DeclinedAttempt};

    fn frame(won: &[(u32, Millis)], declined: &[(&str, Millis)]) -> Snapshot {
        let claim = |&(packet, at): &(u32, Millis)| Claim { user: "a".to_owned(), packet, cents: 1, at };
        let attempt = |&(id, at): &(&str, Millis)| DeclinedAttempt {
            id: id.to_owned(),
            user: "b".to_owned(),
            outcome: Declined::Repeat,
            at,
        };
        Snapshot {
            latest: won.iter().map(claim).collect(),
            declined: declined.iter().map(attempt).collect(),
            ..empty()
        }
    }

    fn empty() -> Snapshot {
        serde_json::from_str(
            r#"{"sale":"s","state":"open","splitter":"equal","total_cents":9,"count":9,"opened_at":0,"expires_at":9,
            "pending":9,"pending_cents":9,"claimed":0,"claimed_cents":0,"refunded":0,"refunded_cents":0,
            "outcomes":{"won":0,"repeat":0,"sold_out":0,"expired":0,"closed":0,"not_open":0,"paused":0},"luckiest":null,
            "life":{"now":0,"opens_at":null,"ends_at":9,"pause":null,"title":{},"description":{},"currency":"CNY"},
            "histogram":{"width":1,"counts":[]},"latest":[],"declined":[],"calls":0,"crowd":null,"event_id":"0-0"}"#,
        )
        .unwrap()
    }

    fn shown(rows: &Rows) -> Vec<Millis> {
        rows.pick(usize::MAX, |_| true).iter().map(|row| row.at).collect()
    }

    #[test]
    fn frames_that_overlap_are_put_together_newest_first() {
        let mut rows = Rows::default();
        rows.absorb(&frame(&[(2, 30), (1, 10)], &[("x", 20)]));
        rows.absorb(&frame(&[(3, 50), (2, 30)], &[("y", 40), ("x", 20)]));
        assert_eq!(shown(&rows), [50, 40, 30, 20, 10]);
        assert_eq!(rows.seen, 5);
    }

    #[test]
    fn what_was_forgotten_does_not_come_back_as_news() {
        let mut rows = Rows::default();
        let ids: Vec<String> = (0..2 * KEPT).map(|id| id.to_string()).collect();
        for (id, at) in ids.iter().zip(100..) {
            rows.absorb(&frame(&[(1, 10)], &[(id, at)]));
        }
        assert_eq!(rows.pick(usize::MAX, |row| row.outcome == AttemptOutcome::Won), []);
        assert_eq!(shown(&rows).len(), KEPT);
    }
}
