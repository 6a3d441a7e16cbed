//! The history as a file: its parameters and its lines.

use super::{Row, Search};
use crate::{
    Checks, Millis,
    error::{Error, Result},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The format of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// A header line, then one line per row.
    Csv,
    /// One JSON object per line.
    Jsonl,
}

/// A line of a file of JSON Lines.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "LedgerLine")]
#[allow(dead_code, reason = "only its schema is used")]
pub enum Line {
    /// A row.
    Row(Box<Row>),
    /// The last line, which proves that the file is complete.
    End(End),
}

/// The last line of a complete file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LedgerEnd")]
pub struct End {
    /// Always true.
    pub end: bool,
    /// The number of rows in the file.
    pub rows: usize,
    /// The `recorded_after` of the next file, where this one is in the order of recording; otherwise left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}

/// The query string of an export. Empty parameters do not narrow the search.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportParams {
    /// The format of the file.
    pub format: Format,
    /// Only rows of sales of this kind.
    kind: Option<String>,
    /// Only rows of the sale with exactly this id, of any kind.
    sale: Option<String>,
    /// Only rows of the user with exactly this name.
    user: Option<String>,
    /// Only rows of this request.
    request_id: Option<String>,
    /// Only rows of this order.
    order: Option<String>,
    /// Only rows with this outcome.
    outcome: Option<String>,
    /// Only rows that Redis recorded at this time or later, in epoch milliseconds as in `event_id`.
    #[schemars(with = "Option<Millis>")]
    from: Option<String>,
    /// Only rows that Redis recorded before this time, in epoch milliseconds.
    #[schemars(with = "Option<Millis>")]
    to: Option<String>,
    /// Only rows at a later place than this in the order of recording, and in that order, oldest first; 0 for all. By
    /// default, rows are in the order of their events, newest first.
    #[schemars(with = "Option<u64>")]
    recorded_after: Option<String>,
}

impl ExportParams {
    /// The place in the order of recording after which the rows are wanted; `None` if they are wanted newest first.
    ///
    /// # Errors
    /// `bad_request` if it is not a number.
    pub fn recorded_after(&self) -> Result<Option<u64>> {
        let given = self.recorded_after.as_ref().filter(|text| !text.is_empty());
        given.map(|text| text.parse().map_err(|_| not_a_place(text))).transpose()
    }

    /// The search for these parameters.
    ///
    /// # Errors
    /// `bad_request` for a time that is not a number.
    pub fn search(self) -> Result<Search> {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let time = |name: &str, text: Option<String>| {
            given(text).map(|text| text.parse().map_err(|_| not_a_time(name, &text))).transpose()
        };
        let mut checks = Checks::default();
        let from = checks.value(time("from", self.from));
        let to = checks.finish(time("to", self.to))?;
        Ok(Search {
            kind: given(self.kind),
            sale: given(self.sale),
            user: given(self.user),
            request_id: given(self.request_id),
            order: given(self.order),
            outcome: given(self.outcome),
            from,
            to,
        })
    }
}

fn not_a_place(text: &str) -> Error {
    let why = format!(
        "`recorded_after` is \"{text}\"; give the `recorded` of a row, the `next` of a file, or 0 for the beginning."
    );
    Error::bad("recorded_after", why)
}

fn not_a_time(name: &str, text: &str) -> Error {
    Error::bad(name, format!("`{name}` is \"{text}\"; give milliseconds since 1970."))
}
