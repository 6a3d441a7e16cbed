//! The common parts of the snapshots of all kinds of sale.

use crate::{
    EventId, Millis, SaleState,
    crowd::Status,
    life::{Life, Phase},
};

/// A snapshot of a sale of any kind.
pub trait SaleSnapshot: Clone + Send + Sync + 'static {
    /// The id of the sale.
    fn sale(&self) -> &str;

    /// The last event that the snapshot reflects.
    fn event_id(&self) -> EventId;

    /// The state as in lists and badges, which distinguish "sold out".
    fn sale_state(&self) -> SaleState;

    /// The life of the sale: start, end, pause, texts.
    fn life(&self) -> &Life;

    /// The state at a time after the snapshot, as far as it follows from the time: a start and an end come without an
    /// event.
    fn sale_state_at(&self, now: Millis) -> SaleState {
        use SaleState::{Expired, Open, Paused, Scheduled, SoldOut};
        match self.sale_state() {
            state @ (Scheduled | Open | SoldOut | Paused) => match self.life().phase(now) {
                Phase::Scheduled => Scheduled,
                Phase::Paused => Paused,
                Phase::Ended => Expired,
                Phase::Open if state == SoldOut || state == Scheduled && self.left() == Some(0) => SoldOut,
                Phase::Open => Open,
            },
            state => state,
        }
    }

    /// The number of items left; `None` if there is no limit.
    fn left(&self) -> Option<u64>;

    /// The number of items in all; `None` if there is no limit.
    fn total(&self) -> Option<u64>;

    /// The number of items that users hold and may still lose; none where the kind has no holds.
    fn held(&self) -> u64 {
        0
    }

    /// The latest crowd at the sale, running or ended.
    fn crowd(&self) -> Option<&Status>;
}
