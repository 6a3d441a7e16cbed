//! Entries that could not be applied: kept whole, with the reason, until somebody has looked.

use super::{
    SetAside,
    database::{Ledger, columns, event_id, on, unreachable},
};
use crate::{
    domain::{EventId, Millis, check_id},
    error::{Code, Error, Result},
    store::stream::Entry,
};

/// As many are listed and tried again at a time.
const LISTED: i64 = 100;

/// An entry with all that it takes to try again.
pub struct Kept {
    pub line: SetAside,
    pub entry: Entry,
}

impl Ledger {
    /// The entries set aside of a sale, or of all, oldest first, at most 100.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn set_aside(&self, sale: Option<&str>) -> Result<Vec<SetAside>> {
        Ok(self.kept(sale).await?.into_iter().map(|kept| kept.line).collect())
    }

    /// The same with the entries themselves.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn kept(&self, sale: Option<&str>) -> Result<Vec<Kept>> {
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
                let line = SetAside { kind, sale, event_id, reason, at, tries };
                Ok(Kept { line, entry: unpack(&payload)? })
            })
            .collect()
    }

    /// Notes that an entry was tried again in vain.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn tried_in_vain(&self, kind: &str, sale: &str, id: EventId, reason: &str) -> Result<()> {
        const AGAIN: &str = "UPDATE set_aside SET tries = tries + 1, reason = $1
            WHERE event_ms = $2 AND event_seq = $3
            AND sale_no = (SELECT no FROM sales WHERE sale = $4 AND kind = $5)";
        let (millis, sequence) = columns(id);
        on!(write self, pool => sqlx::query(AGAIN).bind(reason).bind(millis).bind(sequence).bind(sale).bind(kind)
            .execute(pool).await.map(drop))
        .map_err(unreachable)
    }
}

/// An entry as it is kept.
pub(super) fn pack(entry: &Entry) -> Vec<u8> {
    // Texts and bytes written to memory: nothing to fail.
    rmp_serde::to_vec(entry).unwrap_or_default()
}

fn unpack(payload: &[u8]) -> Result<Entry> {
    rmp_serde::from_slice(payload)
        .map_err(|error| Error::new(Code::Internal, format!("An entry set aside cannot be read back: {error}.")))
}
