//! The sample of refused attempts that the live view shows.

use super::Millis;
use serde::{Deserialize, Serialize};

/// An attempt that changed nothing, from the sample that the live view shows; `O` is how it was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclinedAttempt<O> {
    /// Unique within the sale: the sample's stream entry and the place in it.
    pub id: String,
    pub user: String,
    pub outcome: O,
    pub at: Millis,
}
