//! The sorted list: all sales that match, in the order of a column, with their sums.

use crate::list::{
    cursor::ListCursor,
    service::{CheckedQuery, FoundPage, OfAll, Part, SUMMARIES_AT_A_TIME, SaleLists},
};
use model::{
    SaleState,
    error::Result,
    list::{MAX_SORTED, SaleSummary, SaleTotals, short_ids},
};
use std::sync::Arc;
use store::keys;

/// The newest sales, at most as many as are sorted.
pub(super) struct AllSales {
    names: Vec<ListCursor>,
    part: Part,
}

impl SaleLists {
    /// A page of the sorted list. `None` if the query asks for no order, for one certain id, or for a page of the
    /// unsorted list; or if there are more sales than are sorted.
    pub(super) async fn sorted(&self, wanted: &CheckedQuery) -> Result<Option<FoundPage>> {
        let Some(sort) = wanted.sort.filter(|_| wanted.sale.is_none()) else { return Ok(None) };
        let skip = match wanted.after.as_deref().map(str::parse::<usize>) {
            None => 0,
            Some(Ok(skip)) => skip,
            Some(Err(_)) => return Ok(None),
        };
        let listed: usize = self.store.query("ZCARD", self.store.key(keys::SALES)).await?;
        if listed > MAX_SORTED {
            return Ok(None);
        }
        let all = self.all_sales().await?;
        let is_found = |(name, sale): &&(ListCursor, SaleSummary)| {
            wanted.is_wanted(name) && wanted.is_in_state(sale) && wanted.is_found(sale)
        };
        let mut found: Vec<_> = all.part.found.iter().filter(is_found).collect();
        // Of these, only the ids are known.
        let is_away = |name: &&ListCursor| wanted.is_wanted(name) && wanted.is_found_by_id(name);
        let away = all.part.away.iter().filter(is_away).cloned().collect();
        let totals = SaleTotals::of(all.names.len() as u64, found.iter().map(|(_, sale)| sale));
        found.sort_by(|(_, one), (_, other)| sort.compare(one, other));
        let end = skip.saturating_add(wanted.limit);
        let next = (found.len() > end).then(|| end.to_string());
        let found: Vec<_> = found.into_iter().skip(skip).take(wanted.limit).cloned().collect();
        let short_ids =
            short_ids(found.iter().map(|(_, sale)| sale.sale.as_str()), all.names.iter().map(ListCursor::sale));
        Ok(Some(FoundPage { part: Part { found, away }, next, of_all: Some(OfAll { totals, short_ids }) }))
    }

    /// The sales among the newest 2,000 that are suspended, sold out or low, newest first.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn noteworthy(&self) -> Result<Vec<SaleSummary>> {
        let is_noteworthy =
            |sale: &&SaleSummary| matches!(sale.state, SaleState::Suspended | SaleState::SoldOut) || sale.is_low();
        let all = self.all_sales().await?;
        Ok(all.part.found.iter().map(|(_, sale)| sale).filter(is_noteworthy).cloned().collect())
    }

    /// The newest sales, read in parts, so that nothing else waits for long, and for all readers at once.
    async fn all_sales(&self) -> Result<Arc<AllSales>> {
        let read = async {
            let names = self.names(None, MAX_SORTED).await?;
            let mut part = Part::default();
            for names in names.chunks(SUMMARIES_AT_A_TIME) {
                part.add(self.summaries(names).await?);
            }
            Ok(Arc::new(AllSales { names, part }))
        };
        self.all.get(0, read).await
    }
}
