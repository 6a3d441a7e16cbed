//! The sales in the ledger: the recorded position and the terms of each.

use crate::{
    apply::Position,
    database::{Ledger, columns, event_id, in_transaction, on, unreachable},
};
use model::{
    EventId, Millis,
    error::{Error, Result},
    ledger::{Recovery, SaleName},
};
use serde::Deserialize;

/// A sale as the ledger knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerSale {
    /// The number that the ledger assigned to it.
    pub number: i64,
    pub kind: String,
    /// Its id.
    pub sale: String,
    /// The recorded position in its stream.
    pub position: Position,
    /// The quantity left at that position, for kinds that have one. It changes in the transactions that move the
    /// position, so the two always agree.
    pub quantity: i64,
    /// The generation of its history that its latest recovery began. The default before the first one.
    pub generation: EventId,
    /// Whether it is over: nothing can change any more.
    pub closed: bool,
    /// When it was archived. `None` while it is in Redis.
    pub archived_at: Option<Millis>,
    /// The terms at its opening, as JSON.
    pub terms: Option<String>,
    /// The end of its stream when the writer last read it.
    pub seen: Position,
    /// When the writer last read its stream.
    pub seen_at: Millis,
    /// The number of entries since its latest recovery that could not be recorded. Earlier ones can no longer be
    /// recorded.
    pub dead_letters: u64,
    /// The number of entries that the ledger had recorded and has lost, after they were trimmed from the stream.
    pub missing: u64,
    /// What its latest recovery could not restore. `None` before the first one.
    pub recovery: Option<Recovery>,
}

impl LedgerSale {
    /// Whether it was archived.
    pub fn is_archived(&self) -> bool {
        self.archived_at.is_some()
    }

    /// The group that is among its terms, which determines its keys in Redis.
    pub fn group(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct OfGroup {
            #[serde(default)]
            group: Option<String>,
        }
        serde_json::from_str::<OfGroup>(self.terms.as_deref()?).ok()?.group
    }
}

#[derive(sqlx::FromRow)]
struct Columns {
    no: i64,
    kind: String,
    sale: String,
    applied_ms: i64,
    applied_seq: i64,
    entries: i64,
    quantity: i64,
    generation_ms: i64,
    generation_seq: i64,
    closed: i64,
    archived_at: Option<i64>,
    terms: Option<String>,
    seen_ms: i64,
    seen_seq: i64,
    seen_entries: i64,
    seen_at: i64,
    dead_letters: i64,
    missing: i64,
    recovery: Option<String>,
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
            quantity: row.quantity,
            generation: event_id(row.generation_ms, row.generation_seq),
            closed: row.closed != 0,
            archived_at: row.archived_at,
            terms: row.terms,
            seen: position(row.seen_ms, row.seen_seq, row.seen_entries),
            seen_at: row.seen_at,
            dead_letters: row.dead_letters.cast_unsigned(),
            missing: row.missing.cast_unsigned(),
            recovery: row.recovery.and_then(|report| serde_json::from_str(&report).ok()),
        }
    }
}

/// Selects sales with this condition and order. Binds `$value`, if given, to `$1`.
macro_rules! select {
    ($ledger:expr, $rest:literal $(, $value:expr)?) => {{
        const SQL: &str = concat!(
            "SELECT s.*, (SELECT COUNT(*) FROM set_aside a WHERE a.sale_no = s.no AND (a.event_ms > s.generation_ms
            OR (a.event_ms = s.generation_ms AND a.event_seq >= s.generation_seq))) AS dead_letters,
            (SELECT r.report FROM recoveries r WHERE r.sale_no = s.no
            ORDER BY r.generation_ms DESC, r.generation_seq DESC LIMIT 1) AS recovery FROM sales s ",
            $rest
        );
        let rows: Vec<Columns> = on!(read $ledger, pool =>
            sqlx::query_as(SQL)$(.bind($value))?.fetch_all(pool).await).map_err(unreachable)?;
        rows.into_iter().map(Into::into).collect()
    }};
}

impl Ledger {
    /// Every sale that is not archived, oldest first.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn sales(&self) -> Result<Vec<LedgerSale>> {
        Ok(select!(self, "WHERE s.archived_at IS NULL ORDER BY s.no"))
    }

    /// The names of the sales that are not archived, oldest first.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn names(&self) -> Result<Vec<SaleName>> {
        const NAMES: &str = "SELECT kind, sale FROM sales WHERE archived_at IS NULL ORDER BY no";
        let names: Vec<(String, String)> =
            on!(read self, pool => sqlx::query_as(NAMES).fetch_all(pool).await).map_err(unreachable)?;
        Ok(names.into_iter().map(|(kind, sale)| SaleName { kind, sale }).collect())
    }

    /// The newest sales that are not archived, newest first.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn newest_sales(&self, limit: u32) -> Result<Vec<LedgerSale>> {
        Ok(select!(self, "WHERE s.archived_at IS NULL ORDER BY s.no DESC LIMIT $1", i64::from(limit)))
    }

    /// The sales with this id, at most one of each kind, including archived ones.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn sales_named(&self, sale: &str) -> Result<Vec<LedgerSale>> {
        Ok(select!(self, "WHERE s.sale = $1", sale))
    }

    /// A sale, archived or not. `None` if the ledger does not know it.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn sale(&self, kind: &str, sale: &str) -> Result<Option<LedgerSale>> {
        Ok(self.sales_named(sale).await?.into_iter().find(|known| known.kind == kind))
    }

    /// Whether a sale was archived.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn is_archived(&self, kind: &str, sale: &str) -> Result<bool> {
        Ok(self.sale(kind, sale).await?.is_some_and(|known| known.archived_at.is_some()))
    }

    /// Begins another generation of a sale's history, at the position from which a recovery has read the ledger. From
    /// then on, no writer can record entries read in the previous generation. Returns whether it was begun. It is not
    /// if the ledger has recorded more meanwhile (dead letters too), another recovery was faster, or the sale was
    /// archived. Keeps what the recovery could not restore.
    ///
    /// # Errors
    /// `ledger_unavailable`: the generation may have been begun.
    pub async fn begin_generation(&self, known: &LedgerSale, generation: EventId, recovery: &Recovery) -> Result<bool> {
        // A dead letter that is being retried holds this lock. So the count is correct once the lock is held.
        const LOCK: &str = "UPDATE sales SET closed = closed WHERE no = $1";
        const BEGIN: &str = "UPDATE sales SET generation_ms = $1, generation_seq = $2
            WHERE no = $3 AND applied_ms = $4 AND applied_seq = $5 AND generation_ms = $6 AND generation_seq = $7
            AND archived_at IS NULL AND (SELECT COUNT(*) FROM set_aside a WHERE a.sale_no = $3
                AND (a.event_ms > $6 OR (a.event_ms = $6 AND a.event_seq >= $7))) = $8";
        const KEEP: &str = "INSERT INTO recoveries (sale_no, generation_ms, generation_seq, report)
            VALUES ($1, $2, $3, $4)";
        let report = serde_json::to_string(recovery).map_err(Error::internal)?;
        let (to_ms, to_seq) = columns(generation);
        let (applied_ms, applied_seq) = columns(known.position.event_id);
        let (from_ms, from_seq) = columns(known.generation);
        let rows = in_transaction!(self, transaction => {
            sqlx::query(LOCK).bind(known.number).execute(&mut *transaction).await?;
            let begun = sqlx::query(BEGIN)
                .bind(to_ms)
                .bind(to_seq)
                .bind(known.number)
                .bind(applied_ms)
                .bind(applied_seq)
                .bind(from_ms)
                .bind(from_seq)
                .bind(known.dead_letters.cast_signed())
                .execute(&mut *transaction)
                .await?
                .rows_affected();
            if begun == 1 {
                let keep = sqlx::query(KEEP).bind(known.number).bind(to_ms).bind(to_seq).bind(&report);
                keep.execute(&mut *transaction).await?;
            }
            transaction.commit().await?;
            Ok(begun)
        })
        .map_err(unreachable)?;
        Ok(rows == 1)
    }

    /// Marks a sale as archived, once, and stores its summary for the list of sales. Returns whether it was marked. It
    /// is not if the ledger has recorded more since `known` was read, or the sale was recovered or archived.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn archive(&self, known: &LedgerSale, at: Millis, summary: &str) -> Result<bool> {
        const ARCHIVE: &str = "UPDATE sales SET archived_at = $1, summary = $2
            WHERE no = $3 AND applied_ms = $4 AND applied_seq = $5 AND generation_ms = $6 AND generation_seq = $7
            AND archived_at IS NULL";
        let (applied_ms, applied_seq) = columns(known.position.event_id);
        let (generation_ms, generation_seq) = columns(known.generation);
        let marked = on!(write self, pool =>
            sqlx::query(ARCHIVE)
                .bind(at)
                .bind(summary)
                .bind(known.number)
                .bind(applied_ms)
                .bind(applied_seq)
                .bind(generation_ms)
                .bind(generation_seq)
                .execute(pool)
                .await
                .map(|done| done.rows_affected()))
        .map_err(unreachable)?;
        Ok(marked == 1)
    }

    /// Notes that the ledger lacks entries that it had recorded: they were trimmed up to a position that it no longer
    /// has. The count of entries continues from `entries`, the number before the head of the stream. Does nothing if
    /// the position has moved.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn note_missing(&self, kind: &str, sale: &str, position: Position, entries: u64) -> Result<()> {
        const NOTE: &str = "UPDATE sales SET missing = missing + $1 - entries, entries = $1
            WHERE sale = $2 AND kind = $3 AND applied_ms = $4 AND applied_seq = $5 AND entries = $6";
        let (applied_ms, applied_seq) = columns(position.event_id);
        on!(write self, pool =>
            sqlx::query(NOTE)
                .bind(entries.cast_signed())
                .bind(sale)
                .bind(kind)
                .bind(applied_ms)
                .bind(applied_seq)
                .bind(position.entries.cast_signed())
                .execute(pool)
                .await
                .map(drop))
        .map_err(unreachable)
    }

    /// Archived sales, newest first: with numbers below `before`, of the given kind, if any, and with `part`, in small
    /// letters, in their ids. Returns the number and the summary of each.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn archived(
        &self,
        kind: Option<&str>,
        part: Option<&str>,
        sale: Option<&str>,
        before: i64,
        limit: u32,
    ) -> Result<Vec<(i64, String)>> {
        // A sale given by its id is found by the index of ids; all others by the index of numbers.
        const ARCHIVED: &str = "SELECT no, summary FROM sales
            WHERE archived_at IS NOT NULL AND summary IS NOT NULL AND no < $1 AND ($2 = '' OR kind = $2)
                AND ($3 = '' OR REPLACE(LOWER(sale), $3, '') <> LOWER(sale)) AND $4 = ''
            ORDER BY no DESC LIMIT $5";
        const NAMED: &str = "SELECT no, summary FROM sales
            WHERE archived_at IS NOT NULL AND summary IS NOT NULL AND no < $1 AND ($2 = '' OR kind = $2)
                AND ($3 = '' OR REPLACE(LOWER(sale), $3, '') <> LOWER(sale)) AND sale = $4
            ORDER BY no DESC LIMIT $5";
        on!(read self, pool =>
            sqlx::query_as(if sale.is_some() { NAMED } else { ARCHIVED })
                .bind(before)
                .bind(kind.unwrap_or_default())
                .bind(part.unwrap_or_default())
                .bind(sale.unwrap_or_default())
                .bind(i64::from(limit))
                .fetch_all(pool)
                .await)
        .map_err(unreachable)
    }

    /// The ledger's position in a sale, and its tally of rows with one outcome at that position.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn tally_at(&self, number: i64, outcome: &str) -> Result<(EventId, i64)> {
        // One statement, so that both are consistent.
        const TALLY: &str = "SELECT s.applied_ms, s.applied_seq, COALESCE(t.lines, 0) FROM sales s
            LEFT JOIN tallies t ON t.sale_no = s.no AND t.outcome = $2 WHERE s.no = $1";
        let row: Option<(i64, i64, i64)> = on!(read self, pool =>
            sqlx::query_as(TALLY).bind(number).bind(outcome).fetch_optional(pool).await)
        .map_err(unreachable)?;
        let (millis, sequence, lines) = row.unwrap_or_default();
        Ok((event_id(millis, sequence), lines))
    }
}
