//! Ids that a client chooses: of sales, users, requests, orders and runs.

use crate::error::{Error, Result};

/// The longest id that a client may choose, in bytes.
pub const MAX_ID_BYTES: usize = 64;

/// Checks an id that a client chose: printable, not blank, at most [`MAX_ID_BYTES`] bytes.
///
/// # Errors
/// `bad_request` with `field`, in one sentence.
pub fn check_id(field: &str, id: &str) -> Result<()> {
    if id.trim().is_empty() {
        return Err(Error::bad(field, format!("`{field}` is empty; give 1 to {MAX_ID_BYTES} printable bytes.")));
    }
    if id.len() > MAX_ID_BYTES {
        let bytes = id.len();
        return Err(Error::bad(field, format!("`{field}` is {bytes} bytes long; at most {MAX_ID_BYTES} are taken.")));
    }
    if id.chars().any(char::is_control) {
        return Err(Error::bad(field, format!("`{field}` has a control character; only printable ones are taken.")));
    }
    Ok(())
}
