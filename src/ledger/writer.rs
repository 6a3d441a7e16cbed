//! The writer: follows the streams of all sales and records them in the ledger.
//!
//! One process writes at a time, by a lease. Another takes over when it falls silent. The ledger itself stores the
//! recorded position in each stream. The writer reads on from there, in order, and the transaction refuses a writer
//! that assumes another position (`apply.rs`). Entries are not delivered to consumers that might die with them, so
//! nothing ever has to be reclaimed. The consumer group only publishes the recorded position.

mod follower;
mod lease;
pub mod steps;

pub(super) use follower::add;

use crate::{
    database::Ledger,
    feed::Feed,
    kind::LedgerKind,
    writer::{
        follower::{Context, Follower},
        lease::Lease,
        steps::Steps,
    },
};
use futures::{FutureExt, StreamExt, future::join_all, stream::FuturesUnordered};
use model::error::Result;
use std::{collections::HashSet, sync::Arc, time::Duration};
use store::{Store, runtime::Clock};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// The time between looks for masters that are new.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Records the streams of all servers.
pub struct Writer {
    context: Arc<Context>,
    feed: Feed,
    followers: Vec<Follower>,
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Another process holds the lease.
    Standby,
    /// There was nothing to write.
    Idle,
    /// Entries were recorded.
    Wrote { entries: u64, rows: u64 },
    /// Nothing was recorded: since this process read the ledger's position, another process has written, or a sale was
    /// recovered. The next step reads the position again.
    Overtaken,
}

impl Step {
    /// What two followers did together.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Wrote { entries, rows }, Self::Wrote { entries: more_entries, rows: more_rows }) => {
                Self::Wrote { entries: entries + more_entries, rows: rows + more_rows }
            }
            (Self::Overtaken, _) | (_, Self::Overtaken) => Self::Overtaken,
            (wrote @ Self::Wrote { .. }, _) | (_, wrote @ Self::Wrote { .. }) => wrote,
            (Self::Idle, _) | (_, Self::Idle) => Self::Idle,
            (Self::Standby, Self::Standby) => Self::Standby,
        }
    }
}

impl Writer {
    /// A writer for these kinds of sale. `process` is the name of its process in the lease; its followers take part in
    /// `steps`.
    pub fn new(
        store: Store,
        ledger: Ledger,
        kinds: Arc<[Arc<dyn LedgerKind>]>,
        clock: Arc<dyn Clock>,
        process: String,
        steps: Steps,
    ) -> Self {
        let (feed, lease) = (Feed::new(store.clone(), ledger.clone()), Lease::new(store.clone(), process));
        let context = Arc::new(Context { store, ledger, kinds, clock, lease, steps });
        Self { context, feed, followers: Vec::new() }
    }

    /// Writes until `shutdown`, then gives the lease back.
    pub async fn run(self, shutdown: CancellationToken) {
        let (mut running, mut followed) = (FuturesUnordered::new(), HashSet::new());
        while !shutdown.is_cancelled() {
            for address in self.context.store.masters().addresses {
                if followed.insert(address.clone()) {
                    let follower = Follower::new(self.context.clone(), address.clone());
                    running.push(follower.run(shutdown.clone()).map(|()| address));
                }
            }
            tokio::select! {
                Some(ended) = running.next() => {
                    followed.remove(&ended);
                }
                () = sleep(LOOK_EVERY) => {}
            }
        }
        while running.next().await.is_some() {}
        self.context.lease.give_up().await;
    }

    /// Reads and records entries once. Waits at most `block` for them.
    ///
    /// # Errors
    /// `unavailable`, `ledger_unavailable`: the step may be repeated at once.
    pub async fn step(&mut self, block: Duration) -> Result<Step> {
        let masters = self.context.store.masters().addresses;
        self.followers.retain(|follower| masters.contains(&follower.address));
        for address in masters {
            if self.followers.iter().all(|follower| follower.address != address) {
                self.followers.push(Follower::new(self.context.clone(), address));
            }
        }
        let steps = join_all(self.followers.iter_mut().map(|follower| follower.step(block))).await;
        steps.into_iter().try_fold(Step::Standby, |all, step| Ok(all.and(step?)))
    }

    /// Records all waiting entries, step by step.
    ///
    /// # Errors
    /// As [`Writer::step`].
    pub async fn catch_up(&mut self) -> Result<()> {
        self.feed.claim(false).await?;
        while matches!(self.step(Duration::ZERO).await?, Step::Wrote { .. } | Step::Overtaken) {}
        Ok(())
    }

    /// The number of UPDATEs of positions and quantities in all transactions so far, without those of entries recorded
    /// one by one.
    pub fn updates(&self) -> u64 {
        self.followers.iter().map(|follower| follower.updates).sum()
    }

    /// Gives the lease back, so that another process can write.
    pub async fn give_up(&mut self) {
        self.context.lease.give_up().await;
        self.followers.clear();
    }
}
