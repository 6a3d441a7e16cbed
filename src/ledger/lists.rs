//! The lists that belong to sales, in the parts in which they were uploaded.

use crate::database::{Ledger, columns, event_id, on, unreachable};
use model::{
    EventId,
    error::{Error, Result},
};

/// The number of parts read at a time.
const PARTS_AT_A_TIME: i64 = 16;

pub(super) const ADD_PART: &str =
    "INSERT INTO lists (sale_no, event_ms, event_seq, list, entries) VALUES ($1, $2, $3, $4, $5)";

/// The entries of a part, as stored.
pub(super) fn entries_to_text(entries: &[String]) -> String {
    // Serializing texts to memory cannot fail.
    serde_json::to_string(entries).unwrap_or_default()
}

/// A part of a list, as recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedPart {
    /// The stream entry that recorded it.
    pub event_id: EventId,
    /// The name of the list.
    pub list: String,
    /// Its entries, in their order.
    pub entries: Vec<String>,
}

impl Ledger {
    /// The first few parts of lists of a sale after event `after`, up to and including event `upto`, oldest first. Empty
    /// if there are no more.
    ///
    /// # Errors
    /// `ledger_unavailable`; `internal` if one cannot be read.
    pub async fn list_parts(&self, number: i64, after: EventId, upto: EventId) -> Result<Vec<RecordedPart>> {
        const PARTS: &str = "SELECT event_ms, event_seq, list, entries FROM lists
            WHERE sale_no = $1 AND (event_ms, event_seq) > ($2, $3) AND (event_ms, event_seq) <= ($4, $5)
            ORDER BY event_ms, event_seq LIMIT $6";
        let ((after_ms, after_seq), (upto_ms, upto_seq)) = (columns(after), columns(upto));
        let parts: Vec<(i64, i64, String, String)> = on!(read self, pool => sqlx::query_as(PARTS)
            .bind(number).bind(after_ms).bind(after_seq).bind(upto_ms).bind(upto_seq).bind(PARTS_AT_A_TIME)
            .fetch_all(pool).await)
        .map_err(unreachable)?;
        let part = |(millis, sequence, list, entries): (i64, i64, String, String)| {
            let entries = serde_json::from_str(&entries).map_err(Error::internal)?;
            Ok(RecordedPart { event_id: event_id(millis, sequence), list, entries })
        };
        parts.into_iter().map(part).collect()
    }
}
