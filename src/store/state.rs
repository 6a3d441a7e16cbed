//! Reads the record of a sale, also where somebody has stored something else in its place.

use super::{Store, keys};
use crate::error::Result;

/// The state that Redis has of a sale; `None` if it has no record of it, also if somebody has stored something else in the
/// place of that record.
///
/// # Errors
/// `unavailable`, `store_refused`.
pub async fn state_of(store: &Store, kind: &str, sale: &str) -> Result<Option<String>> {
    field_of(store, kind, sale, "state").await
}

/// A field of the record of a sale; `None` as with [`state_of`].
///
/// # Errors
/// As [`state_of`].
pub async fn field_of(store: &Store, kind: &str, sale: &str, field: &str) -> Result<Option<String>> {
    let meta = keys::sale(kind, sale, "meta");
    if store.query::<String>("TYPE", &meta).await? != "hash" {
        return Ok(None);
    }
    store.query("HGET", (meta, field)).await
}
