//! Dead letters: entries that could not be recorded. They are kept whole, with the reason, until they are retried.

use crate::database::{Ledger, columns, event_id, on, unreachable};
use model::{
    EventId, Millis, check_id,
    error::{Error, Result},
    ledger::{DeadLetter, SaleName},
};
use std::collections::BTreeMap;
use store::stream::Entry;

/// The maximum number of listed dead letters, and of retries at a time.
const LISTED: i64 = 100;
const RETRIED: i64 = 1_000;

/// A dead letter with the entry, which a retry needs.
pub struct StoredDeadLetter {
    /// The description of the entry.
    pub letter: DeadLetter,
    pub entry: Entry,
}

/// The dead letters of kind `$1` and sale `$2`. Null stands for any.
macro_rules! dead_letters {
    ($order:literal) => {
        concat!(
            "SELECT s.kind, s.sale, a.event_ms, a.event_seq, a.reason, a.payload, a.at, a.tries
            FROM set_aside a JOIN sales s ON s.no = a.sale_no
            WHERE (CAST($1 AS TEXT) IS NULL OR s.kind = $1) AND (CAST($2 AS TEXT) IS NULL OR s.sale = $2) ",
            $order
        )
    };
}

impl Ledger {
    /// The dead letters of a kind, of a sale, or all: the oldest 100, oldest first.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn dead_letters(&self, kind: Option<&str>, sale: Option<&str>) -> Result<Vec<DeadLetter>> {
        const OLDEST: &str = dead_letters!("ORDER BY a.event_ms, a.event_seq, a.sale_no LIMIT $3");
        let stored = self.stored_dead_letters(OLDEST, kind, sale, LISTED).await?;
        Ok(stored.into_iter().map(|stored| stored.letter).collect())
    }

    /// The number of dead letters.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn dead_letter_count(&self) -> Result<u64> {
        const COUNT: &str = "SELECT COUNT(*) FROM set_aside";
        let count: i64 =
            on!(read self, pool => sqlx::query_scalar(COUNT).fetch_one(pool).await).map_err(unreachable)?;
        Ok(count.cast_unsigned())
    }

    /// The sales with dead letters, newest first, at most `limit` of them, and how many each has. Those from before its
    /// latest recovery do not count.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn dead_letters_by_sale(&self, limit: u32) -> Result<Vec<(SaleName, u64)>> {
        const COUNTS: &str = "SELECT s.kind, s.sale, COUNT(*) FROM set_aside a JOIN sales s ON s.no = a.sale_no
            WHERE a.event_ms > s.generation_ms OR (a.event_ms = s.generation_ms AND a.event_seq >= s.generation_seq)
            GROUP BY s.no, s.kind, s.sale ORDER BY s.no DESC LIMIT $1";
        let counts: Vec<(String, String, i64)> =
            on!(read self, pool => sqlx::query_as(COUNTS).bind(i64::from(limit)).fetch_all(pool).await)
                .map_err(unreachable)?;
        Ok(counts.into_iter().map(|(kind, sale, count)| (SaleName { kind, sale }, count.cast_unsigned())).collect())
    }

    /// The 1,000 dead letters with the fewest tries, with their entries. So retries get past those that fail each time.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn dead_letters_to_retry(&self, kind: Option<&str>, sale: Option<&str>) -> Result<Vec<StoredDeadLetter>> {
        const LEAST_TRIED: &str = dead_letters!("ORDER BY a.tries, a.event_ms, a.event_seq, a.sale_no LIMIT $3");
        self.stored_dead_letters(LEAST_TRIED, kind, sale, RETRIED).await
    }

    /// All dead letters of a sale, including those from before its latest recovery.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn dead_letters_of(&self, number: i64) -> Result<BTreeMap<EventId, Entry>> {
        const OF_SALE: &str = "SELECT event_ms, event_seq, payload FROM set_aside WHERE sale_no = $1";
        let rows: Vec<(i64, i64, Vec<u8>)> =
            on!(read self, pool => sqlx::query_as(OF_SALE).bind(number).fetch_all(pool).await).map_err(unreachable)?;
        rows.into_iter()
            .map(|(millis, sequence, payload)| Ok((event_id(millis, sequence), unpack(&payload)?)))
            .collect()
    }

    async fn stored_dead_letters(
        &self,
        sql: &'static str,
        kind: Option<&str>,
        sale: Option<&str>,
        most: i64,
    ) -> Result<Vec<StoredDeadLetter>> {
        type Columns = (String, String, i64, i64, String, Vec<u8>, Millis, i64);
        if let Some(sale) = sale {
            check_id("sale", sale)?;
        }
        let rows: Vec<Columns> =
            on!(read self, pool => sqlx::query_as(sql).bind(kind).bind(sale).bind(most).fetch_all(pool).await)
                .map_err(unreachable)?;
        rows.into_iter()
            .map(|(kind, sale, millis, sequence, reason, payload, at, tries)| {
                let event_id = event_id(millis, sequence);
                let tries = u32::try_from(tries).unwrap_or(u32::MAX);
                let letter = DeadLetter { kind, sale, event_id, reason, at, tries };
                Ok(StoredDeadLetter { letter, entry: unpack(&payload)? })
            })
            .collect()
    }

    /// Notes a failed retry of a dead letter.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn retry_failed(&self, kind: &str, sale: &str, id: EventId, reason: &str) -> Result<()> {
        const AGAIN: &str = "UPDATE set_aside SET tries = tries + 1, reason = $1
            WHERE event_ms = $2 AND event_seq = $3
            AND sale_no = (SELECT no FROM sales WHERE sale = $4 AND kind = $5)";
        let (millis, sequence) = columns(id);
        on!(write self, pool => sqlx::query(AGAIN).bind(reason).bind(millis).bind(sequence).bind(sale).bind(kind)
            .execute(pool).await.map(drop))
        .map_err(unreachable)
    }
}

/// The stored form of an entry.
pub(super) fn pack(entry: &Entry) -> Vec<u8> {
    // Writing text and bytes to memory cannot fail.
    rmp_serde::to_vec(entry).unwrap_or_default()
}

fn unpack(payload: &[u8]) -> Result<Entry> {
    rmp_serde::from_slice(payload).map_err(Error::internal)
}
