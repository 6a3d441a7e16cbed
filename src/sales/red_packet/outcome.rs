//! The outcomes that the ledger records for a red packet sale.

pub const OPENED: &str = "opened";
pub const WON: &str = "won";
/// Closed early by an operator.
pub const CLOSED: &str = "closed";
pub const REFUNDED: &str = "refunded";
pub const RECOVERED: &str = "recovered";
