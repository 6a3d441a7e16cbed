//! The sorted list: all sales that match, in the order of a column, with their sums.

use crate::list::{
    cursor::ListCursor,
    service::{CheckedQuery, FoundPage, Part, SUMMARIES_AT_A_TIME, SaleLists},
};
use model::{
    SaleState,
    error::Result,
    list::{MAX_SORTED, SaleSummary, SaleTotals},
};

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
        let names = self.names(None, MAX_SORTED + 1).await?;
        if names.len() > MAX_SORTED {
            return Ok(None);
        }
        let listed = names.len() as u64;
        let of_kind: Vec<_> =
            names.into_iter().filter(|name| wanted.kind.is_none_or(|kind| kind.id == name.kind())).collect();
        let mut part = self.summaries_of_all(&of_kind).await?;
        part.found.retain(|(_, sale)| {
            wanted.is_in_state(sale) && wanted.id.as_ref().is_none_or(|text| sale.is_found_by(text))
        });
        // Of these, only the ids are known.
        part.away.retain(|name| wanted.is_wanted(name));
        let totals = SaleTotals::of(listed, part.found.iter().map(|(_, sale)| sale));
        part.found.sort_by(|(_, one), (_, other)| sort.compare(one, other));
        let end = skip.saturating_add(wanted.limit);
        let next = (part.found.len() > end).then(|| end.to_string());
        part.found = part.found.into_iter().skip(skip).take(wanted.limit).collect();
        Ok(Some(FoundPage { part, next, totals: Some(totals) }))
    }

    /// The sales among the newest 2,000 that are suspended, sold out or low, newest first.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn noteworthy(&self) -> Result<Vec<SaleSummary>> {
        let names = self.names(None, MAX_SORTED).await?;
        let found = self.summaries_of_all(&names).await?.found.into_iter().map(|(_, sale)| sale);
        let is_noteworthy =
            |sale: &SaleSummary| matches!(sale.state, SaleState::Suspended | SaleState::SoldOut) || sale.is_low();
        Ok(found.filter(is_noteworthy).collect())
    }

    /// The summaries of these sales, read in parts, so that nothing else waits for long.
    async fn summaries_of_all(&self, names: &[ListCursor]) -> Result<Part> {
        let mut part = Part::default();
        for names in names.chunks(SUMMARIES_AT_A_TIME) {
            part.add(self.summaries(names).await?);
        }
        Ok(part)
    }
}
