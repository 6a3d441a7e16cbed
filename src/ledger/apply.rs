//! Records stream entries in the ledger: each batch in one transaction, exactly once.
//!
//! The transaction moves each sale's position from the value that the writer assumes. If another writer has moved it,
//! nothing is written. So a writer that was suspended and resumes later can neither write twice nor skip entries that
//! it has not seen. Entries read before the latest recovery of the sale began are not written either. The primary key
//! of the history contains the entry's id, and would refuse duplicates anyway.

use crate::{
    database::{Ledger, columns, in_sqlite_transaction, is_about_the_data, unreachable},
    kind::{Change, ListPart},
    lists::{ADD_PART, entries_to_text},
    postgres::{Held, answered},
};
use model::{EventId, Millis, error::Result};
use sqlx::{Connection, PgConnection, PgPool, SqliteConnection, SqlitePool};
use std::{
    collections::BTreeMap,
    sync::{LazyLock, atomic::Ordering::Relaxed},
};
use store::stream::Entry;

/// A position in a sale's stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The id of the last entry.
    pub event_id: EventId,
    /// The number of entries up to and including that one.
    pub entries: u64,
}

/// The changes that a transaction records for one sale.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub kind: String,
    /// The id of the sale.
    pub sale: String,
    /// The move of the position. `None` for the retry of a dead letter: the position is already past it.
    pub moves: Option<Move>,
    pub rows: Vec<NewRow>,
    /// The terms of the sale as JSON, if an entry opened it.
    pub terms: Option<String>,
    /// Parts of lists, each with its event.
    pub lists: Vec<(EventId, ListPart)>,
    /// The change of the sale's quantity.
    pub delta: i64,
    /// Whether the sale is over after this batch.
    pub closes: bool,
    /// Entries that could not be interpreted.
    pub dead_letters: Vec<RejectedEntry>,
    /// Entries that are no longer dead letters.
    pub released: Vec<EventId>,
}

/// The move of the ledger's position in a stream.
#[derive(Clone, Copy, Debug, Default)]
pub struct Move {
    /// The ledger's position before this batch, as the writer knows it.
    pub from: Position,
    /// The generation of the sale's history, as known before the entries were read.
    pub generation: EventId,
    /// The position after this batch.
    pub to: Position,
    /// The end of the stream when the writer last read it.
    pub seen: Position,
    /// When the writer last read the stream.
    pub seen_at: Millis,
}

/// A change with its index in the stream, the key of its row.
#[derive(Clone, Debug)]
pub struct NewRow {
    pub event_id: EventId,
    /// The index of the change within the entry, from 0.
    pub place: u32,
    /// When it happened.
    pub at: Millis,
    pub change: Change,
}

/// An entry that cannot be recorded.
#[derive(Clone, Debug)]
pub struct RejectedEntry {
    pub entry: Entry,
    /// Why it cannot be recorded, as a sentence.
    pub reason: String,
    /// When it was rejected.
    pub at: Millis,
}

/// The result of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// Everything was recorded.
    Done,
    /// Nothing was written: meanwhile, or before a dead letter was retried, another writer has written or a recovery
    /// has begun.
    Overtaken,
    /// Nothing was written: the database cannot store a value of these rows, for this reason.
    Refused(String),
}

/// Why the database refuses rows, as a sentence for readers of dead letters. The database's own message is logged.
fn refusal(error: &sqlx::Error) -> String {
    tracing::warn!(%error, "the database refuses rows");
    let is_there_already = error.as_database_error().is_some_and(|error| error.is_unique_violation());
    if is_there_already {
        return "the database has rows of this entry already".to_owned();
    }
    "the database cannot store a value in this entry; the server's log has its words".to_owned()
}

/// The maximum number of rows of one INSERT into SQLite. Sizes are powers of two, so only few statements are prepared,
/// each of them once.
const LARGEST_INSERT: usize = 512;
const COLUMNS: usize = 16;

impl Ledger {
    /// Records the batches of several sales, all or nothing.
    ///
    /// # Errors
    /// `ledger_unavailable`: the outcome is unknown, and the stored positions tell it.
    pub async fn apply(&self, batches: &[&Batch]) -> Result<Applied> {
        let applied = match &self.pools {
            crate::database::Pools::Sqlite { write, .. } => apply_sqlite(write, batches).await,
            crate::database::Pools::Postgres { write, .. } => apply_postgres(write, batches).await,
        };
        match applied {
            Ok(true) => {
                let rows: usize = batches.iter().map(|batch| batch.rows.len()).sum();
                self.recorded.fetch_add(rows as u64, Relaxed);
                Ok(Applied::Done)
            }
            Ok(false) => Ok(Applied::Overtaken),
            Err(error) if is_about_the_data(&error) => Ok(Applied::Refused(refusal(&error))),
            Err(error) => Err(unreachable(error)),
        }
    }
}

/// The statements that both databases share, on the transaction's connection. `$answered` limits the wait for each
/// answer. A macro, because sqlx has no trait for both connections.
macro_rules! apply {
    ($transaction:ident, $batches:ident, $insert:path, $answered:path) => {{
        let mut rows: Vec<(i64, &Batch, &NewRow)> =
            Vec::with_capacity($batches.iter().map(|batch| batch.rows.len()).sum());
        let mut tallies = Tallies::default();
        for batch in $batches {
            $answered(sqlx::query(ADD_SALE).bind(&batch.sale).bind(&batch.kind).execute(&mut *$transaction)).await?;
            let number: i64 =
                $answered(sqlx::query_scalar(NUMBER).bind(&batch.sale).bind(&batch.kind).fetch_one(&mut *$transaction))
                    .await?;
            if let Some(step) = &batch.moves {
                let ((from_ms, from_seq), (to_ms, to_seq)) = (columns(step.from.event_id), columns(step.to.event_id));
                let (seen_ms, seen_seq) = columns(step.seen.event_id);
                let (generation_ms, generation_seq) = columns(step.generation);
                let moved = $answered(
                    sqlx::query(MOVE)
                        .bind(to_ms)
                        .bind(to_seq)
                        .bind(step.to.entries.cast_signed())
                        .bind(seen_ms)
                        .bind(seen_seq)
                        .bind(step.seen.entries.cast_signed())
                        .bind(step.seen_at)
                        .bind(number)
                        .bind(from_ms)
                        .bind(from_seq)
                        .bind(generation_ms)
                        .bind(generation_seq)
                        .bind(batch.delta)
                        .execute(&mut *$transaction),
                )
                .await?;
                if moved.rows_affected() != 1 {
                    $answered($transaction.rollback()).await?;
                    return Ok(false);
                }
            } else if batch.delta != 0 {
                $answered(sqlx::query(CHANGE).bind(batch.delta).bind(number).execute(&mut *$transaction)).await?;
            }
            for id in &batch.released {
                let (millis, sequence) = columns(*id);
                // Also locks the sale against a recovery until the transaction ends.
                let is_current = $answered(
                    sqlx::query(OF_THIS_GENERATION)
                        .bind(number)
                        .bind(millis)
                        .bind(sequence)
                        .execute(&mut *$transaction),
                )
                .await?;
                if is_current.rows_affected() != 1 {
                    $answered($transaction.rollback()).await?;
                    return Ok(false);
                }
                let gone = $answered(
                    sqlx::query(RELEASE).bind(number).bind(millis).bind(sequence).execute(&mut *$transaction),
                )
                .await?;
                if gone.rows_affected() != 1 {
                    $answered($transaction.rollback()).await?;
                    return Ok(false);
                }
            }
            if batch.terms.is_some() || batch.closes {
                $answered(
                    sqlx::query(TERMS)
                        .bind(&batch.terms)
                        .bind(i64::from(batch.closes))
                        .bind(number)
                        .execute(&mut *$transaction),
                )
                .await?;
            }
            for (event_id, part) in &batch.lists {
                let (millis, sequence) = columns(*event_id);
                $answered(
                    sqlx::query(ADD_PART)
                        .bind(number)
                        .bind(millis)
                        .bind(sequence)
                        .bind(part.list)
                        .bind(entries_to_text(&part.entries))
                        .execute(&mut *$transaction),
                )
                .await?;
            }
            for reject in &batch.dead_letters {
                let (millis, sequence) = columns(reject.entry.0.parse().unwrap_or_default());
                $answered(
                    sqlx::query(ADD_DEAD_LETTER)
                        .bind(number)
                        .bind(millis)
                        .bind(sequence)
                        .bind(&reject.reason)
                        .bind(crate::dead_letters::pack(&reject.entry))
                        .bind(reject.at)
                        .execute(&mut *$transaction),
                )
                .await?;
            }
            for row in &batch.rows {
                tallies.add(number, &batch.kind, row);
                rows.push((number, batch, row));
            }
        }
        if !rows.is_empty() {
            // As late as possible: another transaction that records rows waits from here on.
            let number = sqlx::query_scalar(PLACES).bind(rows.len() as i64);
            let first: i64 = $answered(number.fetch_one(&mut *$transaction)).await?;
            $answered($insert(&mut *$transaction, &rows, first)).await?;
        }
        for ((number, kind, outcome), Tally { lines, cents, quantity }) in tallies.0 {
            let tally = sqlx::query(TALLY).bind(number).bind(kind).bind(outcome).bind(lines).bind(cents).bind(quantity);
            $answered(tally.execute(&mut *$transaction)).await?;
        }
        $answered($transaction.commit()).await?;
        Ok(true)
    }};
}

const ADD_SALE: &str = "INSERT INTO sales (sale, kind) VALUES ($1, $2) ON CONFLICT DO NOTHING";
const NUMBER: &str = "SELECT no FROM sales WHERE sale = $1 AND kind = $2";
const MOVE: &str = "UPDATE sales SET applied_ms = $1, applied_seq = $2, entries = $3,
    seen_ms = $4, seen_seq = $5, seen_entries = $6, seen_at = $7, quantity = quantity + $13
    WHERE no = $8 AND applied_ms = $9 AND applied_seq = $10
        AND generation_ms = $11 AND generation_seq = $12";
// The position of a dead letter is already past the entry.
const CHANGE: &str = "UPDATE sales SET quantity = quantity + $1 WHERE no = $2";
const TERMS: &str =
    "UPDATE sales SET terms = COALESCE(terms, $1), closed = CASE WHEN $2 = 1 THEN 1 ELSE closed END WHERE no = $3";
const OF_THIS_GENERATION: &str = "UPDATE sales SET closed = closed
    WHERE no = $1 AND (generation_ms < $2 OR (generation_ms = $2 AND generation_seq <= $3))";
const RELEASE: &str = "DELETE FROM set_aside WHERE sale_no = $1 AND event_ms = $2 AND event_seq = $3";
const ADD_DEAD_LETTER: &str = "INSERT INTO set_aside (sale_no, event_ms, event_seq, reason, payload, at)
    VALUES ($1, $2, $3, $4, $5, $6)";
// The first of as many places in the order of recording. The row stays locked until the transaction ends, so places
// become visible in their order, and none is left out: a sequence of the database would promise neither.
const PLACES: &str = "UPDATE recordings SET last = last + $1 RETURNING last - $1 + 1";
const TALLY: &str =
    "INSERT INTO tallies (sale_no, kind, outcome, lines, cents, quantity) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (sale_no, kind, outcome)
    DO UPDATE SET lines = tallies.lines + excluded.lines, cents = tallies.cents + excluded.cents,
        quantity = COALESCE(tallies.quantity + excluded.quantity, tallies.quantity, excluded.quantity)";

async fn apply_sqlite(pool: &SqlitePool, batches: &[&Batch]) -> sqlx::Result<bool> {
    in_sqlite_transaction!(pool, transaction => apply!(transaction, batches, insert_sqlite, std::convert::identity))
}

async fn apply_postgres(pool: &PgPool, batches: &[&Batch]) -> sqlx::Result<bool> {
    let mut held = Held::of(pool).await?;
    let applied = {
        let connection = held.connection();
        let applied = async {
            let mut transaction = answered(connection.begin()).await?;
            apply!(transaction, batches, insert_postgres, answered)
        };
        applied.await
    };
    held.judge(&applied);
    applied
}

/// What to add, by sale, kind and outcome. Sale 0 stands for all sales of the kind.
#[derive(Default)]
struct Tallies<'a>(BTreeMap<(i64, &'a str, &'static str), Tally>);

/// Rows, their cents, and their quantities if they have any.
#[derive(Default)]
struct Tally {
    lines: i64,
    cents: i64,
    quantity: Option<i64>,
}

impl<'a> Tallies<'a> {
    fn add(&mut self, number: i64, kind: &'a str, row: &NewRow) {
        for number in [0, number] {
            let tally = self.0.entry((number, kind, row.change.outcome)).or_default();
            tally.lines += 1;
            tally.cents += row.change.cents;
            if let Some(quantity) = row.change.quantity {
                tally.quantity = Some(tally.quantity.unwrap_or(0) + quantity);
            }
        }
    }
}

/// `INSERTS[n]` takes 2^n rows. The parameters have no names, because SQLite would search a list of names for each of
/// five thousand parameters.
static INSERTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let row = format!("({})", ["?"; COLUMNS].join(","));
    (0..=LARGEST_INSERT.ilog2())
        .map(|power| format!("{INSERT} VALUES {}", vec![row.as_str(); 1 << power].join(",")))
        .collect()
});

const INSERT: &str = "INSERT INTO history
    (event_ms, event_seq, sale_no, place, at, kind, outcome, user_id, request_id, item, cents, order_id, holder, wish,
        reason, recorded)";

/// Inserts rows, the first of them at the place `first` in the order of recording.
async fn insert_sqlite(
    connection: &mut SqliteConnection,
    rows: &[(i64, &Batch, &NewRow)],
    first: i64,
) -> sqlx::Result<()> {
    let (mut rest, mut recorded) = (rows, first..);
    while !rest.is_empty() {
        let power = rest.len().min(LARGEST_INSERT).ilog2();
        let (now, later) = rest.split_at(1 << power);
        rest = later;
        let mut insert = sqlx::query(INSERTS[power as usize].as_str());
        for (number, batch, row) in now {
            let (millis, sequence) = columns(row.event_id);
            insert = insert
                .bind(millis)
                .bind(sequence)
                .bind(number)
                .bind(i64::from(row.place))
                .bind(row.at)
                .bind(&batch.kind)
                .bind(row.change.outcome)
                .bind(row.change.user.as_deref())
                .bind(row.change.request_id.as_deref())
                .bind(row.change.item.as_deref())
                .bind(row.change.cents)
                .bind(row.change.order.as_deref())
                .bind(row.change.holder.as_deref())
                .bind(row.change.requested.as_deref())
                .bind(row.change.reason.as_deref())
                .bind(recorded.next());
        }
        insert.execute(&mut *connection).await?;
    }
    Ok(())
}

/// Like [`insert_sqlite`].
async fn insert_postgres(
    connection: &mut PgConnection,
    rows: &[(i64, &Batch, &NewRow)],
    first: i64,
) -> sqlx::Result<()> {
    const UNNEST: &str = "INSERT INTO history
        (event_ms, event_seq, sale_no, place, at, kind, outcome, user_id, request_id, item, cents, order_id, holder, wish,
            reason, recorded)
        SELECT * FROM UNNEST($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[],
            $7::text[], $8::text[], $9::text[], $10::text[], $11::bigint[], $12::text[], $13::text[], $14::text[],
            $15::text[], $16::bigint[])";
    // Each column has a value from every row, so all columns have the same length. UNNEST would pad shorter ones.
    fn column<'a, T>(rows: &[(i64, &Batch, &'a NewRow)], value: impl Fn(&'a NewRow) -> T) -> Vec<T> {
        rows.iter().map(|(.., row)| value(row)).collect()
    }
    sqlx::query(UNNEST)
        .bind(column(rows, |row| columns(row.event_id).0))
        .bind(column(rows, |row| columns(row.event_id).1))
        .bind(rows.iter().map(|(number, ..)| *number).collect::<Vec<_>>())
        .bind(column(rows, |row| i64::from(row.place)))
        .bind(column(rows, |row| row.at))
        .bind(rows.iter().map(|(_, batch, _)| batch.kind.as_str()).collect::<Vec<_>>())
        .bind(column(rows, |row| row.change.outcome))
        .bind(column(rows, |row| row.change.user.as_deref()))
        .bind(column(rows, |row| row.change.request_id.as_deref()))
        .bind(column(rows, |row| row.change.item.as_deref()))
        .bind(column(rows, |row| row.change.cents))
        .bind(column(rows, |row| row.change.order.as_deref()))
        .bind(column(rows, |row| row.change.holder.as_deref()))
        .bind(column(rows, |row| row.change.requested.as_deref()))
        .bind(column(rows, |row| row.change.reason.as_deref()))
        .bind((first..).take(rows.len()).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}
