//! The replay of a run that is over: what it gave away, in order.

use crate::url::with_query;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The page of replays.
pub const PATH: &str = "/replay";
/// The most transfers that a replay lists.
pub const MOST_TRANSFERS: usize = 100_000;

/// The URL of the page with the replay of a run.
pub fn url(run: &str) -> String {
    with_query(PATH, [("run", Some(run))])
}

/// What a run gave away, as the ledger recorded it. What it refused is in the course of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunReplay")]
pub struct Replay {
    /// The id of the run.
    pub run: String,
    /// The number of items that the run could get: those that were left at its start, and those that were added while
    /// it lasted; `null` without a limit, or while the ledger does not know the sale.
    pub items: Option<u64>,
    /// The items that changed hands, by their names in the ledger, in their own order if they have one. Empty if the
    /// kind of the sale counts.
    pub names: Vec<String>,
    /// What changed hands at the sale while the run lasted, in order: at most the first 100,000 transfers.
    pub transfers: Transfers,
    /// Whether there were more transfers.
    pub is_cut: bool,
    /// Whether the ledger had recorded all of them. If not, ask again in a moment.
    pub is_recorded: bool,
}

/// Transfers, in columns: the nth entry of each belongs to the nth transfer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunTransfers")]
pub struct Transfers {
    /// The time, in milliseconds after the start of the run.
    pub at_ms: Vec<u64>,
    /// The number of the user in the crowd, from 0: the user `u7-…` has the number 7. `null` for others than the crowd.
    pub users: Vec<Option<u32>>,
    /// The item, by its index in `names`. Empty if the kind of the sale counts.
    pub items: Vec<u32>,
    /// The number of items: positive if the user got them, negative if they came back.
    pub quantities: Vec<i64>,
}

impl Transfers {
    /// The number of transfers.
    pub fn len(&self) -> usize {
        self.at_ms.len()
    }

    /// Whether nothing changed hands.
    pub fn is_empty(&self) -> bool {
        self.at_ms.is_empty()
    }
}
