//! Notes of operators on sales of any kind, in Redis or archived.

use crate::KINDS;
use async_trait::async_trait;
use ledger::database::Ledger;
use model::{
    check_id,
    error::{Error, Result},
    find_kind,
    notes::{MAX_NOTES, Note, Noted, NotesApi, check_note},
};
use std::sync::Arc;
use store::{
    Store,
    listing::state_of,
    runtime::{Clock, Ids},
};

/// Adds and lists the notes on sales.
pub struct Notes {
    store: Store,
    ledger: Ledger,
    clock: Arc<dyn Clock>,
    ids: Arc<Ids>,
}

impl Notes {
    /// The notes in this ledger.
    pub fn new(store: Store, ledger: Ledger, clock: Arc<dyn Clock>, ids: Arc<Ids>) -> Self {
        Self { store, ledger, clock, ids }
    }

    /// Whether there is this sale. The ledger has most; Redis has those whose opening it does not have yet.
    async fn is_known(&self, kind: &str, sale: &str) -> Result<bool> {
        Ok(self.ledger.sale(kind, sale).await?.is_some() || state_of(&self.store, kind, sale).await?.is_some())
    }
}

#[async_trait]
impl NotesApi for Notes {
    async fn add(&self, kind: &str, sale: &str, text: &str, request_id: Option<String>) -> Result<Noted> {
        let kind = find_kind(KINDS.iter(), kind)?.info.id;
        check_id("sale", sale)?;
        check_note(text)?;
        let request_id = self.ids.request_id(request_id)?;
        if !self.is_known(kind, sale).await? {
            return Err(Error::unknown_sale(sale));
        }
        let note = Note { at: self.clock.now(), text: text.trim().to_owned(), request_id };
        if self.ledger.add_note(kind, sale, &note).await? {
            return Ok(Noted::Noted { note });
        }
        let known = self.ledger.notes(kind, sale).await?;
        match known.into_iter().find(|known| known.request_id == note.request_id) {
            Some(known) if known.text == note.text => Ok(Noted::Repeat { note: known }),
            Some(_) => Err(Error::bad("request_id", "This request id has added another note; use a new one.")),
            None => Err(Error::bad("sale", format!("This sale has {MAX_NOTES} notes, which are the most."))),
        }
    }

    async fn notes(&self, kind: &str, sale: &str) -> Result<Vec<Note>> {
        let kind = find_kind(KINDS.iter(), kind)?.info.id;
        check_id("sale", sale)?;
        self.ledger.notes(kind, sale).await
    }
}
