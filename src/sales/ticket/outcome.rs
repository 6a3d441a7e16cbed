//! The outcomes that the ledger records for a ticket sale.

/// The sale was opened.
pub const OPENED: &str = "opened";
/// A seat was held.
pub const HELD: &str = "held";
/// A held seat was paid.
pub const PAID: &str = "paid";
/// A payment that came after the order's end and is refunded.
pub const LATE: &str = "late";
/// A held order was cancelled.
pub const CANCELLED: &str = "cancelled";
/// A paid order that was cancelled.
pub const REFUNDED: &str = "refunded";
/// A held order was not paid in time.
pub const EXPIRED: &str = "expired";
/// Closed by an operator: no more seats can be held.
pub const CLOSED: &str = "closed";
/// The sale was recovered from the ledger.
pub const RECOVERED: &str = "recovered";

/// The outcomes of orders.
pub const OF_ORDERS: [&str; 6] = [HELD, PAID, LATE, CANCELLED, REFUNDED, EXPIRED];
