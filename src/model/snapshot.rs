//! What the snapshots of all kinds of sale have in common.

use crate::{EventId, SaleState, crowd::Status};

/// A snapshot of a sale of any kind.
pub trait SaleSnapshot: Clone + Send + Sync + 'static {
    /// The id of the sale.
    fn sale(&self) -> &str;

    /// The last event that the snapshot reflects.
    fn event_id(&self) -> EventId;

    /// The state that lists and badges show, which distinguishes "sold out".
    fn sale_state(&self) -> SaleState;

    /// How many can still be got; `None` if there is no limit.
    fn left(&self) -> Option<u64>;

    /// How many there are in all; `None` if there is no limit.
    fn total(&self) -> Option<u64>;

    /// The latest crowd at the sale, running or over.
    fn crowd(&self) -> Option<&Status>;
}
