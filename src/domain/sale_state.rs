//! Where a sale stands.

use serde::{Deserialize, Serialize};

/// Where a sale of any kind stands, as lists and badges show it. `snake_case` in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SaleState {
    /// Still being filled; nobody can attempt anything yet.
    Opening,
    Open,
    /// Open, with nothing left.
    SoldOut,
    /// Past its time; what is left has not gone back yet.
    Expired,
    /// What was left went back.
    Refunded,
    /// Redis has lost what the ledger knows: no attempts until the sale is recovered.
    Suspended,
    /// Closed by an operator: no more attempts, what is pending ends as it would.
    Closed,
    /// Gone from Redis; its history is in the ledger.
    Archived,
}

impl SaleState {
    pub const ALL: [Self; 8] = [
        Self::Opening,
        Self::Open,
        Self::SoldOut,
        Self::Expired,
        Self::Refunded,
        Self::Suspended,
        Self::Closed,
        Self::Archived,
    ];

    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Open => "open",
            Self::SoldOut => "sold_out",
            Self::Expired => "expired",
            Self::Refunded => "refunded",
            Self::Suspended => "suspended",
            Self::Closed => "closed",
            Self::Archived => "archived",
        }
    }

    /// The state of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}
