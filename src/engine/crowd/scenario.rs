//! What a crowd requires of a kind of sale.

use crate::crowd::run::Run;
use futures::future::{BoxFuture, FutureExt, ready};
use model::{
    Audit, OfKind,
    crowd::{Behavior, RunConfig},
    error::{Error, Result},
};
use std::{ops::Add, sync::Arc};
use tokio::time::Instant;

/// A kind of sale at which crowds can run.
pub trait CrowdKind: OfKind + Send + Sync {
    /// Reads the users' behavior from the fields of a request and checks it. Returns it with the defaults filled in;
    /// `None` if the kind has no such options.
    ///
    /// # Errors
    /// `bad_request`, naming the field.
    fn behavior(&self, fields: &Behavior) -> Result<Option<Behavior>> {
        match fields.keys().next() {
            Some(field) => Err(Error::unexpected_json(&format!("unknown field `{field}`"))),
            None => Ok(None),
        }
    }

    /// Prepares what users will do in a run.
    ///
    /// # Errors
    /// `unknown_sale`, `sale_opening`, `unavailable`.
    fn scenario<'a>(&'a self, config: &'a RunConfig) -> BoxFuture<'a, Result<Arc<dyn Scenario>>>;
}

/// What the users of one run do, and how the results are verified afterwards.
pub trait Scenario: Send + Sync {
    /// The names under which answers are counted; [`Run::note`] takes an index into them.
    fn answers(&self) -> &'static [&'static str];

    /// Everything that the user with this place in the queue does. `begun` is when it was due.
    fn visit<'a>(&'a self, run: &'a Arc<Run>, place: u32, begun: Instant) -> BoxFuture<'a, ()>;

    /// Waits until users who have arrived are done.
    fn settle(&self) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }

    /// Compares what users were told with what is stored; called again if it fails, or the audit after it.
    ///
    /// # Errors
    /// The reason why it could not be checked.
    fn compare<'a>(&'a self, run: &'a Run) -> BoxFuture<'a, Result<Discrepancies>>;

    /// The discrepancies that the subsequent audit found. Kinds with invariants of their own for these add them to
    /// those that all kinds share.
    fn audited(&self, audit: &Audit) -> Discrepancies {
        Discrepancies::of_audit(audit)
    }
}

/// Differences between what users were told and what is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Discrepancies {
    /// Items given out beyond those that exist.
    pub oversold: u64,
    /// Items given to two users, or users who got two.
    pub doubled: u64,
    /// Acknowledged, but not stored.
    pub lost: u64,
    /// Stored, but never acknowledged.
    pub unexpected: u64,
}

impl Discrepancies {
    /// Counts by the invariants that every kind has.
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
