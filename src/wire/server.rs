//! The server's half.

use super::Unreadable;
use serde::de::DeserializeOwned;

/// Reads a value from JSON.
///
/// # Errors
/// What serde says is wrong with the text.
pub fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, Unreadable> {
    serde_json::from_slice(json).map_err(unreadable)
}

pub(super) fn unreadable(why: serde_json::Error) -> Unreadable {
    Unreadable(why.to_string())
}
