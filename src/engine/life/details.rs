//! The details of refusals that follow from a sale's life, the same in the scripts of every kind.

use model::{Millis, error::Result};
use store::stream::protocol_error;

/// The start, and the time of the call, with a blank between.
///
/// # Errors
/// `unavailable` if the text has another form.
pub fn not_open(detail: &str) -> Result<(Millis, Millis)> {
    let (opens_at, now) = detail.split_once(' ').unwrap_or_default();
    Ok((opens_at.parse().map_err(protocol_error)?, now.parse().map_err(protocol_error)?))
}

/// The beginning of the pause and its reason, with a blank between.
///
/// # Errors
/// `unavailable` if the text has another form.
pub fn paused(detail: &str) -> Result<(Millis, String)> {
    let (paused_at, reason) = detail.split_once(' ').unwrap_or_default();
    Ok((paused_at.parse().map_err(protocol_error)?, reason.to_owned()))
}
