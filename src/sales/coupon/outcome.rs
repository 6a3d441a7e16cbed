//! The outcomes that the ledger records for a sale of coupons.

/// The sale was opened.
pub const OPENED: &str = "opened";
/// A user claimed a coupon.
pub const WON: &str = "won";
/// A coupon was redeemed.
pub const REDEEMED: &str = "redeemed";
/// A coupon was given back.
pub const RETURNED: &str = "returned";
/// The limits were changed; the item says to which.
pub const LIMITS: &str = "limits";
/// Closed by an operator.
pub const CLOSED: &str = "closed";
/// The sale was recovered from the ledger.
pub const RECOVERED: &str = "recovered";

/// All of them.
pub const ALL: [&str; 7] = [OPENED, WON, REDEEMED, RETURNED, LIMITS, CLOSED, RECOVERED];

/// Those of coupons.
pub const OF_COUPONS: [&str; 3] = [WON, REDEEMED, RETURNED];
