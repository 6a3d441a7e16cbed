//! What the ledger asks of a kind of sale, so that ledger, audit and recovery work without knowing its rules.

use crate::{
    domain::{Audit, Cents, EventId, Millis, OfKind},
    error::Result,
    store::stream::Entry,
};
use futures::future::BoxFuture;
use serde::Serialize;
use std::sync::Arc;

/// Interprets the entries of one sale's stream; the error is the reason, in words, why an entry cannot be recorded.
pub type Interpreter = Arc<dyn Fn(&Entry) -> std::result::Result<Interpretation, String> + Send + Sync>;

/// One change to one thing: a row of the ledger. What the client chose stands here as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// `opened`, `won`, `refunded`, …: one word, the kind's own.
    pub outcome: &'static str,
    pub user: Option<String>,
    pub request_id: Option<String>,
    /// What changed hands: the number of a packet, a seat, a code.
    pub item: Option<String>,
    pub cents: Cents,
    /// The order that it belongs to, where things are bought in orders.
    pub order: Option<String>,
    /// Who the thing is for, where that is named.
    pub holder: Option<String>,
}

/// What one stream entry says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interpretation {
    pub at: Millis,
    pub changes: Vec<Change>,
    /// Where the entry opens the sale: its terms, JSON. They are what it takes to rebuild the sale.
    pub terms: Option<String>,
    /// Nothing can happen to the sale after this.
    pub closes: bool,
}

/// The result of a recovery.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Recovered {
    /// What is back: of red packets the claims, and the packets that can be claimed again; of tickets the seats that
    /// somebody has, and those that are free.
    pub won: u64,
    pub waiting: u64,
    /// Winners whose item an earlier winner has, in the words of the ledger: nobody can have both.
    pub conflicts: Vec<String>,
    /// The last entry that the ledger had: nothing after it is back.
    pub upto: EventId,
    /// Entries that were in the stream when the writer last looked, and never reached the ledger.
    pub unseen: u64,
    /// When that was. What was acknowledged later is unknown.
    pub seen_at: Millis,
}

/// A kind of sale, as the ledger knows it.
pub trait LedgerKind: OfKind + Send + Sync {
    /// Returns what interprets the entries of a sale's stream; an entry that it cannot interpret becomes a dead letter.
    /// Asked once for many entries.
    ///
    /// # Errors
    /// What it takes to interpret them is out of reach: try again, nothing is lost.
    fn interpreter<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Interpreter>>;

    /// Audits a sale: Redis against itself, the ledger against itself, one against the other.
    fn audit<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Audit>>;

    /// Rebuilds a sale that Redis has lost, from the ledger.
    fn recover<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Recovered>>;

    /// Does what is due in all sales of the kind (refunds, expiries). Returns how much was done.
    fn sweep(&self) -> BoxFuture<'_, Result<u64>>;
}
