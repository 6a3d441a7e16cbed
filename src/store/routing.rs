//! The way of a call to the Redis that has its slot.
//!
//! Some answers of a cluster mean that nothing was tried: the slot is elsewhere, on its way, or has no master now. Then
//! the call looks for the right server, until its time is up. A lost connection means that the outcome is unknown, and
//! whoever made the call decides what to do.

use crate::{RESPONSE_TIMEOUT, Store, failure::is_full, keys, node::Node, slot::slot_of};
use redis::{ErrorKind, RedisError, RedisResult, ServerErrorKind};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

/// The pause before a call is tried again grows from the first to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);
/// A call that is sent on more often goes round in circles.
const MOST_REDIRECTIONS: usize = 5;

/// What a failed call means.
enum Failed<'a> {
    /// Nothing was tried: the slot is at this address.
    Moved(u16, &'a str),
    /// Nothing was tried, and it may succeed soon: the slot is on its way, has no master now, or its master is starting.
    NotYet,
    /// Anything else.
    Otherwise,
}

impl<'a> Failed<'a> {
    fn of(error: &'a RedisError) -> Self {
        use ServerErrorKind::{Ask, BusyLoading, ClusterDown, MasterDown, Moved, ReadOnly, TryAgain};
        match error.kind() {
            ErrorKind::Server(Moved) => {
                error.redirect_node().map_or(Self::NotYet, |(place, slot)| Self::Moved(slot, place))
            }
            // The slot is on its way. Its keys may be on either side, so no script can run (Redis Cluster Specification,
            // "Multi-key operations").
            ErrorKind::Server(Ask | TryAgain | ClusterDown | MasterDown | BusyLoading | ReadOnly) => Self::NotYet,
            _ if error.is_connection_refusal() => Self::NotYet,
            _ => Self::Otherwise,
        }
    }
}

impl Store {
    /// Whether a call has met a server that was not the right one, or not ready.
    pub(crate) fn is_elsewhere(&self, error: &RedisError) -> bool {
        self.is_cluster() && !matches!(Failed::of(error), Failed::Otherwise)
    }

    /// Sends a call to the master of its slot, or of the keys that belong to no sale. In a cluster, the call follows its
    /// slot, and waits for a master. A single Redis that has refused the connection is tried once more, as an earlier try
    /// may have failed, and it may be back since.
    pub(crate) async fn routed<T, Sent: Future<Output = RedisResult<T>>>(
        &self,
        slot: Option<u16>,
        send: impl Fn(Arc<Node>) -> Sent,
    ) -> RedisResult<T> {
        let topology = &self.inner.topology;
        let slot = slot.unwrap_or_else(|| slot_of(self.key(keys::SALES).as_bytes()));
        let deadline = Instant::now() + RESPONSE_TIMEOUT;
        let (mut pause, mut redirections, mut next) = (FIRST_PAUSE, 0, None::<Arc<Node>>);
        loop {
            let node = next.take().or_else(|| topology.layout().master_of(slot).cloned());
            let error = match &node {
                Some(node) => match send(node.clone()).await {
                    Ok(answer) => return Ok(answer),
                    Err(error) => {
                        if is_full(&error) {
                            node.note_full(true);
                        }
                        error
                    }
                },
                None => RedisError::from((ErrorKind::Server(ServerErrorKind::ClusterDown), "no master has this slot")),
            };
            if !topology.is_cluster() {
                if error.is_connection_refusal() && redirections == 0 {
                    redirections = 1;
                    continue;
                }
                return Err(error);
            }
            topology.note_stale();
            match Failed::of(&error) {
                Failed::Moved(slot, place) if redirections < MOST_REDIRECTIONS => {
                    redirections += 1;
                    next = node.as_ref().and_then(|node| topology.follow(slot, place, node));
                    if next.is_some() {
                        continue;
                    }
                }
                Failed::Moved(..) | Failed::NotYet => {}
                Failed::Otherwise => return Err(error),
            }
            if Instant::now() + pause >= deadline {
                return Err(error);
            }
            sleep(pause).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }
}
