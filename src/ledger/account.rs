//! The sales as the ledger has them: how far it is with each, and what each was opened on.

use super::{
    apply::Position,
    database::{Ledger, event_id, on, unreachable},
};
use crate::{
    domain::{EventId, Millis},
    error::Result,
};

/// A sale as the ledger has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The number that the ledger gave it.
    pub number: i64,
    pub kind: String,
    pub sale: String,
    pub position: Position,
    /// Nothing can happen to it any more.
    pub closed: bool,
    /// What it was opened on, JSON.
    pub terms: Option<String>,
    /// Where the stream ended when the writer last looked, and when that was.
    pub seen: Position,
    pub seen_at: Millis,
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
    set_aside: i64,
}

impl From<Columns> for (Account, u64) {
    fn from(row: Columns) -> Self {
        let position = |millis, sequence, entries: i64| Position {
            event_id: event_id(millis, sequence),
            entries: entries.cast_unsigned(),
        };
        let account = Account {
            number: row.no,
            kind: row.kind,
            sale: row.sale,
            position: position(row.applied_ms, row.applied_seq, row.entries),
            closed: row.closed != 0,
            terms: row.terms,
            seen: position(row.seen_ms, row.seen_seq, row.seen_entries),
            seen_at: row.seen_at,
        };
        (account, row.set_aside.cast_unsigned())
    }
}

impl Ledger {
    /// Every sale that the ledger knows.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn accounts(&self) -> Result<Vec<Account>> {
        const ALL: &str = "SELECT s.*, CAST(0 AS BIGINT) AS set_aside FROM sales s ORDER BY s.no";
        let rows: Vec<Columns> =
            on!(read self, pool => sqlx::query_as(ALL).fetch_all(pool).await).map_err(unreachable)?;
        Ok(rows.into_iter().map(|row| <(Account, u64)>::from(row).0).collect())
    }

    /// The newest sales, newest first, and how many entries of each are set aside.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn newest(&self, limit: u32) -> Result<Vec<(Account, u64)>> {
        const NEWEST: &str = "SELECT s.*, (SELECT COUNT(*) FROM set_aside a WHERE a.sale_no = s.no) AS set_aside
            FROM sales s ORDER BY s.no DESC LIMIT $1";
        let rows: Vec<Columns> =
            on!(read self, pool => sqlx::query_as(NEWEST).bind(i64::from(limit)).fetch_all(pool).await)
                .map_err(unreachable)?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    /// The sales with this id, one of each kind at most, and how many entries of each are set aside.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn of_sale(&self, sale: &str) -> Result<Vec<(Account, u64)>> {
        const OF_SALE: &str = "SELECT s.*, (SELECT COUNT(*) FROM set_aside a WHERE a.sale_no = s.no) AS set_aside
            FROM sales s WHERE s.sale = $1";
        let rows: Vec<Columns> =
            on!(read self, pool => sqlx::query_as(OF_SALE).bind(sale).fetch_all(pool).await).map_err(unreachable)?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    /// One sale that the ledger may know, and how many of its entries are set aside.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn account(&self, kind: &str, sale: &str) -> Result<Option<(Account, u64)>> {
        Ok(self.of_sale(sale).await?.into_iter().find(|(account, _)| account.kind == kind))
    }

    /// Lines of one outcome of a sale as they were counted when they went in, and how far the ledger was.
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
