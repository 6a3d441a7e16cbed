//! Searches that are checked against the outcomes of all kinds of sale.

use super::LedgerService;
use crate::{
    error::{Error, Result},
    ledger::{Cursor, Page, Row, Search, ways::Way},
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

    /// The ways to what a search finds, for reading it in parts.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub(in crate::ledger) async fn ways(&self, search: &Search) -> Result<Vec<Way>> {
        self.check_search(search)?;
        Ok(self.ledger.ways(search).await?.ways)
    }

    /// At most `limit` rows of these ways after a cursor.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub(in crate::ledger) async fn rows(&self, ways: &[Way], limit: u32, after: Option<Cursor>) -> Result<Vec<Row>> {
        self.ledger.rows_of(ways, limit, after).await
    }

    /// Checks a search, including that some kind of sale has the outcome: a misspelt one would silently find nothing.
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
        Err(Error::bad(
            "outcome",
            format!("There is no outcome \"{outcome}\"; the outcomes are: {}.", known.join(", ")),
        ))
    }
}
