//! The strategies as they are shown. Shared by browser and server; what they do is the server's alone.

use crate::{
    Verdict,
    lab::{Anomaly, trace::Play},
};
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
    /// For each anomaly that never happens, a play in which it could and does not.
    pub safe: Vec<Safe>,
    /// Every interleaving of these was played, or as many as it took to find all anomalies; none for mistakes.
    pub scenes: Vec<Scene>,
    /// The test that played them; missing for mistakes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
}

/// A play in which something does not go wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabSafe")]
pub struct Safe {
    /// What does not go wrong.
    pub anomaly: Anomaly,
    /// The play, to the end of every attempt.
    pub play: Play,
}

/// Who comes for how much, in whatever order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabScene")]
pub struct Scene {
    /// Items to get.
    pub stock: u32,
    /// The user of each attempt; see `LabPlay`.
    pub users: String,
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

    /// How many attempts the largest of its scenes has.
    pub fn most_attempts(&self) -> usize {
        self.scenes.iter().map(|scene| scene.users.chars().count()).max().unwrap_or_default()
    }

    /// The play in which this anomaly could happen and does not, if it never does.
    pub fn safe(&self, anomaly: Anomaly) -> Option<&Play> {
        self.safe.iter().find(|safe| safe.anomaly == anomaly).map(|safe| &safe.play)
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
