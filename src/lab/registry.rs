//! The strategies as they are shown. Shared by browser and server; what they do is the server's alone.

use super::{Anomaly, trace::Play};
use crate::domain::Verdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A strategy as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabStrategy")]
pub struct StrategyInfo {
    /// Its id.
    pub name: String,
    /// Where it comes from.
    pub source: String,
    /// Its file, from the root of the repository.
    pub file: String,
    /// The text of that file.
    pub code: String,
    /// How many servers its attempts are spread over, in turn.
    pub servers: u32,
    /// Whether a worker decides its attempts.
    pub has_worker: bool,
    /// The verdict that is expected of it.
    pub expected: Verdict,
    /// What can go wrong, each with a play that shows it. Every interleaving was played to find them.
    pub failures: Vec<KnownFailure>,
    /// The play in which two users take turns for one item, to the end of both; missing for mistakes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<Play>,
}

/// A way to break a strategy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabFailure")]
pub struct KnownFailure {
    /// What goes wrong.
    pub anomaly: Anomaly,
    /// The play that shows it, to the end of every attempt.
    pub play: Play,
}

impl StrategyInfo {
    /// The play that shows this anomaly, if it ever happens.
    pub fn failure(&self, anomaly: Anomaly) -> Option<&Play> {
        self.failures.iter().find(|failure| failure.anomaly == anomaly).map(|failure| &failure.play)
    }
}

/// Every strategy, in the order in which they are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabStrategies")]
pub struct Strategies {
    /// The strategies.
    pub strategies: Vec<StrategyInfo>,
    /// Mistakes around attempts (with cancellations, payments, caches and double clicks), which can be stepped through in
    /// the same way, and are part of no run.
    pub mistakes: Vec<StrategyInfo>,
}
