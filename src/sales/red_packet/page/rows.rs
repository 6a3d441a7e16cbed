//! The newest attempts, gathered from frames that overlap: which are new, in which order, how many to
//! keep.

use crate::sales::{
    Cents, Millis,
    red_packet::{Declined, Snapshot},
};
use std::{cmp::Reverse, collections::VecDeque};

/// Rows that are kept; older ones are forgotten.
pub const KEPT: usize = 200;

/// How an attempt was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Won,
    Repeat,
    SoldOut,
    Expired,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Won, Self::Repeat, Self::SoldOut, Self::Expired];
}

impl From<Declined> for Kind {
    fn from(declined: Declined) -> Self {
        match declined {
            Declined::Repeat => Self::Repeat,
            Declined::SoldOut => Self::SoldOut,
            Declined::Expired => Self::Expired,
        }
    }
}

/// What tells an attempt from every other of its sale.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Key {
    Packet(u32),
    Declined(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Counts rows as they came: stable, and different for each.
    pub serial: u64,
    pub user: String,
    pub kind: Kind,
    /// The packet and its cents, where one was won.
    pub packet: Option<(u32, Cents)>,
    pub at: Millis,
    key: Key,
}

/// The newest rows, newest first.
#[derive(Default)]
pub struct Rows {
    rows: VecDeque<Row>,
    /// What the last frame held. A frame holds the newest attempts, so what it shares with the last
    /// one is old, also when the row itself is already forgotten.
    last: Vec<Key>,
    /// Rows that ever came.
    pub seen: u64,
}

impl Rows {
    /// Takes over what is new in a frame.
    pub fn absorb(&mut self, frame: &Snapshot) {
        let won = frame.latest.iter().map(|claim| Row {
            serial: 0,
            user: claim.user.clone(),
            kind: Kind::Won,
            packet: Some((claim.packet, claim.cents)),
            at: claim.at,
            key: Key::Packet(claim.packet),
        });
        let declined = frame.declined.iter().map(|attempt| Row {
            serial: 0,
            user: attempt.user.clone(),
            kind: attempt.outcome.into(),
            packet: None,
            at: attempt.at,
            key: Key::Declined(attempt.id.clone()),
        });
        let mut rows: Vec<Row> = won.chain(declined).collect();
        let keys = rows.iter().map(|row| row.key.clone()).collect();
        rows.retain(|row| !self.last.contains(&row.key) && self.rows.iter().all(|kept| kept.key != row.key));
        self.last = keys;
        // Newest first, and those of one millisecond as the frame has them.
        rows.sort_by_key(|row| Reverse(row.at));
        for mut row in rows.into_iter().rev() {
            row.serial = self.seen;
            self.seen += 1;
            self.rows.push_front(row);
        }
        self.rows.truncate(KEPT);
    }

    /// At most `most` rows that `wanted` picks, newest first.
    pub fn pick(&self, most: usize, wanted: impl Fn(&Row) -> bool) -> Vec<Row> {
        self.rows.iter().filter(|row| wanted(row)).take(most).cloned().collect()
    }
}
