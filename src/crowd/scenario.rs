//! What a crowd asks of a kind of sale.

use super::{Behavior, RunConfig, run::Run};
use crate::{
    domain::{Audit, OfKind},
    error::Result,
};
use futures::future::{BoxFuture, FutureExt, ready};
use std::{ops::Add, sync::Arc};
use tokio::time::Instant;

/// A kind of sale that crowds can come to.
pub trait CrowdKind: OfKind + Send + Sync {
    /// Reads how users behave from the fields of a request, and checks it. Returns it with the defaults filled in;
    /// `None` where all users behave alike.
    ///
    /// # Errors
    /// `bad_request`, naming the field.
    fn behavior(&self, _fields: &Behavior) -> Result<Option<Behavior>> {
        Ok(None)
    }

    /// Prepares what users will do in a run.
    ///
    /// # Errors
    /// `unknown_sale`, `sale_opening`, `unavailable`.
    fn scenario<'a>(&'a self, config: &'a RunConfig) -> BoxFuture<'a, Result<Arc<dyn Scenario>>>;
}

/// What the users of one run do, and how it is verified afterwards what became of that.
pub trait Scenario: Send + Sync {
    /// The names of the answers, as they are counted: [`Run::note`] takes a place among them.
    fn answers(&self) -> &'static [&'static str];

    /// All that the user with this place in the line does. `begun` is when it was due.
    fn visit<'a>(&'a self, run: &'a Arc<Run>, place: u32, begun: Instant) -> BoxFuture<'a, ()>;

    /// Waits for what users still do who have come.
    fn settle(&self) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }

    /// Compares what users were told with what is there.
    ///
    /// # Errors
    /// Whatever kept it from looking.
    fn compare<'a>(&'a self, run: &'a Run) -> BoxFuture<'a, Result<Discrepancies>>;

    /// What the sale's audit, made after that, found of the same. Kinds whose invariants say more than the names that
    /// all kinds share add theirs.
    fn audited(&self, audit: &Audit) -> Discrepancies {
        Discrepancies::of_audit(audit)
    }
}

/// How much is not as users were told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Discrepancies {
    pub oversold: u64,
    pub doubled: u64,
    pub lost: u64,
    pub unexpected: u64,
}

impl Discrepancies {
    /// By the invariants that every kind has.
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
