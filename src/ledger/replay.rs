//! Replays the history of a sale between two events: from the ledger as far as it has recorded the stream, and from the
//! stream after that. Each event is visited once, whatever the lag, and even if the stream is trimmed meanwhile.

use crate::{database::Ledger, sale::LedgerSale, scripts::stream_position};
use model::{
    EventId,
    error::{Error, Result},
};
use std::future::Future;
use store::{Store, stream::Entry};

/// The number of entries read at a time. Each has up to 256 attempts.
const ENTRIES_AT_A_TIME: usize = 64;

/// Receives the history of a sale from its two sources.
pub trait HistoryVisitor: Send {
    /// Reads the ledger's rows after one event, up to and including another.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    fn rows(
        &mut self,
        ledger: &Ledger,
        sale: &LedgerSale,
        after: EventId,
        upto: EventId,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Reads an entry of the stream.
    ///
    /// # Errors
    /// If the entry cannot be read.
    fn entry(&mut self, entry: &Entry) -> Result<()>;
}

/// The history of one sale.
pub struct Replay<'a> {
    /// The Redis that has the stream.
    pub store: &'a Store,
    pub ledger: &'a Ledger,
    pub kind: &'a str,
    /// The id of the sale.
    pub sale: &'a str,
}

impl Replay<'_> {
    /// Visits everything after one event, up to and including another.
    ///
    /// # Errors
    /// `unknown_sale`, `unavailable`, `ledger_unavailable`.
    pub async fn visit(&self, mut from: EventId, upto: EventId, visitor: &mut impl HistoryVisitor) -> Result<()> {
        while from < upto {
            if let Some(known) = self.ledger.sale(self.kind, self.sale).await? {
                let recorded = known.position.event_id.min(upto);
                if recorded > from {
                    visitor.rows(self.ledger, &known, from, recorded).await?;
                    from = recorded;
                    continue;
                }
            }
            from = self.visit_stream(from, upto, visitor).await?;
        }
        Ok(())
    }

    /// Visits the stream until its end, or until it is trimmed because the ledger has caught up. Returns the last
    /// visited event.
    async fn visit_stream(
        &self,
        mut from: EventId,
        upto: EventId,
        visitor: &mut impl HistoryVisitor,
    ) -> Result<EventId> {
        let key = self.store.sale_key(self.kind, self.sale, "events");
        loop {
            let args = (&key, format!("({from}"), upto.to_string(), "COUNT", ENTRIES_AT_A_TIME);
            let entries: Vec<Entry> = self.store.query("XRANGE", args).await?;
            // Checked after the entries were read: if nothing has been trimmed by now, none was missing then.
            let Some(now) = stream_position(self.store, self.kind, self.sale, Some(from)).await? else {
                return Err(Error::unknown_sale(self.sale));
            };
            if now.end.entries > now.length {
                // Redis does not say how far it was trimmed. If the ledger has recorded more by now, the replay
                // continues there. Otherwise entries were deleted by hand, and the rest of the stream has to suffice.
                let known = self.ledger.sale(self.kind, self.sale).await?;
                if known.is_some_and(|known| known.position.event_id > from) {
                    return Ok(from);
                }
            }
            for entry in &entries {
                visitor.entry(entry)?;
                from = entry.0.parse()?;
            }
            if entries.len() < ENTRIES_AT_A_TIME {
                return Ok(upto);
            }
        }
    }
}
