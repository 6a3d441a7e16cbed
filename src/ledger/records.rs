//! Whether the ledger has what was in a stream: single events, which the fence and recoveries ask for; and all that was
//! trimmed, which a ledger whose database came back without its end has not.

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
            // What was trimmed had been recorded, so a ledger that ends before it has lost its own end, and says nothing
            // about Redis.
            if known.missing > 0 || known.position.event_id < event {
                tracing::warn!(kind, sale, %event, "the ledger has lost the end of a sale, and cannot tell what Redis has");
                return Ok(true);
            }
            self.has_event(known.number, event).await
        }
        .boxed()
    }
}

/// How many entries of a sale the ledger had recorded and has lost, after they were trimmed from a stream of which
/// `before` entries are gone.
pub fn missing(known: &LedgerSale, before: u64) -> u64 {
    let entries = known.position.entries;
    // A ledger that was attached later has none of those before.
    known.missing + if entries == 0 { 0 } else { before.saturating_sub(entries) }
}

/// Refuses to rebuild a sale of which the ledger has lost entries: what they gave would be available again.
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
