//! Whether the ledger has the entries of a stream: single events, for the fence and for recoveries, and all trimmed
//! entries. A ledger whose database came back without its end lacks some of them.

use crate::{
    database::{Ledger, columns, on, unreachable},
    sale::LedgerSale,
    scripts::stream_position,
};
use futures::future::{BoxFuture, FutureExt};
use model::{
    EventId,
    error::{Code, Error, Result},
};
use store::{Store, fence::Records};

impl Ledger {
    /// Whether the ledger has recorded an event of a sale, or set it aside. Every event has at least one row.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn has_event(&self, number: i64, event: EventId) -> Result<bool> {
        const ROWS: &str = "SELECT
            (SELECT COUNT(*) FROM history WHERE event_ms = $1 AND event_seq = $2 AND sale_no = $3)
            + (SELECT COUNT(*) FROM set_aside WHERE event_ms = $1 AND event_seq = $2 AND sale_no = $3)";
        let (millis, sequence) = columns(event);
        let rows: i64 = on!(read self, pool =>
            sqlx::query_scalar(ROWS).bind(millis).bind(sequence).bind(number).fetch_one(pool).await)
        .map_err(unreachable)?;
        Ok(rows > 0)
    }
}

impl Records for Ledger {
    fn has_recorded<'a>(&'a self, kind: &'a str, sale: &'a str, event: EventId) -> BoxFuture<'a, Result<bool>> {
        async move {
            let Some(known) = self.sale(kind, sale).await? else { return Ok(false) };
            // Trimmed entries had been recorded. So a ledger that ends before such an entry has lost its own end, and
            // says nothing about Redis.
            if known.missing > 0 || known.position.event_id < event {
                tracing::warn!(kind, sale, %event, "the ledger has lost the end of a sale, and cannot tell what Redis has");
                return Ok(true);
            }
            self.has_event(known.number, event).await
        }
        .boxed()
    }
}

/// The number of a sale's entries that the ledger had recorded and has lost, after they were trimmed from the stream.
/// `before` is the number of entries that are gone from the stream.
pub fn missing(known: &LedgerSale, before: u64) -> u64 {
    let entries = known.position.entries;
    // A ledger that was attached later has none of the earlier entries.
    known.missing + if entries == 0 { 0 } else { before.saturating_sub(entries) }
}

/// Refuses to rebuild a sale if the ledger has lost entries of it. Their items would be available again.
///
/// # Errors
/// `internal` in this case; `unavailable`.
pub async fn refuse_incomplete(store: &Store, known: &LedgerSale) -> Result<()> {
    let stream = stream_position(store, &known.kind, &known.sale, Some(known.position.event_id)).await?;
    match missing(known, stream.map_or(0, |stream| stream.before())) {
        0 => Ok(()),
        missing => Err(Error::new(
            Code::Internal,
            format!(
                "The ledger has lost {missing} entries of the sale \"{}\", which Redis no longer has either, so a recovery \
                 would give away again what they gave. Restore the ledger's database with these entries, then run it again.",
                known.sale
            ),
        )),
    }
}
