//! What the ledger requires of a kind of sale, so that ledger, audit and recovery work without knowing its rules.

use futures::future::{BoxFuture, FutureExt, ready};
use model::{Audit, Cents, EventId, Millis, OfKind, error::Result};
use serde::Serialize;
use std::sync::Arc;
use store::stream::Entry;

/// Interprets the entries of one sale's stream; the error says why an entry cannot be recorded.
pub type Interpreter = Arc<dyn Fn(&Entry) -> std::result::Result<Interpretation, String> + Send + Sync>;

/// One change of one item: a row of the ledger. Values that a client chose are stored unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Its outcome, defined by the kind: `opened`, `won`, `refunded`, …
    pub outcome: &'static str,
    /// The user, if the change has one.
    pub user: Option<String>,
    /// The id of the request that caused it, if there was one.
    pub request_id: Option<String>,
    /// The item, by its number, name or code; for a kind that counts, how many.
    pub item: Option<String>,
    /// The amount of money, in cents.
    pub cents: Cents,
    /// The order that it belongs to, for kinds that have orders.
    pub order: Option<String>,
    /// The name of the person that the item is for, if given.
    pub holder: Option<String>,
    /// What an order asked for, in the kind's own format, so that a recovery restores it; with its first row only.
    pub requested: Option<String>,
}

/// The content of one stream entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interpretation {
    /// When it happened.
    pub at: Millis,
    /// The changes, in the order of their places.
    pub changes: Vec<Change>,
    /// The terms of the sale in JSON, if the entry opens it. They are needed to rebuild the sale.
    pub terms: Option<String>,
    /// Nothing can happen to the sale after this.
    pub closes: bool,
    /// By how much it changes the quantity of the sale, for kinds that have one.
    pub delta: i64,
}

/// What a recovery does about entries that the ledger could not record: what they gave would be available again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadLetters {
    /// It refuses to rebuild the sale.
    Refuse,
    /// It rebuilds the sale without them, and says who was told what.
    GiveUp,
}

/// The result of a recovery.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Recovered {
    /// Items restored to their owners.
    pub won: u64,
    /// Items that are available again.
    pub waiting: u64,
    /// Conflicts: users whose item an earlier user has according to the ledger, one sentence each.
    pub conflicts: Vec<String>,
    /// What the oldest 100 of the dead letters say: who was told what, one sentence each.
    pub unrecorded: Vec<String>,
    /// The last entry that the ledger had; nothing after it is restored.
    pub upto: EventId,
    /// Entries that were in the stream when the writer last read it, but never reached the ledger.
    pub unseen: u64,
    /// Wins that Redis had counted and the ledger never recorded, those of dead letters included: what they gave is
    /// available again. 0 if Redis had lost its count, too.
    pub lost_wins: u64,
    /// Entries that could not be recorded in the ledger, and were given up: what they gave is available again.
    pub dead_letters: u64,
    /// When the writer last read it. What was acknowledged later is unknown.
    pub seen_at: Millis,
}

/// The parts of a sale whose keys must exist, beside its record and its events: a Redis that evicts deletes whole keys.
#[derive(Clone, Copy, Debug)]
pub struct LastingParts {
    /// From the opening on.
    pub from_opening: &'static [&'static str],
    /// Once something was given.
    pub once_given: &'static [&'static str],
}

impl LastingParts {
    /// Of a kind that this program does not know.
    pub const UNKNOWN: Self = Self { from_opening: &[], once_given: &[] };
}

/// A kind of sale, as the ledger sees it.
pub trait LedgerKind: OfKind + Send + Sync {
    /// Returns the interpreter for the entries of a sale's stream; an entry that it cannot interpret becomes a dead
    /// letter. Called once for many entries.
    ///
    /// # Errors
    /// The data needed to interpret them is unreachable: try again, nothing is lost.
    fn interpreter<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Interpreter>>;

    /// Whether the writer skips a sale for now: its entries wait in the stream, and the ledger falls behind.
    ///
    /// # Errors
    /// `unavailable`.
    fn is_paused<'a>(&'a self, _sale: &'a str) -> BoxFuture<'a, Result<bool>> {
        ready(Ok(false)).boxed()
    }

    /// The parts of a sale without which Redis has lost something of it.
    fn lasting(&self) -> &'static LastingParts;

    /// Audits a sale: Redis against itself, the ledger against itself, and each against the other.
    fn audit<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Audit>>;

    /// Rebuilds a sale that Redis has lost, from the ledger.
    fn recover<'a>(&'a self, sale: &'a str, dead_letters: DeadLetters) -> BoxFuture<'a, Result<Recovered>>;

    /// Processes whatever is due in one sale, if it answers. The script that does so suspends a sale of which something
    /// pending, held or taken is missing, which is found by counting.
    fn settle<'a>(&'a self, _sale: &'a str) -> BoxFuture<'a, ()> {
        ready(()).boxed()
    }

    /// Processes whatever is due in all sales of the kind (refunds, expiries). Returns how many were processed.
    fn sweep(&self) -> BoxFuture<'_, Result<u64>>;
}
