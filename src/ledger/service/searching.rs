//! Searches, with what only the kinds of sale know: which outcomes there are.

use super::LedgerService;
use crate::{
    error::{Error, Result},
    ledger::{Cursor, Page, Row, Search},
};

impl LedgerService {
    /// A page of what a search finds, newest first, after a cursor.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn search(&self, search: &Search, limit: Option<u32>, after: Option<Cursor>) -> Result<Page> {
        self.check_search(search)?;
        self.ledger.search(search, limit, after).await
    }

    /// Rows of a search that was checked, after a cursor.
    ///
    /// # Errors
    /// `bad_request` if a prefix finds too much, `ledger_unavailable`.
    pub async fn rows(&self, search: &Search, limit: u32, after: Option<Cursor>) -> Result<Vec<Row>> {
        self.ledger.rows(search, limit, after).await
    }

    /// Checks what is searched for: also that some kind of sale has such an outcome, as a misspelt one would find nothing.
    ///
    /// # Errors
    /// `bad_request` naming the field that cannot be searched for.
    pub fn check_search(&self, search: &Search) -> Result<()> {
        search.check()?;
        let Some(outcome) = &search.outcome else { return Ok(()) };
        let mut known: Vec<&str> = self.kinds.iter().flat_map(|kind| kind.info().outcomes).copied().collect();
        if known.contains(&outcome.as_str()) {
            return Ok(());
        }
        known.sort_unstable();
        known.dedup();
        Err(Error::bad("outcome", format!("There is no outcome \"{outcome}\"; there are: {}.", known.join(", "))))
    }
}
