//! The notes on a sale, for a file.

use crate::service::LedgerService;
use model::{Checks, check_id, error::Result, notes::export::NoteOfSale};
use std::cmp::Reverse;

impl LedgerService {
    /// The notes on the sale with this id of one kind, or of any, the newest first; none if there is no such sale.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn notes(&self, kind: Option<&str>, sale: &str) -> Result<Vec<NoteOfSale>> {
        let mut checks = Checks::default();
        checks.note(check_id("sale", sale));
        checks.finish(kind.map_or(Ok(()), |kind| self.check_kind(kind)))?;
        let kinds = self.kinds.iter().map(|known| known.info().id);
        let mut notes = Vec::new();
        for known in kinds.filter(|known| kind.is_none_or(|kind| kind == *known)) {
            let of_kind = self.ledger.notes(known, sale).await?.into_iter();
            notes.extend(of_kind.map(|note| NoteOfSale { kind: known.to_owned(), sale: sale.to_owned(), note }));
        }
        notes.sort_by_key(|of_sale| Reverse(of_sale.note.at));
        Ok(notes)
    }
}
