//! What the ledger records of a ticket sale: one word for each kind of change.

pub const OPENED: &str = "opened";
pub const HELD: &str = "held";
pub const PAID: &str = "paid";
/// A payment that came after the order's end, and went back.
pub const LATE: &str = "late";
pub const CANCELLED: &str = "cancelled";
/// A paid order that was cancelled.
pub const REFUNDED: &str = "refunded";
pub const EXPIRED: &str = "expired";
/// Closed by an operator: nobody can hold seats any more.
pub const CLOSED: &str = "closed";
pub const RECOVERED: &str = "recovered";

/// Those that an order's seats go through.
pub const OF_ORDERS: [&str; 6] = [HELD, PAID, LATE, CANCELLED, REFUNDED, EXPIRED];
