//! The behavior of simulated users at a sale of coupons.

use crate::{
    Checks,
    crowd::{KindBehavior, check_share, check_sum},
    error::Result,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The number of claims of a greedy user.
pub const GREEDY_CLAIMS: u32 = 3;

/// The behavior of simulated users with coupons. Shares are from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "CouponBehavior")]
pub struct Behavior {
    /// Share of users who claim three coupons; the others claim one.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub greedy: f64,
    /// Share of coupons that are redeemed at once.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub redeem: f64,
    /// Share of coupons that are given back at once.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub give_back: f64,
}

impl Default for Behavior {
    fn default() -> Self {
        Self { greedy: 0.2, redeem: 0.3, give_back: 0.1 }
    }
}

impl KindBehavior for Behavior {
    fn check(&self) -> Result<()> {
        let Self { greedy, redeem, give_back } = self;
        let mut checks = Checks::default();
        for (field, share) in [("greedy", greedy), ("redeem", redeem), ("give_back", give_back)] {
            checks.note(check_share(field, *share));
        }
        checks.finish(check_sum([("redeem", *redeem), ("give_back", *give_back)]))
    }
}
