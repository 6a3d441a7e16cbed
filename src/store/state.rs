//! Reads the state of a sale, also where somebody has stored something else in the place of its record.

use super::{Store, keys};
use crate::error::Result;

/// The state that Redis has of a sale; `None` if it has no record of it, also if somebody has stored something else in the
/// place of that record.
///
/// # Errors
/// `unavailable`, `store_refused`.
pub async fn state_of(store: &Store, kind: &str, sale: &str) -> Result<Option<String>> {
    let meta = keys::sale(kind, sale, "meta");
    if store.query::<String>("TYPE", &meta).await? != "hash" {
        return Ok(None);
    }
    store.query("HGET", (meta, "state")).await
}
