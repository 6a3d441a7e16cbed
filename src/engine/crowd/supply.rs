//! What the rows of the ledger say about the supply of a sale, for the replays of runs.

use model::{EventId, Millis};

/// What a sale had to give away until the end of a run, and the outcomes in the ledger by which it changed hands.
pub struct Supply {
    /// The number of items in all; `None` without a limit.
    pub total: Option<u64>,
    /// The outcome by which a user gets items.
    pub given: &'static str,
    /// The outcomes by which they come back, to be given away again.
    pub returned: &'static [&'static str],
    /// Whether a row is about a quantity, which its item says, instead of one item.
    pub is_counted: bool,
    /// The place of an item among all, by its name. Items at the same place keep the order in which they were given.
    pub place: Box<dyn Fn(&str) -> u64 + Send + Sync>,
}

/// The position before all events after this time.
pub fn end_of(at: Millis) -> EventId {
    EventId { millis: at.saturating_add(1).cast_unsigned(), sequence: 0 }
}
