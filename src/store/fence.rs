//! Keeps a Redis that has lost its newest data from giving things away again, while nobody has suspended the sale yet.
//!
//! A Redis may come back without its last second, or a replica be promoted that lacked the newest writes. So this process
//! remembers how far it has seen each sale, and sends that along with every call that may change the sale. The script
//! (`lua/lib/fence.lua`) suspends a sale whose history lacks what the caller has seen, and refuses. No database is asked
//! for that, and no other server: each guards what it has answered itself.

use super::keys;
use crate::{domain::EventId, runtime::locked};
use moka::{policy::EvictionPolicy, sync::Cache};
use std::{
    fmt,
    str::FromStr,
    sync::{Arc, Mutex},
};

/// Sales that are remembered, the most recently used ones.
const SALES: u64 = 100_000;

/// How far a sale has been seen, as scripts receive it and return it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Seen {
    /// When the sale's history began: later with each opening and each recovery.
    generation: EventId,
    /// The latest event in it.
    event: EventId,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.generation, self.event)
    }
}

impl FromStr for Seen {
    type Err = crate::error::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (generation, event) = text.split_once(' ').unwrap_or((text, ""));
        Ok(Self { generation: generation.parse()?, event: event.parse()? })
    }
}

/// How far this process has seen each sale.
pub(super) struct Fence {
    by_sale: Cache<String, Arc<Mutex<Option<Seen>>>>,
}

impl Default for Fence {
    fn default() -> Self {
        Self { by_sale: Cache::builder().max_capacity(SALES).eviction_policy(EvictionPolicy::lru()).build() }
    }
}

impl Fence {
    /// What has been seen of a sale, as an argument; empty if nothing has.
    pub(super) fn seen(&self, kind: &str, sale: &str) -> String {
        let seen = self.by_sale.get(&keys::name(kind, sale));
        let seen = seen.and_then(|seen| *locked(&seen));
        seen.map_or_else(String::new, |seen| seen.to_string())
    }

    /// Remembers what a reply says. Replies may come out of order, and late: the latest of the latest generation counts.
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
