//! What changes about a sale on the list, for its card and its row.

use crate::{
    components::{format::count, use_entry},
    list::{page::recent::with_latest, words::words},
};
use leptos::prelude::*;
use model::list::{SaleList, SaleSummary};

/// A sale on the list, refreshed regularly.
#[derive(Clone, Copy)]
pub struct ListedSale {
    /// The sale as last loaded.
    pub now: Memo<SaleSummary>,
    /// The number of items left; `None` if there is no limit.
    pub left: Signal<Option<u64>>,
    /// The number of all items; `None` if there is no limit.
    pub total: Signal<Option<u64>>,
    /// Both in words.
    pub left_of: Signal<String>,
    /// The number of items left, at each of the latest loads of the list.
    pub recent: Signal<Vec<f64>>,
}

/// Follows a sale on the list, at first as it was when first listed.
pub fn use_listed_sale(sales: RwSignal<SaleList>, first: SaleSummary) -> ListedSale {
    let (kind, sale) = (first.kind.clone(), first.sale.clone());
    let now = use_entry(first, move || {
        sales.with(|list| list.sales.iter().find(|one| one.sale == sale && one.kind == kind).cloned())
    });
    let left = Signal::derive(move || now.with(|sale| sale.left));
    let total = Signal::derive(move || now.with(|sale| sale.total));
    let left_of = Signal::derive(move || match left.get().zip(total.get()) {
        Some((left, total)) => (words().left_of)(count(left), count(total)),
        None => words().no_limit.to_owned(),
    });
    let recent = Memo::new(move |before: Option<&Vec<f64>>| {
        sales.track();
        with_latest(before.cloned().unwrap_or_default(), left.get_untracked())
    });
    ListedSale { now, left, total, left_of, recent: recent.into() }
}

impl ListedSale {
    /// Returns whether the usual crowd cannot be let loose.
    pub fn is_busy(self) -> Signal<bool> {
        Signal::derive(move || self.now.with(|sale| sale.crowd || sale.state != model::SaleState::Open))
    }

    /// Returns how far the ledger is behind, in words; nothing if it is not.
    pub fn lag(self) -> Option<String> {
        self.now.with(|sale| sale.lag_events).filter(|lag| *lag > 0).map(words().lag)
    }
}
