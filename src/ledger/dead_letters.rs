//! Dead letters: entries that could not be recorded, kept whole with the reason until somebody has looked.

use super::{
    DeadLetter,
    database::{Ledger, columns, event_id, on, unreachable},
};
use crate::{
    domain::{EventId, Millis, check_id},
    error::{Code, Error, Result},
    store::stream::Entry,
};

/// How many are listed, or tried again, at a time.
const LISTED: i64 = 100;

/// A dead letter with the entry itself, which it takes to try again.
pub struct StoredDeadLetter {
    pub letter: DeadLetter,
    pub entry: Entry,
}

impl Ledger {
    /// The dead letters of a sale, or of all, oldest first, at most 100.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn dead_letters(&self, sale: Option<&str>) -> Result<Vec<DeadLetter>> {
        Ok(self.stored_dead_letters(sale).await?.into_iter().map(|stored| stored.letter).collect())
    }

    /// As [`Ledger::dead_letters`], with the entries themselves.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn stored_dead_letters(&self, sale: Option<&str>) -> Result<Vec<StoredDeadLetter>> {
        const ALL: &str = "SELECT s.kind, s.sale, a.event_ms, a.event_seq, a.reason, a.payload, a.at, a.tries
            FROM set_aside a JOIN sales s ON s.no = a.sale_no ORDER BY a.event_ms, a.event_seq LIMIT $1";
        const OF_ONE: &str = "SELECT s.kind, s.sale, a.event_ms, a.event_seq, a.reason, a.payload, a.at, a.tries
            FROM set_aside a JOIN sales s ON s.no = a.sale_no WHERE s.sale = $2
            ORDER BY a.event_ms, a.event_seq LIMIT $1";
        type Columns = (String, String, i64, i64, String, Vec<u8>, Millis, i64);
        let rows: Vec<Columns> = match sale {
            Some(sale) => {
                check_id("sale", sale)?;
                on!(read self, pool => sqlx::query_as(OF_ONE).bind(LISTED).bind(sale).fetch_all(pool).await)
            }
            None => on!(read self, pool => sqlx::query_as(ALL).bind(LISTED).fetch_all(pool).await),
        }
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

    /// Notes that a dead letter was tried again in vain.
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

/// An entry as it is stored.
pub(super) fn pack(entry: &Entry) -> Vec<u8> {
    // Writing texts and bytes to memory cannot fail.
    rmp_serde::to_vec(entry).unwrap_or_default()
}

fn unpack(payload: &[u8]) -> Result<Entry> {
    rmp_serde::from_slice(payload)
        .map_err(|error| Error::new(Code::Internal, format!("A dead letter cannot be read back: {error}.")))
}
