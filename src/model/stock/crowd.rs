//! The behavior of simulated users at a sale of stock.

use crate::{
    Checks,
    crowd::{KindBehavior, check_share},
    error::Result,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most units that a user wants in one attempt.
pub const MOST_WANTED: u32 = 3;

/// The demand of users, and the fate of their orders. Shares are from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "StockBehavior")]
pub struct Behavior {
    /// Share of users who want two or three units; the others want one.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub several: f64,
    /// Share of orders that fail. Their units are given back at once.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub fail: f64,
}

impl Default for Behavior {
    fn default() -> Self {
        Self { several: 0.4, fail: 0.1 }
    }
}

impl KindBehavior for Behavior {
    fn check(&self) -> Result<()> {
        let mut checks = Checks::default();
        checks.note(check_share("several", self.several));
        checks.finish(check_share("fail", self.fail))
    }
}
