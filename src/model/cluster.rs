//! A Redis Cluster, as far as pages and probes show it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A cluster of which only some masters answer: the sales of the others can neither be read nor sold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PartialCluster {
    /// The number of masters that answer.
    pub answering: u32,
    /// The number of all masters.
    pub masters: u32,
}

impl fmt::Display for PartialCluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} masters answer", self.answering, self.masters)
    }
}
