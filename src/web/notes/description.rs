//! The description of the API of notes.

use crate::KINDS;
use crate::{
    notes::api::{NoteRequest, NotesRequest},
    openapi::{Endpoint, OF_THE_STORE},
};
use model::{error::Code, id_pattern, notes::MAX_NOTE};
use serde_json::{Value, json};

/// Returns the endpoints that add a note and list them.
pub fn endpoints() -> [Endpoint; 2] {
    let kinds = || json!({ "enum": KINDS.iter().map(|kind| kind.info.id).collect::<Vec<_>>() });
    let kind = KINDS[0].info.id;
    let text = "The second batch is printed on Friday.";
    [
        Endpoint::of::<NoteRequest>()
            .limit("kind", kinds())
            .id("sale")
            .limit("text", json!({ "minLength": 1, "maxLength": MAX_NOTE, "pattern": id_pattern() }))
            .id("request_id")
            .errors(&OF_THE_STORE)
            .errors(&[Code::UnknownSale, Code::LedgerUnavailable])
            .example(
                "a note",
                json!({ "kind": kind, "sale": "spring", "text": text, "request_id": "note-1" }),
                json!({ "outcome": "noted", "note": a_note(text) }),
            ),
        Endpoint::of::<NotesRequest>().limit("kind", kinds()).id("sale").errors(&[Code::LedgerUnavailable]).example(
            "all of a sale",
            json!({ "kind": kind, "sale": "spring" }),
            json!([a_note(text)]),
        ),
    ]
}

fn a_note(text: &str) -> Value {
    json!({ "at": 1_767_225_600_000_i64, "text": text, "request_id": "note-1" })
}
