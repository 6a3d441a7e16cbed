//! What a kind of sale registers, so that ledger, audit and recovery can work without its rules.

use crate::{
    domain::{Audit, Cents, EventId, Millis},
    error::Result,
    store::stream::Entry,
};
use serde::Serialize;
use std::{future::Future, pin::Pin, sync::Arc};

/// A future that can be asked of any kind.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// Reads entries of one sale's stream: what each says, or the reason, in words, why it cannot be applied.
pub type Interpreter = Arc<dyn Fn(&Entry) -> std::result::Result<Reading, String> + Send + Sync>;

/// One change to one thing, as an entry tells it. What the client chose stands here as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// `opened`, `won`, `refunded`, …: one word, the kind's own.
    pub outcome: &'static str,
    pub user: Option<String>,
    pub request_id: Option<String>,
    /// What changed hands: the number of a packet, a seat, a code.
    pub item: Option<String>,
    pub cents: Cents,
    /// The order that it belongs to, where things are bought in orders.
    pub order: Option<String>,
    /// Who the thing is for, where that is said.
    pub holder: Option<String>,
}

/// What one stream entry says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// When it happened, epoch milliseconds.
    pub at: Millis,
    pub lines: Vec<Line>,
    /// The terms of the sale, JSON, where the entry opens it: what it takes to build the sale anew.
    pub terms: Option<String>,
    /// Nothing can happen to the sale after this.
    pub closes: bool,
}

/// What became of a recovery.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Recovered {
    /// What is back: of red packets the claims, and the packets that wait again; of tickets the seats that are
    /// somebody's, and those that are free.
    pub won: u64,
    pub waiting: u64,
    /// Winners whose item an earlier winner has, in the words of the ledger: nobody can have both.
    pub conflicts: Vec<String>,
    /// The last entry that the ledger had: nothing after it is back.
    pub upto: EventId,
    /// Entries that were in the stream when the writer last looked, and never reached the ledger.
    pub unseen: u64,
    /// When that was. What was acknowledged later is not known to anybody.
    pub seen_at: Millis,
}

/// A kind of sale, as the ledger knows it.
pub trait Book: Send + Sync {
    /// The kind, as it stands in keys.
    fn kind(&self) -> &'static str;

    /// What reads the entries of a sale's stream; an entry that it cannot read is set aside with the reason.
    /// Asked once for many entries.
    ///
    /// # Errors
    /// What it takes to read them is out of reach: it is to be tried again, and nothing is set aside.
    fn interpreter<'a>(&'a self, sale: &'a str) -> Later<'a, Interpreter>;

    /// Audits a sale: Redis against itself, the ledger against itself, one against the other.
    fn audit<'a>(&'a self, sale: &'a str) -> Later<'a, Audit>;

    /// Builds a sale anew that Redis has lost, from the ledger.
    fn recover<'a>(&'a self, sale: &'a str) -> Later<'a, Recovered>;

    /// Does what has become due in all sales of the kind (refunds, expiries); says how much was done.
    fn sweep(&self) -> Later<'_, u64>;
}
