//! The life of a sale.
/// The outcomes.
pub mod outcome {
    pub const PAUSED: &str = "paused";
    pub const RESUMED: &str = "resumed";
    pub const SCHEDULED: &str = "scheduled";
    pub const REOPENED: &str = "reopened";
    pub const DESCRIBED: &str = "described";
}
