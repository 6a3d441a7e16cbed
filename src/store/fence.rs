//! Keeps a Redis that has lost its newest data from giving things away again before anybody has suspended the sale.
//!
//! A Redis may come back without its last second, or a replica without the newest writes may be promoted. So this
//! process remembers the latest event that it has seen of each sale, and sends it with every call that may change the
//! sale. The script (`lua/lib/fence.lua`) suspends a sale whose history lacks that event, and refuses the call. This
//! needs neither a database nor another server: each server guards its own answers.
//!
//! The script cannot decide if the event was trimmed meanwhile. This happens when the process has had no answer about
//! the sale for a while. Then the ledger is asked for that event ([`Records`]). Trimmed events were recorded, so an
//! unrecorded event was never in this Redis.

use crate::{
    keys,
    runtime::locked,
    script::{Script, script},
};
use futures::future::BoxFuture;
use model::{
    EventId,
    error::{Code, Error, Result},
};
use moka::{policy::EvictionPolicy, sync::Cache};
use std::{
    fmt,
    str::FromStr,
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};
use tokio::time::timeout;

/// Suspends a sale. The ledger calls it with what it knows of the sale.
pub static SUSPEND: Script = script!("ledger/suspend.lua");

/// The maximum number of remembered sales. The least recently used ones are forgotten.
const SALES: u64 = 100_000;

/// The latest state seen of a sale, as scripts receive and return it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Seen {
    /// The start of the sale's history: later with each opening and each recovery.
    generation: EventId,
    /// The latest event of that history.
    event: EventId,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.generation, self.event)
    }
}

impl FromStr for Seen {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (generation, event) = text.split_once(' ').unwrap_or((text, ""));
        Ok(Self { generation: generation.parse()?, event: event.parse()? })
    }
}

/// The time limit of the ledger's answer, for an attempt.
const WITHIN: Duration = Duration::from_secs(2);

/// The record of stream events: the ledger.
pub trait Records: Send + Sync {
    /// Whether an event of a sale was recorded. Returns true if the ledger is known to lack part of the sale, because
    /// then it cannot tell.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    fn has_recorded<'a>(&'a self, kind: &'a str, sale: &'a str, event: EventId) -> BoxFuture<'a, Result<bool>>;
}

/// The latest state that this process has seen of each sale.
pub(super) struct Fence {
    by_sale: Cache<String, Arc<Mutex<Option<Seen>>>>,
    records: OnceLock<Arc<dyn Records>>,
}

impl Default for Fence {
    fn default() -> Self {
        let by_sale = Cache::builder().max_capacity(SALES).eviction_policy(EvictionPolicy::lru()).build();
        Self { by_sale, records: OnceLock::new() }
    }
}

impl Fence {
    /// Sets the ledger that can tell about trimmed events. Only the first call counts.
    pub(super) fn ask(&self, records: Arc<dyn Records>) {
        self.records.set(records).ok();
    }

    /// The seen state as an argument, with the answer of the ledger about it.
    ///
    /// # Errors
    /// `ledger_unavailable` if the ledger gives no answer: nothing may be tried.
    pub(super) async fn looked_up(&self, kind: &str, sale: &str, seen: &str) -> Result<String> {
        let event = seen.parse::<Seen>()?.event;
        let asked = async {
            let records = self.records.get()?;
            timeout(WITHIN, records.has_recorded(kind, sale, event)).await.ok()?.ok()
        };
        match asked.await {
            Some(true) => Ok(format!("{seen} recorded")),
            Some(false) => Ok(format!("{seen} missing")),
            None => Err(Error::new(
                Code::LedgerUnavailable,
                format!(
                    "This server has had no answer about the sale \"{sale}\" for a while, and the ledger cannot be asked \
                     whether Redis has lost anything since. Nothing was tried; try again in a moment."
                ),
            )),
        }
    }

    /// The seen state of a sale, as an argument. Empty if there is none.
    pub(super) fn seen(&self, kind: &str, sale: &str) -> String {
        let seen = self.by_sale.get(&keys::name(kind, sale));
        let seen = seen.and_then(|seen| *locked(&seen));
        seen.map_or_else(String::new, |seen| seen.to_string())
    }

    /// The latest event of a sale that this process has seen.
    pub(super) fn latest_event(&self, kind: &str, sale: &str) -> Option<EventId> {
        let seen = self.by_sale.get(&keys::name(kind, sale))?;
        locked(&seen).map(|seen| seen.event)
    }

    /// Remembers the state in a reply. Replies may arrive late and out of order, so the latest event of the latest
    /// generation is kept.
    pub(super) fn saw(&self, kind: &str, sale: &str, seen: Seen) {
        let known = self.by_sale.get_with(keys::name(kind, sale), Arc::default);
        let mut known = locked(&known);
        *known = known.max(Some(seen));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_event_of_the_latest_generation_counts_in_whatever_order_replies_come() {
        let fence = Fence::default();
        assert_eq!(fence.seen("kind", "s"), "");
        for (reported, expected) in [
            ("5-0 7-0", "5-0 7-0"),
            ("5-0 10-2", "5-0 10-2"),
            ("5-0 9-3", "5-0 10-2"),
            ("8-0 8-0", "8-0 8-0"),
            ("5-0 11-0", "8-0 8-0"),
        ] {
            fence.saw("kind", "s", reported.parse().expect("what a script says"));
            assert_eq!(fence.seen("kind", "s"), expected, "after {reported}");
        }
        assert_eq!(fence.seen("kind", "other"), "");
        assert_eq!(fence.seen("other", "s"), "");
    }
}
