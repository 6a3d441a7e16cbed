//! The rows of one sale in the order in which they happened, for the replays of runs.

use crate::database::{Ledger, columns, event_id, on, unreachable};
use model::{EventId, Millis, error::Result};
use sqlx::FromRow;

/// A row of a sale's history, as far as replays need it.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ItemRow {
    event_ms: i64,
    event_seq: i64,
    place: i64,
    /// When it happened.
    pub at: Millis,
    /// The user, if the row has one.
    #[sqlx(rename = "user_id")]
    pub user: Option<String>,
    /// The item, by its name; for a kind that counts, the quantity.
    pub item: Option<String>,
}

impl ItemRow {
    /// The stream entry that recorded it, and its index there.
    pub fn position(&self) -> (EventId, i64) {
        (event_id(self.event_ms, self.event_seq), self.place)
    }
}

impl Ledger {
    /// At most `limit` rows of a sale with this outcome after a position, the oldest first.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn item_rows(
        &self,
        sale_no: i64,
        outcome: &str,
        (after, place): (EventId, i64),
        limit: u32,
    ) -> Result<Vec<ItemRow>> {
        const ROWS: &str = "SELECT event_ms, event_seq, place, at, user_id, item FROM history
            WHERE sale_no = $1 AND outcome = $2 AND (event_ms, event_seq, place) > ($3, $4, $5)
            ORDER BY event_ms, event_seq, place LIMIT $6";
        let (millis, sequence) = columns(after);
        on!(read self, pool => sqlx::query_as(ROWS).bind(sale_no).bind(outcome).bind(millis).bind(sequence).bind(place)
            .bind(i64::from(limit)).fetch_all(pool).await)
        .map_err(unreachable)
    }

    /// The number of a sale's rows with this outcome before an event.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn rows_before(&self, sale_no: i64, outcome: &str, before: EventId) -> Result<i64> {
        const ROWS: &str = "SELECT COUNT(*) FROM history
            WHERE sale_no = $1 AND outcome = $2 AND (event_ms, event_seq) < ($3, $4)";
        let (millis, sequence) = columns(before);
        on!(read self, pool => sqlx::query_scalar(ROWS).bind(sale_no).bind(outcome).bind(millis).bind(sequence)
            .fetch_one(pool).await)
        .map_err(unreachable)
    }

    /// The sum of the items of these rows, which are numbers.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn quantity_before(&self, sale_no: i64, outcome: &str, before: EventId) -> Result<i64> {
        const SUM: &str = "SELECT CAST(COALESCE(SUM(CAST(item AS BIGINT)), 0) AS BIGINT) FROM history
            WHERE sale_no = $1 AND outcome = $2 AND (event_ms, event_seq) < ($3, $4)";
        let (millis, sequence) = columns(before);
        on!(read self, pool => sqlx::query_scalar(SUM).bind(sale_no).bind(outcome).bind(millis).bind(sequence)
            .fetch_one(pool).await)
        .map_err(unreachable)
    }
}
