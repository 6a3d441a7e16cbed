//! The change feed: rows in the order of recording, as soon as they are there.

use crate::service::LedgerService;
use model::{
    error::Result,
    ledger::{Changes, ChangesQuery, MOST_LIMIT, Search, changes::MOST_PLACES},
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

impl LedgerService {
    /// A part of the change feed. If there is no row, waits for one, but not after the server has been asked to stop.
    ///
    /// # Errors
    /// `bad_request` if the search is invalid, or if the ledger has not come to the place after which the part begins;
    /// `ledger_unavailable`.
    pub async fn changes(&self, query: &ChangesQuery, stop: &CancellationToken) -> Result<Changes> {
        self.check_search(&query.search)?;
        let deadline = Instant::now() + query.wait;
        let mut after = query.after;
        let mut last = self.last_recorded("after", after).await?;
        loop {
            let part = self.part(query, after, last).await?;
            // Beyond what was passed over, there may be rows already.
            if !part.rows.is_empty() || part.next < last {
                return Ok(part);
            }
            let Some(later) = self.recordings.after(part.next, deadline, stop).await? else { return Ok(part) };
            (after, last) = (part.next, later);
        }
    }

    /// Waits for a row after this place, until the deadline or until the server stops.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn wait_for_row(&self, after: u64, deadline: Instant, stop: &CancellationToken) -> Result<()> {
        self.recordings.after(after, deadline, stop).await.map(drop)
    }

    /// The first rows that are wanted after one place and up to another.
    async fn part(&self, query: &ChangesQuery, after: u64, last: u64) -> Result<Changes> {
        let (limit, end) = (query.limit as usize, last.min(after.saturating_add(MOST_PLACES)));
        // Without a search, every place has a row that is wanted.
        let places = if query.search == Search::default() { query.limit } else { MOST_LIMIT };
        let mut part = Changes { rows: Vec::new(), next: after };
        while part.next < end && part.rows.len() < limit {
            let upto = end.min(part.next + u64::from(places));
            part.rows.extend(self.ledger.recorded(&query.search, part.next, upto).await?);
            part.next = upto;
        }
        if part.rows.len() >= limit {
            part.rows.truncate(limit);
            part.next = part.rows.last().map_or(part.next, |row| row.recorded);
        }
        Ok(part)
    }
}
