//! What changes about a sale on the list, for its card and its row.

use crate::{
    components::{
        format::{count, countdown},
        use_entry,
    },
    i18n, life,
    list::{page::recent::with_latest, words::words},
};
use leptos::prelude::*;
use model::{
    Millis, SaleState,
    life::Texts,
    list::{SaleList, SaleSummary},
};

/// A sale on the list, refreshed regularly.
#[derive(Clone, Copy)]
pub struct ListedSale {
    /// The sale as last loaded.
    pub now: Memo<SaleSummary>,
    /// Its state, whose start and end come between two loads, too.
    pub state: Signal<SaleState>,
    /// Its title.
    pub title: Signal<Texts>,
    /// The time.
    time: Signal<Millis>,
    /// The number of items left; `None` if there is no limit.
    pub left: Signal<Option<u64>>,
    /// The number of all items; `None` if there is no limit.
    pub total: Signal<Option<u64>>,
    /// Both in words.
    pub left_of: Signal<String>,
    /// The number of items left, at each of the latest loads of the list.
    pub recent: Signal<Vec<f64>>,
}

/// Follows a sale on the list, at first as it was when first listed, by the server's time.
pub fn use_listed_sale(sales: RwSignal<SaleList>, first: SaleSummary, time: Signal<Millis>) -> ListedSale {
    let (kind, sale) = (first.kind.clone(), first.sale.clone());
    let now = use_entry(first, move || {
        sales.with(|list| list.sales.iter().find(|one| one.sale == sale && one.kind == kind).cloned())
    });
    let state = Memo::new(move |_| now.with(|sale| state_at(sale, time.get()))).into();
    let title = Signal::derive(move || now.with(|sale| sale.title.clone()));
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
    ListedSale { now, state, title, time, left, total, left_of, recent: recent.into() }
}

impl ListedSale {
    /// Returns whether the usual crowd cannot be let loose.
    pub fn is_busy(self) -> Signal<bool> {
        let takes = |state| matches!(state, SaleState::Scheduled | SaleState::Open);
        Signal::derive(move || self.now.with(|sale| sale.crowd) || !takes(self.state.get()))
    }

    /// Returns the time until the start of a scheduled sale, or until the end of a running one, in words.
    pub fn turn(self) -> Option<String> {
        // On the server and in the first render, the time at which the list was read.
        let now = match self.time.get() {
            0 => self.now.with(|sale| sale.now),
            now => now,
        };
        let words = life::words();
        let left = |at: fn(&SaleSummary) -> Option<Millis>| {
            let left = u64::try_from(self.now.with(at)? - now).ok()?;
            Some(countdown(left.div_ceil(1_000) * 1_000, i18n::words().days))
        };
        match self.state.get() {
            SaleState::Scheduled => left(|sale| sale.opens_at).map(words.opens_in),
            SaleState::Open | SaleState::SoldOut | SaleState::Paused => left(|sale| sale.ends_at).map(words.ends_in),
            _ => None,
        }
    }

    /// Returns how far the ledger is behind, in words; nothing if it is not.
    pub fn lag(self) -> Option<String> {
        self.now.with(|sale| sale.lag_events).filter(|lag| *lag > 0).map(words().lag)
    }
}

/// Returns the state of a sale at this time, as the list may be some seconds old; as listed while the time is unknown.
fn state_at(sale: &SaleSummary, now: Millis) -> SaleState {
    let has_come = |at: Option<Millis>| at.is_some_and(|at| at <= now);
    match sale.state {
        SaleState::Scheduled | SaleState::Open | SaleState::SoldOut | SaleState::Paused if has_come(sale.ends_at) => {
            SaleState::Expired
        }
        SaleState::Scheduled if has_come(sale.opens_at) => SaleState::Open,
        state => state,
    }
}
