//! The server functions, which are also the JSON API.

#[cfg(feature = "ssr")]
use crate::services::services;
use leptos::{prelude::*, server_fn::codec::Json};
use model::{
    StrictJson,
    error::Result,
    notes::{Note, Noted},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Adds a note on a sale, which everybody who sees the sale can read. It stays in the ledger's database, also when the
/// sale is archived, and changes nothing of the sale. There may be 200 on a sale.
#[server(
    name = NoteRequest,
    prefix = "/api",
    endpoint = "/sales/note",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn note(
    /// The id of the kind.
    kind: String,
    /// The id of the sale.
    sale: String,
    /// The text, in one line.
    text: String,
    /// Identifies the request: sent again, it adds no other note.
    request_id: Option<String>,
) -> Result<Noted> {
    services()?.notes.add(&kind, &sale, &text, request_id).await
}

/// The notes on a sale, newest first; none for a sale that does not exist.
#[server(
    name = NotesRequest,
    prefix = "/api",
    endpoint = "/sales/notes",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn notes(
    /// The id of the kind.
    kind: String,
    /// The id of the sale.
    sale: String,
) -> Result<Vec<Note>> {
    services()?.notes.notes(&kind, &sale).await
}
