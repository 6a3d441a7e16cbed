//! What a sale has given away before its start, by the times of the events.

use crate::crowd::runner::Crowds;
use ledger::kind::{Interpretation, Interpreter};
use model::{EventId, KindInfo, Millis, error::Result, find_kind};
use store::{listing::field_of, stream::Entry};

/// The rows or entries that are read at a time.
const AT_A_TIME: u32 = 1_000;

impl Crowds {
    /// The number of times that a sale has given something away before its start, recorded or not; `None` if it has no
    /// start.
    ///
    /// # Errors
    /// `unavailable`, `ledger_unavailable`.
    pub(super) async fn given_before_start(&self, kind: &KindInfo, sale: &str) -> Result<Option<u64>> {
        let opens_at = field_of(&self.store, kind.id, sale, "opens_at").await?;
        let Some(opens_at) = opens_at.and_then(|at| at.parse::<Millis>().ok()) else { return Ok(None) };
        let given = find_kind(self.kinds.iter().map(AsRef::as_ref), kind.id)?.given();
        let known = self.ledger.ledger.sale(kind.id, sale).await?;
        let upto = known.as_ref().map(|known| known.position.event_id).unwrap_or_default();
        let recorded = match &known {
            Some(known) => self.recorded_before(known.number, given, opens_at, upto).await?,
            None => 0,
        };
        let interpreter = self.ledger.interpreter(kind.id, sale).await?;
        let waiting = self.waiting_before(kind, sale, given, opens_at, upto, &interpreter).await?;
        Ok(Some(recorded + waiting))
    }

    /// The number of rows with this outcome from before a time, up to an event.
    async fn recorded_before(&self, number: i64, outcome: &str, time: Millis, upto: EventId) -> Result<u64> {
        let (mut found, mut after) = (0, (EventId::default(), -1));
        loop {
            let rows = self.ledger.ledger.item_rows(number, outcome, after, AT_A_TIME).await?;
            // They are in the order of their times.
            let early = rows.iter().take_while(|row| row.at < time && row.position().0 <= upto).count();
            found += early as u64;
            match rows.last() {
                Some(last) if early == AT_A_TIME as usize => after = last.position(),
                _ => return Ok(found),
            }
        }
    }

    /// The same in the entries of the stream after an event, which the ledger has not recorded yet.
    async fn waiting_before(
        &self,
        kind: &KindInfo,
        sale: &str,
        outcome: &str,
        time: Millis,
        after: EventId,
        interpreter: &Interpreter,
    ) -> Result<u64> {
        let (mut found, mut after) = (0, after.to_string());
        loop {
            let args = (self.store.sale_key(kind.id, sale, "events"), format!("({after}"), "+", "COUNT", AT_A_TIME);
            let entries: Vec<Entry> = self.store.query("XRANGE", args).await?;
            let is_last = entries.len() < AT_A_TIME as usize;
            for entry in entries {
                after.clone_from(&entry.0);
                // What nobody can interpret becomes a dead letter, and the audit tells of it.
                let Ok(Interpretation { at, changes, .. }) = interpreter(&entry) else { continue };
                if at >= time {
                    return Ok(found);
                }
                found += changes.iter().filter(|change| change.outcome == outcome).count() as u64;
            }
            if is_last {
                return Ok(found);
            }
        }
    }
}
