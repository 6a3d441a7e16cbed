//! Entries of a stream, and how to read them.

use crate::error::{Code, Error, Result};
use serde::de::DeserializeOwned;
use std::collections::HashMap;

/// A stream entry: its id and its fields.
pub type Entry = (String, HashMap<String, Vec<u8>>);

/// The name of an event.
pub fn event_type(entry: &Entry) -> &[u8] {
    entry.1.get("type").map_or(b"", Vec::as_slice)
}

/// A field of an entry that is a number.
///
/// # Errors
/// `unavailable` when it is not there.
pub fn number_field(entry: &Entry, name: &str) -> Result<i64> {
    let text = entry.1.get(name).and_then(|bytes| std::str::from_utf8(bytes).ok());
    text.and_then(|text| text.parse().ok()).ok_or_else(|| garbled(format!("entry {} has no `{name}`", entry.0)))
}

/// A field of an entry that is text.
///
/// # Errors
/// `unavailable` when it is not there.
pub fn text_field<'a>(entry: &'a Entry, name: &str) -> Result<&'a str> {
    let text = entry.1.get(name).and_then(|bytes| std::str::from_utf8(bytes).ok());
    text.ok_or_else(|| garbled(format!("entry {} has no `{name}`", entry.0)))
}

/// A field of an entry that is a cmsgpack list.
///
/// # Errors
/// `unavailable` when it is not that.
pub fn packed<T: DeserializeOwned>(entry: &Entry, name: &str) -> Result<Vec<T>> {
    let data = entry.1.get(name).ok_or_else(|| garbled(format!("entry {} has no `{name}`", entry.0)))?;
    rmp_serde::from_slice(data).map_err(garbled)
}

/// Redis answered what none of our scripts answers.
pub fn garbled(why: impl ToString) -> Error {
    let why = why.to_string();
    tracing::error!(why, "Redis answered what no script of ours answers");
    Error::new(Code::Unavailable, format!("Redis answered what nobody can read ({why}), so the outcome is unknown."))
}
