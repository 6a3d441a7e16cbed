//! The notes on a sale as a file: its parameters and its lines.

use super::Note;
use crate::ledger::export::{End, Format};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The query string of a file of notes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotesParams {
    /// The format of the file.
    pub format: Format,
    /// The id of the sale.
    pub sale: String,
    /// Only notes on the sale of this kind; by default, on those of any kind with this id.
    pub kind: Option<String>,
}

/// A line of a file of JSON Lines.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "NotesLine")]
#[allow(dead_code, reason = "only its schema is used")]
pub enum Line {
    /// A note.
    Note(NoteOfSale),
    /// The last line, which proves that the file is complete.
    End(End),
}

/// A note with its sale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "NoteOfSale")]
pub struct NoteOfSale {
    /// The kind of the sale.
    pub kind: String,
    /// The id of the sale.
    pub sale: String,
    /// The note.
    #[serde(flatten)]
    pub note: Note,
}
