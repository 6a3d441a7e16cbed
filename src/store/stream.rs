//! Reads stream entries.

use crate::{fields::Fields, format::FORMAT};
use model::error::{Code, Error};
use serde::de::DeserializeOwned;

/// A stream entry: its id and its fields.
pub type Entry = (String, Fields);

/// Why an entry or a reply cannot be read, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(pub String);

impl From<Unreadable> for Error {
    fn from(Unreadable(why): Unreadable) -> Self {
        protocol_error(why)
    }
}

/// The value, or the reason why it cannot be read.
pub type Read<T> = std::result::Result<T, Unreadable>;

/// The name of an event.
///
/// # Errors
/// If a newer program has written the entry: this program would misread it.
pub fn event_type(entry: &Entry) -> Read<&[u8]> {
    // Entries of version 1 do not name their version.
    let is_known = |format: &&[u8]| {
        let format = std::str::from_utf8(format).ok().and_then(|format| format.parse::<u32>().ok());
        format.is_some_and(|format| format <= FORMAT)
    };
    if let Some(format) = entry.1.bytes("format").filter(|format| !is_known(format)) {
        return Err(Unreadable(format!(
            "entry {} was written by a newer version of Stampede (its data format is {}, this program knows {FORMAT}); \
             retry it with that version",
            entry.0,
            String::from_utf8_lossy(format)
        )));
    }
    Ok(entry.1.bytes("type").unwrap_or_default())
}

/// A numeric field of an entry.
///
/// # Errors
/// If it is missing or not a number.
pub fn number_field(entry: &Entry, name: &str) -> Read<i64> {
    text_field(entry, name)?
        .parse()
        .map_err(|_| Unreadable(format!("the `{name}` of entry {} is not a number", entry.0)))
}

/// A text field of an entry.
///
/// # Errors
/// If it is missing or not text.
pub fn text_field<'a>(entry: &'a Entry, name: &str) -> Read<&'a str> {
    entry.1.get(name).ok_or_else(|| Unreadable(format!("entry {} has no `{name}`", entry.0)))
}

/// A field of an entry that holds a cmsgpack list.
///
/// # Errors
/// If it is not such a list.
pub fn packed<T: DeserializeOwned>(entry: &Entry, name: &str) -> Read<Vec<T>> {
    let data = entry.1.bytes(name).ok_or_else(|| Unreadable(format!("entry {} has no `{name}`", entry.0)))?;
    rmp_serde::from_slice(data).map_err(|why| {
        // The ledger warns of a dead letter once. A watched page reads it again with every frame.
        tracing::debug!(entry = entry.0, name, %why, "an entry cannot be read");
        Unreadable(format!("the `{name}` of entry {} is not such a list", entry.0))
    })
}

/// The error for a reply that none of our scripts gives.
pub fn protocol_error(why: impl ToString) -> Error {
    let why = why.to_string();
    tracing::error!(why, "Redis gave a reply that none of our scripts gives");
    Error::new(
        Code::Unavailable,
        "Redis gave a reply that cannot be read, so the outcome is unknown; the server's log has it.",
    )
}
