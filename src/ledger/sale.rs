//! The sales that the ledger knows: how far it has recorded each, and on what terms each was opened.

use super::{
    apply::Position,
    database::{Ledger, event_id, on, unreachable},
};
use crate::{
    domain::{EventId, Millis},
    error::Result,
};

/// A sale as the ledger knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerSale {
    /// The number that the ledger gave it.
    pub number: i64,
    pub kind: String,
    pub sale: String,
    /// How far the ledger has recorded its stream.
    pub position: Position,
    /// Nothing can happen to it any more.
    pub closed: bool,
    /// The terms that it was opened on, JSON.
    pub terms: Option<String>,
    /// The end of its stream when the writer last looked, and when that was.
    pub seen: Position,
    pub seen_at: Millis,
    /// Entries that could not be recorded and wait for somebody to look.
    pub dead_letters: u64,
}

#[derive(sqlx::FromRow)]
struct Columns {
    no: i64,
    kind: String,
    sale: String,
    applied_ms: i64,
    applied_seq: i64,
    entries: i64,
    closed: i64,
    terms: Option<String>,
    seen_ms: i64,
    seen_seq: i64,
    seen_entries: i64,
    seen_at: i64,
    dead_letters: i64,
}

impl From<Columns> for LedgerSale {
    fn from(row: Columns) -> Self {
        let position = |millis, sequence, entries: i64| Position {
            event_id: event_id(millis, sequence),
            entries: entries.cast_unsigned(),
        };
        Self {
            number: row.no,
            kind: row.kind,
            sale: row.sale,
            position: position(row.applied_ms, row.applied_seq, row.entries),
            closed: row.closed != 0,
            terms: row.terms,
            seen: position(row.seen_ms, row.seen_seq, row.seen_entries),
            seen_at: row.seen_at,
            dead_letters: row.dead_letters.cast_unsigned(),
        }
    }
}

/// Selects sales with this condition and order, binding `$value` to `$1` where one is given.
macro_rules! select {
    ($ledger:expr, $rest:literal $(, $value:expr)?) => {{
        const SQL: &str = concat!(
            "SELECT s.*, (SELECT COUNT(*) FROM set_aside a WHERE a.sale_no = s.no) AS dead_letters FROM sales s ",
            $rest
        );
        let rows: Vec<Columns> = on!(read $ledger, pool =>
            sqlx::query_as(SQL)$(.bind($value))?.fetch_all(pool).await).map_err(unreachable)?;
        rows.into_iter().map(Into::into).collect()
    }};
}

impl Ledger {
    /// Every sale, oldest first.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn sales(&self) -> Result<Vec<LedgerSale>> {
        Ok(select!(self, "ORDER BY s.no"))
    }

    /// The newest sales, newest first.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn newest_sales(&self, limit: u32) -> Result<Vec<LedgerSale>> {
        Ok(select!(self, "ORDER BY s.no DESC LIMIT $1", i64::from(limit)))
    }

    /// The sales with this id, at most one of each kind.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn sales_named(&self, sale: &str) -> Result<Vec<LedgerSale>> {
        Ok(select!(self, "WHERE s.sale = $1", sale))
    }

    /// One sale, where the ledger knows it.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn sale(&self, kind: &str, sale: &str) -> Result<Option<LedgerSale>> {
        Ok(self.sales_named(sale).await?.into_iter().find(|known| known.kind == kind))
    }

    /// How many rows of one outcome a sale had when they were recorded, and how far the ledger was then.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn tally_at(&self, number: i64, outcome: &str) -> Result<(EventId, i64)> {
        // One statement, so both are of one moment.
        const TALLY: &str = "SELECT s.applied_ms, s.applied_seq, COALESCE(t.lines, 0) FROM sales s
            LEFT JOIN tallies t ON t.sale_no = s.no AND t.outcome = $2 WHERE s.no = $1";
        let row: Option<(i64, i64, i64)> = on!(read self, pool =>
            sqlx::query_as(TALLY).bind(number).bind(outcome).fetch_optional(pool).await)
        .map_err(unreachable)?;
        let (millis, sequence, lines) = row.unwrap_or_default();
        Ok((event_id(millis, sequence), lines))
    }
}
