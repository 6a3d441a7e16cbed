//! The levels of the lesson: who competes for what by which strategy, and what the learner is to bring about.

use crate::lab::learn::words::{LevelWords, Words};
use model::lab::Anomaly::{self, Doubled, Drained, Lost, Oversold, Undersold};

/// What ends a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// An order of steps with this anomaly.
    Break(Anomaly),
    /// The insight that there is none: no order has any anomaly.
    Survive,
    /// A guess of how many orders break it.
    Guess,
}

/// A level.
#[derive(Clone, Copy)]
pub struct Level {
    /// Its name in the kept progress.
    pub id: &'static str,
    /// The strategy or the mistake.
    pub strategy: &'static str,
    pub stock: u32,
    /// The users of the attempts, as in a play.
    pub users: &'static str,
    pub goal: Goal,
    /// The fewest steps that reach the goal; 0 where there is nothing to reach. `tests/lab/lesson.rs` searches for it.
    pub par: usize,
    pub words: fn(&'static Words) -> &'static LevelWords,
}

/// A level, in the order of its fields.
macro_rules! level {
    ($id:literal, $strategy:literal, $stock:literal, $users:literal, $goal:expr, $par:literal, $words:ident) => {
        Level {
            id: $id,
            strategy: $strategy,
            stock: $stock,
            users: $users,
            goal: $goal,
            par: $par,
            words: |words| &words.$words,
        }
    };
}

/// The places of the levels for five minutes: the mistake, how common it is, a lock that expires, and the way out.
pub const SHORT: [usize; 4] = [0, 1, 5, 9];

/// The number of levels of the lesson; those after them are exercises.
pub const LESSON: usize = 10;

/// Every level, in order: the lesson, and then exercises.
pub const LEVELS: [Level; 15] = [
    level!("twice", "read-check-write", 1, "12", Goal::Break(Oversold), 8, twice),
    level!("how-many", "read-check-write", 1, "12", Goal::Guess, 0, how_many),
    level!("together", "pipeline", 2, "11", Goal::Break(Doubled), 8, together),
    level!("memory", "lock-in-process", 1, "12", Goal::Survive, 0, memory),
    level!("two-servers", "lock-in-process-two-servers", 1, "12", Goal::Break(Oversold), 10, two_servers),
    level!("lifetime", "setnx-lock-short-lifetime", 1, "12", Goal::Break(Oversold), 15, lifetime),
    level!("whose", "setnx-lock-no-owner-check", 2, "123", Goal::Break(Oversold), 22, whose),
    level!("undersold", "decr-incr", 2, "112", Goal::Break(Undersold), 7, undersold),
    level!("watch", "watch-multi-exec", 1, "12", Goal::Survive, 0, watch),
    level!("one-step", "script", 1, "12", Goal::Survive, 0, one_step),
    level!("unread", "user-lock-guard-unread", 1, "12", Goal::Break(Lost), 12, unread),
    level!("cancelled", "cancel-replayed", 1, "1123", Goal::Break(Oversold), 10, cancelled),
    level!("paid", "pay-against-expire", 1, "12", Goal::Break(Oversold), 9, paid),
    level!("rebuilt", "rebuild-against-deduction", 1, "12", Goal::Break(Oversold), 12, rebuilt),
    level!("drained", "deduct-before-dedupe", 2, "112", Goal::Break(Drained), 5, drained),
];
