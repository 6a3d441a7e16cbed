//! The outcomes that the ledger records for a ticket sale.

pub const OPENED: &str = "opened";
pub const HELD: &str = "held";
pub const PAID: &str = "paid";
/// A payment that came after the order's end and is refunded.
pub const LATE: &str = "late";
pub const CANCELLED: &str = "cancelled";
/// A paid order that was cancelled.
pub const REFUNDED: &str = "refunded";
pub const EXPIRED: &str = "expired";
/// Closed by an operator: no more seats can be held.
pub const CLOSED: &str = "closed";
pub const RECOVERED: &str = "recovered";

/// The outcomes of orders.
pub const OF_ORDERS: [&str; 6] = [HELD, PAID, LATE, CANCELLED, REFUNDED, EXPIRED];
