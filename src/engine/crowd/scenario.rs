//! The requirements of crowds on a kind of sale.

use crate::crowd::{run::Run, supply::Supply};
use futures::future::{BoxFuture, FutureExt, ready};
use ledger::sale::LedgerSale;
use model::{
    Audit, Millis, OfKind,
    crowd::{Behavior, RunConfig},
    error::{Error, Result},
};
use std::{ops::Add, sync::Arc};
use tokio::time::Instant;

/// What is left in sales of a kind.
pub trait Remaining {
    /// The number of items left in a sale; `None` without a limit.
    ///
    /// # Errors
    /// `unavailable`.
    fn left<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Option<u64>>>;
}

/// A kind of sale at which crowds can run.
pub trait CrowdKind: OfKind + Remaining + Send + Sync {
    /// Reads the users' behavior from the fields of a request, and checks it. Returns it with the defaults filled in,
    /// or `None` if the kind has no such options.
    ///
    /// # Errors
    /// `bad_request`, naming the field.
    fn behavior(&self, fields: &Behavior) -> Result<Option<Behavior>> {
        match fields.keys().next() {
            Some(field) => Err(Error::unexpected_json(&format!("unknown field `{field}`"))),
            None => Ok(None),
        }
    }

    /// Prepares the scenario of a run.
    ///
    /// # Errors
    /// `unknown_sale`, `sale_opening`, `unavailable`.
    fn scenario<'a>(&'a self, config: &'a RunConfig) -> BoxFuture<'a, Result<Arc<dyn Scenario>>>;

    /// The outcome in the ledger by which a user gets something.
    fn given(&self) -> &'static str;

    /// What a sale, archived or not, had to give away until this time, and how the ledger says that it did.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    fn supply<'a>(&'a self, sale: &'a LedgerSale, until: Millis) -> BoxFuture<'a, Result<Supply>>;
}

/// The actions of the users of one run, and the verification of their results.
pub trait Scenario: Send + Sync {
    /// The names by which answers are counted. [`Run::note`] takes an index into them.
    fn answers(&self) -> &'static [&'static str];

    /// Runs the user at this position in the queue, with all of its attempts. `begun` is the time at which the user was
    /// due.
    fn visit<'a>(&'a self, run: &'a Arc<Run>, place: u32, begun: Instant) -> BoxFuture<'a, ()>;

    /// Waits until the users who have arrived are done.
    fn settle(&self) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }

    /// Compares the reported answers with the stored state. It is called again if it fails, or if the audit after it
    /// fails.
    ///
    /// # Errors
    /// The reason why the run could not be checked.
    fn compare<'a>(&'a self, run: &'a Run) -> BoxFuture<'a, Result<Discrepancies>>;

    /// The discrepancies that the subsequent audit found. Kinds with invariants of their own for these add them to the
    /// invariants that all kinds share.
    fn audited(&self, audit: &Audit) -> Discrepancies {
        Discrepancies::of_audit(audit)
    }
}

/// The differences between reported answers and stored state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Discrepancies {
    /// Items given out beyond those that exist.
    pub oversold: u64,
    /// Items given to two users, and users who got two.
    pub doubled: u64,
    /// Items that were acknowledged, but are not stored.
    pub lost: u64,
    /// Items that are stored, but were never acknowledged.
    pub unexpected: u64,
}

impl Discrepancies {
    /// The discrepancies by the invariants that every kind has.
    pub fn of_audit(audit: &Audit) -> Self {
        Self {
            oversold: 0,
            doubled: audit.excess("doubled"),
            lost: audit.excess("lost"),
            unexpected: audit.excess("unexpected"),
        }
    }
}

impl Add for Discrepancies {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            oversold: self.oversold + other.oversold,
            doubled: self.doubled + other.doubled,
            lost: self.lost + other.lost,
            unexpected: self.unexpected + other.unexpected,
        }
    }
}
