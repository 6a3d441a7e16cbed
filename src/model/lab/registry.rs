//! The descriptions of the strategies, shared by browser and server. Their implementations are in the server only.

use crate::{
    Verdict,
    lab::{Anomaly, trace::Play},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The description of a strategy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabStrategy")]
pub struct StrategyInfo {
    /// The id of the strategy.
    pub name: String,
    /// The source from which the strategy was taken.
    pub source: String,
    /// The path of its file, from the root of the repository.
    pub file: String,
    /// The text of that file.
    pub code: String,
    /// The number of servers over which its attempts are spread, in turn.
    pub servers: u32,
    /// Whether a worker decides the attempts.
    pub has_worker: bool,
    /// The expected verdict of the strategy.
    pub expected: Verdict,
    /// The known failures, each with a play that shows it. They were found by playing every interleaving.
    pub failures: Vec<KnownFailure>,
    /// The play in which two users take turns for one item until both have ended; left out for mistakes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<Play>,
    /// For each anomaly that never happens, a play in which it could happen but does not.
    pub safe: Vec<Safe>,
    /// The scenes, of which all interleavings were played. Mistakes have none.
    pub scenes: Vec<Scene>,
    /// The test that played the scenes; left out for mistakes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
}

/// A play in which an anomaly does not happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabSafe")]
pub struct Safe {
    /// The anomaly that does not happen.
    pub anomaly: Anomaly,
    /// The play, to the end of every attempt.
    pub play: Play,
}

/// The stock and the users of attempts, in any order of steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabScene")]
pub struct Scene {
    /// The number of items.
    pub stock: u32,
    /// The user of each attempt, as in `LabPlay`.
    pub users: String,
}

/// A failure of a strategy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabFailure")]
pub struct KnownFailure {
    /// The anomaly.
    pub anomaly: Anomaly,
    /// The play that shows the anomaly, to the end of every attempt.
    pub play: Play,
}

impl StrategyInfo {
    /// The play that shows this anomaly; `None` if it never happens.
    pub fn failure(&self, anomaly: Anomaly) -> Option<&Play> {
        self.failures.iter().find(|failure| failure.anomaly == anomaly).map(|failure| &failure.play)
    }

    /// The number of attempts in the largest scene.
    pub fn most_attempts(&self) -> usize {
        self.scenes.iter().map(|scene| scene.users.chars().count()).max().unwrap_or_default()
    }

    /// The play in which this anomaly could happen but does not; `None` if it happens somewhere.
    pub fn safe(&self, anomaly: Anomaly) -> Option<&Play> {
        self.safe.iter().find(|safe| safe.anomaly == anomaly).map(|safe| &safe.play)
    }
}

/// All strategies, in the order of display.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabStrategies")]
pub struct Strategies {
    /// The strategies.
    pub strategies: Vec<StrategyInfo>,
    /// Mistakes around attempts: with cancellations, payments, caches and double clicks. They can be stepped through
    /// like strategies, and are part of no run.
    pub mistakes: Vec<StrategyInfo>,
}
