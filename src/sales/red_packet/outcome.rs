//! What the ledger records of a red packet sale: one word for each kind of change.

pub const OPENED: &str = "opened";
pub const WON: &str = "won";
/// Closed by an operator before its time.
pub const CLOSED: &str = "closed";
pub const REFUNDED: &str = "refunded";
pub const RECOVERED: &str = "recovered";
