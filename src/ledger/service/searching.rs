//! Searches, checked against the outcomes of all kinds of sale.

use crate::service::LedgerService;
use model::{
    Checks,
    error::{Error, Result},
    ledger::{HistoryCursor, Page, Row, Search},
    text::file_name,
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

    /// The place of the row that was recorded last, which is not before `after`, the parameter with this name.
    ///
    /// # Errors
    /// `bad_request` if the ledger has not come to `after` yet; `ledger_unavailable`.
    pub async fn last_recorded(&self, name: &str, after: u64) -> Result<u64> {
        let last = self.ledger.last_recorded().await?;
        if after > last {
            let why = format!(
                "`{name}` is {after}, but the ledger has recorded only {last} rows. It may have been restored, and then \
                 numbers anew what it had lost: read it from an earlier place, or from 0."
            );
            return Err(Error::bad(name, why));
        }
        Ok(last)
    }

    /// The rows of a search between two places in the order of recording, in that order.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn recorded(&self, search: &Search, after: u64, upto: u64) -> Result<Vec<Row>> {
        self.check_search(search)?;
        self.ledger.recorded(search, after, upto).await
    }

    /// The name of a file with the rows of a search, without its ending: after the sale, its kind and the day.
    ///
    /// # Errors
    /// `bad_request` if there is no such kind.
    pub fn file_name(&self, search: &Search) -> Result<String> {
        let kind = search.kind.as_deref().map(|kind| self.kind(kind)).transpose()?;
        let words: Vec<&str> = search.sale.as_deref().into_iter().chain(kind.map(|kind| kind.info().pages)).collect();
        Ok(file_name(if words.is_empty() { &["ledger"] } else { &words }, self.clock.now()))
    }

    /// Checks a search, including the kind of sale and its outcome: a misspelt name would silently find nothing.
    ///
    /// # Errors
    /// `bad_request`, naming the field that cannot be searched for.
    pub(super) fn check_search(&self, search: &Search) -> Result<()> {
        let mut checks = Checks::default();
        checks.note(search.check());
        checks.note(search.kind.as_deref().map_or(Ok(()), |kind| self.check_kind(kind)));
        checks.finish(search.outcome.as_deref().map_or(Ok(()), |outcome| self.check_outcome(outcome)))
    }

    fn check_outcome(&self, outcome: &str) -> Result<()> {
        let mut known: Vec<&str> = self.kinds.iter().flat_map(|kind| kind.info().outcomes).copied().collect();
        if known.contains(&outcome) {
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
