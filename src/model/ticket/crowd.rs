//! The behavior of simulated users at a ticket sale.

use crate::{
    Checks,
    crowd::{KindBehavior, check_share, check_sum},
    error::{Error, Result},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The largest group of simulated users.
pub const LARGEST_PARTY: usize = 6;

/// The demand of users, and their decisions about held seats. Shares are from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "TicketBehavior")]
pub struct Behavior {
    /// Share of users who choose their seats; the others take the best available.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub choosers: f64,
    /// Relative weights of group sizes 1 to 6: six numbers from 0 to 1,000,000, not all 0.
    pub groups: [f64; LARGEST_PARTY],
    /// Share of users of best available seats who want to sit side by side.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub adjacent: f64,
    /// Share of choosers who all want the same best rows.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub hot: f64,
    /// Share of holders who pay. Holders who neither pay nor cancel let the order expire.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub pay: f64,
    /// Share of holders who cancel.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub cancel: f64,
}

impl Default for Behavior {
    fn default() -> Self {
        Self { choosers: 0.3, groups: [1.0, 4.0, 1.0, 2.0, 0.5, 0.5], adjacent: 0.9, hot: 0.2, pay: 0.8, cancel: 0.1 }
    }
}

impl KindBehavior for Behavior {
    fn check(&self) -> Result<()> {
        let Self { choosers, groups, adjacent, hot, pay, cancel } = self;
        let shares = [("choosers", choosers), ("adjacent", adjacent), ("hot", hot), ("pay", pay), ("cancel", cancel)];
        let mut checks = Checks::default();
        for (field, share) in shares {
            checks.note(check_share(field, *share));
        }
        checks.note(check_sum([("pay", *pay), ("cancel", *cancel)]));
        let is_weight = |weight: &f64| (0.0..=1e6).contains(weight);
        if !groups.iter().all(is_weight) || groups.iter().sum::<f64>() <= 0.0 {
            let why = "`groups` must be six weights for groups of 1 to 6, each from 0 to 1,000,000, and not all 0.";
            checks.note::<()>(Err(Error::bad("groups", why)));
        }
        checks.finish(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::wrong_fields;

    #[test]
    fn all_shares_at_fault_are_named() {
        let all = Behavior { choosers: -1.0, hot: 2.0, groups: [0.0; LARGEST_PARTY], ..Behavior::default() };
        assert_eq!(wrong_fields(all.check()), ["choosers", "hot", "groups"]);
        let both = Behavior { pay: 0.8, cancel: 0.3, ..Behavior::default() };
        assert_eq!(wrong_fields(both.check()), ["cancel"]);
        let more = Behavior { pay: 2.0, cancel: 0.3, ..Behavior::default() };
        assert_eq!(wrong_fields(more.check()), ["pay"], "nothing follows from it for the other");
    }
}
