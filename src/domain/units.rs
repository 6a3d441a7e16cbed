//! Money and time.

/// Money, in integer cents.
pub type Cents = i64;

/// An instant, in milliseconds since the Unix epoch.
pub type Millis = i64;
