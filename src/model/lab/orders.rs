//! Every order in which the attempts of a scene can take their steps. Shared by browser and server.

use crate::lab::Anomaly;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most orders that are listed.
pub const MOST_LISTED: usize = 1_000;
/// The most moments that the search for a client goes through, so that it takes about ten seconds at most.
pub const MOST_MOMENTS: usize = 4_000;
/// The same for a strategy with a database. Each play of it makes a file of its own.
pub const MOST_MOMENTS_SQL: usize = 400;

/// All orders in which the steps of a scene can be taken, until every attempt has its answer.
///
/// A step after which everything is as before is part of no order: time that passes while no lock can expire. Asking in
/// vain for a lock is a step: whoever does so waits until somebody else has taken one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabOrders")]
pub struct Orders {
    /// The id of the strategy or the mistake; or the program.
    pub strategy: String,
    /// The number of items.
    pub stock: u32,
    /// The user of each attempt, as in `LabPlay`.
    pub users: String,
    /// The number of orders; a lower bound if the search is not complete, as are all other counts. None exceeds
    /// 18,446,744,073,709,551,615.
    pub total: u64,
    /// The number of orders in which something goes wrong.
    pub broken: u64,
    /// The anomalies that happen, each with the number of orders that show it.
    pub anomalies: Vec<AnomalyCount>,
    /// The number of different moments that the search went through. Orders that lead to the same records, with the
    /// same replies to everybody, meet in the same moment.
    pub moments: u64,
    /// The shortest order in which something goes wrong; of several, the first by its letters. `null` if there is none.
    pub shortest: Option<String>,
    /// The orders by their letters, at most 1,000. If there are more, these are the first 500 in which something goes
    /// wrong and the first 500 others; if there are fewer of the one kind, more of the other.
    pub listed: Vec<Order>,
    /// Whether the search went through all orders; `false` if it reached its limit of 4,000 moments, of 400 for a
    /// strategy with a database, or of fewer than 4,000 for a long program.
    pub is_complete: bool,
}

/// How often an anomaly happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabAnomalyCount")]
pub struct AnomalyCount {
    /// The anomaly.
    pub anomaly: Anomaly,
    /// The number of orders that show it.
    pub orders: u64,
    /// The first of these orders by its letters.
    pub first: String,
}

/// An order of steps, and what goes wrong in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabOrder")]
pub struct Order {
    /// Who takes each step, as in `LabPlay`.
    pub schedule: String,
    /// The anomalies that happen in this order; none if nothing goes wrong.
    pub anomalies: Vec<Anomaly>,
}
