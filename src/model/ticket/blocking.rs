//! Seats that an operator takes off sale, and puts on sale again, while a sale runs.

use super::{check_named_once, seats::SeatState};
use crate::{
    Checks,
    error::{Error, Result},
    life::check_reason,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most seats that one request may block or unblock.
pub const MAX_BLOCKED: usize = 500;

/// The answer to a request that blocks seats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "SeatsBlocked")]
pub enum Blocked {
    /// These seats are no longer for sale.
    Blocked { seats: Vec<String> },
    /// The same request blocked them before.
    Repeat { seats: Vec<String> },
    /// These seats are not free. Nothing was changed.
    NotFree { seats: Vec<SeatInState> },
}

/// The answer to a request that unblocks seats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "SeatsUnblocked")]
pub enum Unblocked {
    /// These seats are for sale again.
    Unblocked { seats: Vec<String> },
    /// The same request unblocked them before.
    Repeat { seats: Vec<String> },
    /// These seats are not blocked. Nothing was changed.
    NotBlocked { seats: Vec<SeatInState> },
}

/// A seat and its state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeatInState {
    /// The id of the seat.
    pub seat: String,
    /// The state of the seat.
    pub state: SeatState,
}

/// Checks a request that blocks or unblocks seats. Whether the hall has them, and their states, are checked later.
///
/// # Errors
/// `bad_request` naming the fields at fault.
pub fn check_blocked(seats: &[String], reason: &str) -> Result<()> {
    let mut checks = Checks::default();
    if (1..=MAX_BLOCKED).contains(&seats.len()) {
        checks.note(check_named_once(seats));
    } else {
        let why = format!("`seats` names {} seats; it must name 1 to {MAX_BLOCKED}.", seats.len());
        checks.note::<()>(Err(Error::bad("seats", why)));
    }
    checks.finish(check_reason(reason))
}
