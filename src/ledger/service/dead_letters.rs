//! Listing and retrying dead letters.

use crate::{
    apply::{Applied, Batch},
    dead_letters::StoredDeadLetter,
    service::LedgerService,
    writer::add,
};
use model::{
    error::{Code, Result},
    ledger::{DeadLetter, Retried, SaleName},
};
use store::stream::Entry;

impl LedgerService {
    /// The dead letters of a kind, of a sale, or all: the oldest 100, oldest first.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn dead_letters(&self, kind: Option<&str>, sale: Option<&str>) -> Result<Vec<DeadLetter>> {
        kind.map_or(Ok(()), |kind| self.check_kind(kind))?;
        self.ledger.dead_letters(kind, sale).await
    }

    /// The sales with dead letters, newest first, at most `limit` of them, and how many each has.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn dead_letters_by_sale(&self, limit: u32) -> Result<Vec<(SaleName, u64)>> {
        self.ledger.dead_letters_by_sale(limit).await
    }

    /// Retries dead letters of a kind, of a sale, or of all: the 1,000 with the fewest tries.
    ///
    /// # Errors
    /// `bad_request`, `unavailable`, `ledger_unavailable`.
    pub async fn retry(&self, kind: Option<&str>, sale: Option<&str>) -> Result<Retried> {
        kind.map_or(Ok(()), |kind| self.check_kind(kind))?;
        let mut retried = Retried::default();
        for StoredDeadLetter { letter, entry } in self.ledger.dead_letters_to_retry(kind, sale).await? {
            let DeadLetter { kind, sale, event_id, .. } = letter;
            let released = vec![event_id];
            let mut batch = Batch { kind: kind.clone(), sale: sale.clone(), released, ..Batch::default() };
            let reason = match self.retry_one(&mut batch, entry).await {
                Ok(reason) => reason,
                // Nothing more can be recorded now.
                Err(error) if matches!(error.code, Code::LedgerUnavailable | Code::Unavailable) => return Err(error),
                Err(error) => Some(error.message),
            };
            match reason {
                Some(reason) => {
                    self.ledger.retry_failed(&kind, &sale, event_id, &reason).await?;
                    retried.still_set_aside += 1;
                }
                None => retried.applied += 1,
            }
        }
        Ok(retried)
    }

    /// Records a dead letter. Returns the reason if it cannot be recorded.
    async fn retry_one(&self, batch: &mut Batch, entry: Entry) -> Result<Option<String>> {
        let interpreter = self.kind(&batch.kind)?.interpreter(&batch.sale).await?;
        add(batch, &interpreter, entry, self.clock.now())?;
        if let Some(rejected) = batch.dead_letters.pop() {
            return Ok(Some(rejected.reason));
        }
        Ok(match self.ledger.apply(&[batch]).await? {
            Applied::Refused(reason) => Some(reason),
            Applied::Done => None,
            Applied::Overtaken => self.lost_to_recovery(batch).await?,
        })
    }

    /// Why a dead letter from before a recovery can no longer be recorded. `None` if another call recorded it at the
    /// same time.
    async fn lost_to_recovery(&self, batch: &Batch) -> Result<Option<String>> {
        let known = self.ledger.sale(&batch.kind, &batch.sale).await?;
        let is_of_before =
            known.is_some_and(|known| batch.released.iter().any(|event_id| *event_id < known.generation));
        Ok(is_of_before.then(|| {
            "the sale was recovered without this entry; what it gave may belong to somebody else by now".to_owned()
        }))
    }
}
