//! Notes on a sale: what an operator writes down about it, for others and for later.

mod api;
pub mod export;

use crate::{
    Millis,
    error::{Error, Result},
};
pub use api::NotesApi;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest note, in characters.
pub const MAX_NOTE: usize = 500;
/// The most notes on a sale.
pub const MAX_NOTES: u32 = 200;

/// A note on a sale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SaleNote")]
pub struct Note {
    /// The time at which it was written.
    pub at: Millis,
    /// The text.
    pub text: String,
    /// The id of the request that has added it.
    pub request_id: String,
}

/// The answer to a request to add a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "SaleNoted")]
pub enum Noted {
    /// The note is added.
    Noted {
        /// The note.
        note: Note,
    },
    /// The same request has added it before.
    Repeat {
        /// The note, as it was added.
        note: Note,
    },
}

/// Checks the text of a note: 1 to [`MAX_NOTE`] printable characters.
///
/// # Errors
/// `bad_request` naming `text`, in one sentence.
pub fn check_note(text: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::bad("text", format!("`text` is empty; give 1 to {MAX_NOTE} characters.")));
    }
    let length = text.chars().count();
    if length > MAX_NOTE {
        let why = format!("`text` is {length} characters long; at most {MAX_NOTE} are allowed.");
        return Err(Error::bad("text", why));
    }
    if text.chars().any(char::is_control) {
        return Err(Error::bad("text", "`text` contains a control character; only printable ones are allowed."));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_one_line_of_printable_text() {
        assert_eq!(check_note("Paused: the hall is being cleaned. 清场中"), Ok(()));
        assert_eq!(check_note(&"注".repeat(MAX_NOTE)), Ok(()));
        for wrong in ["", " \u{3000}", "a\nb", &"a".repeat(MAX_NOTE + 1)] {
            assert_eq!(check_note(wrong).map_err(|error| error.field), Err(Some("text".to_owned())), "{wrong:?}");
        }
    }
}
