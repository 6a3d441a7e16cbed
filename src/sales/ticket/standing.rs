//! Where a sale stands, as pages show it.

use super::{Snapshot, State};

/// The state of a sale, with "sold out" told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Open,
    SoldOut,
    Suspended,
}

impl Standing {
    /// Of a sale in this state with so many free seats.
    pub fn of(state: State, remaining: u64) -> Self {
        match state {
            State::Suspended => Self::Suspended,
            State::Open if remaining == 0 => Self::SoldOut,
            State::Open => Self::Open,
        }
    }

    /// Of a sale in all its categories.
    pub fn of_snapshot(sale: &Snapshot) -> Self {
        Self::of(sale.state, sale.remaining.values().map(|left| u64::from(*left)).sum())
    }
}
