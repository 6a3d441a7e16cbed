//! Searches, checked against the outcomes of all kinds of sale.

use crate::service::LedgerService;
use model::{
    error::{Error, Result},
    ledger::{HistoryCursor, Page, Row, Search},
};

impl LedgerService {
    /// A page of search results, newest first, after a cursor.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn search(&self, search: &Search, limit: Option<u32>, after: Option<HistoryCursor>) -> Result<Page> {
        self.check_search(search)?;
        self.ledger.search(search, limit, after).await
    }

    /// At most `limit` rows of a search after a cursor.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn rows(&self, search: &Search, limit: u32, after: Option<HistoryCursor>) -> Result<Vec<Row>> {
        self.check_search(search)?;
        self.ledger.rows(search, limit, after).await
    }

    /// Checks a search, including the kind of sale and its outcome: a misspelt name would silently find nothing.
    ///
    /// # Errors
    /// `bad_request`, naming the field that cannot be searched for.
    fn check_search(&self, search: &Search) -> Result<()> {
        search.check()?;
        if let Some(kind) = &search.kind {
            self.check_kind(kind)?;
        }
        let Some(outcome) = &search.outcome else { return Ok(()) };
        let mut known: Vec<&str> = self.kinds.iter().flat_map(|kind| kind.info().outcomes).copied().collect();
        if known.contains(&outcome.as_str()) {
            return Ok(());
        }
        known.sort_unstable();
        known.dedup();
        Err(Error::bad(
            "outcome",
            format!("There is no outcome \"{outcome}\"; the outcomes are: {}.", known.join(", ")),
        ))
    }
}
