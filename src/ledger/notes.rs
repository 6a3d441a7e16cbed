//! Notes of operators on sales. They are no part of the history: they change nothing, and a sale is rebuilt without them.

use crate::database::{Ledger, on, unreachable};
use model::{
    Millis,
    error::Result,
    notes::{MAX_NOTES, Note},
};

type Columns = (Millis, String, String);

fn note((at, text, request_id): Columns) -> Note {
    Note { at, text, request_id }
}

impl Ledger {
    /// Adds a note on a sale. Returns whether it was added: not if the sale has one with its request id, or as many notes
    /// as there may be.
    ///
    /// # Errors
    /// `ledger_unavailable`: it may have been added.
    pub async fn add_note(&self, kind: &str, sale: &str, note: &Note) -> Result<bool> {
        const ADD: &str = "INSERT INTO notes (kind, sale, request_id, at, text) SELECT $1, $2, $3, $4, $5
            WHERE (SELECT COUNT(*) FROM notes WHERE kind = $1 AND sale = $2) < $6
            ON CONFLICT (kind, sale, request_id) DO NOTHING";
        let added = on!(beside self, pool => sqlx::query(ADD).bind(kind).bind(sale).bind(&note.request_id)
            .bind(note.at).bind(&note.text).bind(i64::from(MAX_NOTES))
            .execute(pool).await.map(|done| done.rows_affected()));
        Ok(added.map_err(unreachable)? == 1)
    }

    /// The notes on a sale, newest first.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn notes(&self, kind: &str, sale: &str) -> Result<Vec<Note>> {
        const NEWEST: &str = "SELECT at, text, request_id FROM notes WHERE kind = $1 AND sale = $2
            ORDER BY at DESC, request_id DESC";
        let notes: Vec<Columns> =
            on!(read self, pool => sqlx::query_as(NEWEST).bind(kind).bind(sale).fetch_all(pool).await)
                .map_err(unreachable)?;
        Ok(notes.into_iter().map(note).collect())
    }
}
