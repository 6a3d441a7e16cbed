//! What happened to a sale between two events: as far as the ledger is, from the ledger, and from there on from
//! the stream. Whatever the lag, and also where the stream is trimmed meanwhile, each thing is told once.

use super::{account::Account, database::Ledger, script::mark};
use crate::{
    domain::EventId,
    error::{Error, Result},
    store::{Store, keys, stream::Entry},
};
use std::future::Future;

/// Entries read at a time; each holds up to 256 attempts.
const EVENTS_AT_A_TIME: usize = 64;

/// Who is told.
pub trait Listener: Send {
    /// Reads the rows of the ledger after one event up to another.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    fn rows(
        &mut self,
        ledger: &Ledger,
        account: &Account,
        after: EventId,
        upto: EventId,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Reads an entry of the stream.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn entry(&mut self, entry: &Entry) -> Result<()>;
}

/// The past of one sale.
pub struct Past<'a> {
    pub store: &'a Store,
    pub ledger: &'a Ledger,
    pub kind: &'a str,
    pub sale: &'a str,
}

impl Past<'_> {
    /// Tells what happened after one event up to another, each thing once.
    ///
    /// # Errors
    /// `unknown_sale`, `unavailable`, `ledger_unavailable`.
    pub async fn tell(&self, mut from: EventId, upto: EventId, listener: &mut impl Listener) -> Result<()> {
        while from < upto {
            if let Some((account, _)) = self.ledger.account(self.kind, self.sale).await? {
                let written = account.position.event_id.min(upto);
                if written > from {
                    listener.rows(self.ledger, &account, from, written).await?;
                    from = written;
                    continue;
                }
            }
            from = self.stream(from, upto, listener).await?;
        }
        Ok(())
    }

    /// Tells what the stream has, until its end or until the ledger has caught up and the stream is trimmed;
    /// says how far it came.
    async fn stream(&self, mut from: EventId, upto: EventId, listener: &mut impl Listener) -> Result<EventId> {
        let key = keys::sale(self.kind, self.sale, "events");
        loop {
            let args = (&key, format!("({from}"), upto.to_string(), "COUNT", EVENTS_AT_A_TIME);
            let entries: Vec<Entry> = self.store.query("XRANGE", args).await?;
            // Asked after the entries were read: if nothing was trimmed by now, none was missing then.
            let Some(now) = mark(self.store, self.kind, self.sale, Some(from)).await? else {
                return Err(Error::unknown_sale(self.sale));
            };
            if now.end.entries > now.length {
                // Up to where, Redis does not say. Where the ledger has it by now, it tells. Else it was taken out by
                // another hand, and what is left of the stream must do.
                let account = self.ledger.account(self.kind, self.sale).await?;
                if account.is_some_and(|(account, _)| account.position.event_id > from) {
                    return Ok(from);
                }
            }
            for entry in &entries {
                listener.entry(entry)?;
                from = entry.0.parse()?;
            }
            if entries.len() < EVENTS_AT_A_TIME {
                return Ok(upto);
            }
        }
    }
}
