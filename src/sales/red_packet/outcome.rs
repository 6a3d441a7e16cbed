//! The outcomes that the ledger records for a red packet sale.

/// The sale was opened.
pub const OPENED: &str = "opened";
/// A user won a packet.
pub const WON: &str = "won";
/// Closed early by an operator.
pub const CLOSED: &str = "closed";
/// The unclaimed money was refunded.
pub const REFUNDED: &str = "refunded";
/// The sale was recovered from the ledger.
pub const RECOVERED: &str = "recovered";
