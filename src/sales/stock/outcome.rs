//! The outcomes that the ledger records for a sale of stock.

/// The sale was opened; the item says with how much.
pub const OPENED: &str = "opened";
/// A user deducted a quantity; the item says how much.
pub const WON: &str = "won";
/// What a request deducted was given back.
pub const RETURNED: &str = "returned";
/// Stock was added; the item says how much.
pub const RESTOCKED: &str = "restocked";
/// The quantity was corrected; the item says by how much.
pub const CORRECTED: &str = "corrected";
/// Closed by an operator.
pub const CLOSED: &str = "closed";
/// The sale was recovered from the ledger.
pub const RECOVERED: &str = "recovered";

/// All of them.
pub const ALL: [&str; 7] = [OPENED, WON, RETURNED, RESTOCKED, CORRECTED, CLOSED, RECOVERED];

/// Those that change the quantity.
pub const OF_QUANTITY: [&str; 5] = [OPENED, WON, RETURNED, RESTOCKED, CORRECTED];
