//! The requirements of the ledger on a kind of sale. With them, ledger, audit and recovery work without knowing its
//! rules.

use futures::future::{BoxFuture, FutureExt, ready};
use model::{Audit, Cents, EventId, Millis, OfKind, error::Result, ledger::Recovery};
use serde::Serialize;
use std::sync::Arc;
use store::stream::Entry;

/// Interprets the entries of one sale's stream. The error says why an entry cannot be recorded.
pub type Interpreter = Arc<dyn Fn(&Entry) -> std::result::Result<Interpretation, String> + Send + Sync>;

/// One change of one item: a row of the ledger. Values from clients are stored unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The outcome, defined by the kind: `opened`, `won`, `refunded`, …
    pub outcome: &'static str,
    /// The user, if the change has one.
    pub user: Option<String>,
    /// The id of the request that caused the change, if there was one.
    pub request_id: Option<String>,
    /// The item: its number, name or code. For a kind that counts, the quantity.
    pub item: Option<String>,
    /// The quantity, for kinds that count: what `item` says, as a number.
    pub quantity: Option<i64>,
    /// The amount of money, in cents.
    pub cents: Cents,
    /// The order of the change, for kinds that have orders.
    pub order: Option<String>,
    /// The name of the person that the item is for, if given.
    pub holder: Option<String>,
    /// The wishes of the order, in the kind's own format, so that a recovery restores them. Only on the order's first
    /// row. For a return, its own id, if it has one.
    pub requested: Option<String>,
    /// Why an operator made the change, if a reason was given.
    pub reason: Option<String>,
}

/// A part of a list that belongs to a sale. It is needed to rebuild the sale, and is no row of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListPart {
    /// The name of the list, defined by the kind.
    pub list: &'static str,
    /// Its entries, in their order.
    pub entries: Vec<String>,
}

/// The content of one stream entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interpretation {
    /// When it happened.
    pub at: Millis,
    /// The changes, in the order of their indexes.
    pub changes: Vec<Change>,
    /// The terms of the sale as JSON, if the entry opens it. They are needed to rebuild the sale.
    pub terms: Option<String>,
    /// The part of a list that the entry has.
    pub listed: Option<ListPart>,
    /// Whether the sale is over: nothing can happen to it after this entry.
    pub closes: bool,
    /// The change of the sale's quantity, for kinds that have one.
    pub delta: i64,
}

/// How a recovery treats entries that the ledger could not record. Their items would be available again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadLetters {
    /// The recovery refuses to rebuild the sale.
    Refuse,
    /// The recovery rebuilds the sale without them, and reports who got which answer.
    GiveUp,
}

/// The result of a recovery.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Recovered {
    /// The number of items restored to their owners.
    pub won: u64,
    /// The number of items that are available again.
    pub waiting: u64,
    /// Conflicts: users whose item belongs to an earlier user according to the ledger. One sentence each.
    pub conflicts: Vec<String>,
    /// The content of the oldest 100 dead letters: who got which answer. One sentence each.
    pub unrecorded: Vec<String>,
    /// The last entry in the ledger. Nothing after it is restored.
    pub upto: EventId,
    /// The number of entries that were in the stream when the writer last read it, but never reached the ledger.
    pub unseen: u64,
    /// The number of wins that Redis had counted and the ledger never recorded, including those in dead letters. Their
    /// items are available again. 0 if Redis had lost its count, too.
    pub lost_wins: u64,
    /// The number of entries that could not be recorded and were given up. Their items are available again.
    pub dead_letters: u64,
    /// The latest event that a server had seen and that is lost, if a server has suspended the sale for that.
    pub lost_event: Option<EventId>,
    /// When the writer last read the stream. Later answers are unknown.
    pub seen_at: Millis,
}

/// The most sentences that the ledger keeps of a recovery.
const DESCRIBED: usize = 20;

impl Recovered {
    /// What was not restored, for the ledger and the sale's page. `before` is what the latest recovery before it left
    /// there. If the sale has no events since then, that recovery was interrupted, and what it had counted counts.
    pub fn report(&self, at: Millis, before: Option<&Recovery>) -> Recovery {
        let before = before.filter(|before| before.upto == self.upto).cloned().unwrap_or_default();
        let mut described: Vec<String> = self.conflicts.iter().chain(&self.unrecorded).cloned().collect();
        described.truncate(DESCRIBED);
        Recovery {
            at,
            upto: self.upto,
            unseen: self.unseen.max(before.unseen),
            lost_wins: self.lost_wins.max(before.lost_wins),
            lost_event: self.lost_event.max(before.lost_event),
            given_up: self.dead_letters.max(before.given_up),
            conflicts: self.conflicts.len() as u64,
            described: if described.is_empty() { before.described } else { described },
        }
    }
}

/// The parts of a sale whose keys must exist, beside its record and its events. A Redis that evicts deletes whole keys.
#[derive(Clone, Copy, Debug)]
pub struct LastingParts {
    /// The parts that exist from the opening on.
    pub from_opening: &'static [&'static str],
    /// The parts that exist once something was given.
    pub once_given: &'static [&'static str],
}

impl LastingParts {
    /// The parts of a kind that this program does not know: none.
    pub const UNKNOWN: Self = Self { from_opening: &[], once_given: &[] };
}

/// The interface of a kind of sale for the ledger.
pub trait LedgerKind: OfKind + Send + Sync {
    /// Returns the interpreter for the entries of a sale's stream. An entry that it cannot interpret becomes a dead
    /// letter. Called once for many entries.
    ///
    /// # Errors
    /// The data needed for interpreting is unreachable. Try again: nothing is lost.
    fn interpreter<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Interpreter>>;

    /// Whether the writer skips a sale for now. Its entries wait in the stream, and the ledger falls behind.
    ///
    /// # Errors
    /// `unavailable`.
    fn is_paused<'a>(&'a self, _sale: &'a str) -> BoxFuture<'a, Result<bool>> {
        ready(Ok(false)).boxed()
    }

    /// The parts that every sale must have. If one is missing, Redis has lost part of the sale.
    fn lasting(&self) -> &'static LastingParts;

    /// Audits a sale: Redis and the ledger, each against itself and against the other.
    fn audit<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Audit>>;

    /// Rebuilds a sale that Redis has lost, from the ledger.
    fn recover<'a>(&'a self, sale: &'a str, dead_letters: DeadLetters) -> BoxFuture<'a, Result<Recovered>>;

    /// Processes everything due in one sale, if the sale answers. The script also counts: it suspends a sale if
    /// something pending, held or taken is missing.
    fn settle<'a>(&'a self, _sale: &'a str) -> BoxFuture<'a, ()> {
        ready(()).boxed()
    }

    /// Processes everything due (refunds, expiries) in all sales of the kind. Returns the number of processed items.
    fn sweep(&self) -> BoxFuture<'_, Result<u64>>;
}
