//! What an operator can do next with a sale: close it, and then archive it.

use crate::closing::{api, words::words};
use model::{SaleState, error::Result};

/// The next step of a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// It is running, or about to.
    Close,
    /// It is over.
    Archive,
}

impl Step {
    /// Returns the possible step for a sale in this state.
    pub fn of(state: SaleState) -> Option<Self> {
        match state {
            SaleState::Scheduled | SaleState::Open | SaleState::SoldOut | SaleState::Paused | SaleState::Expired => {
                Some(Self::Close)
            }
            SaleState::Closed | SaleState::Refunded => Some(Self::Archive),
            SaleState::Opening | SaleState::Suspended | SaleState::Archived => None,
        }
    }

    /// Takes the step.
    pub async fn send(self, kind: String, sale: String) -> Result<Self> {
        match self {
            Self::Close => api::close(kind, sale).await.map(drop)?,
            Self::Archive => api::archive(kind, sale).await.map(drop)?,
        }
        Ok(self)
    }

    /// Returns what a sale is after it.
    pub fn done(self) -> &'static str {
        match self {
            Self::Close => words().closed,
            Self::Archive => words().archived,
        }
    }

    /// Returns the sentence for how many sales it succeeded, and for how many it failed.
    pub fn result(self) -> fn(u64, u64) -> String {
        match self {
            Self::Close => words().closed_several,
            Self::Archive => words().archived_several,
        }
    }
}
