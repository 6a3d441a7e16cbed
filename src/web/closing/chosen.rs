//! The sales that a reader has chosen from a list, to act on several at once.

use leptos::prelude::*;
use model::{
    ledger::SaleName,
    list::{SaleList, SaleSummary},
};
use std::collections::HashSet;

/// The chosen sales among those that are listed.
#[derive(Clone, Copy)]
pub struct Chosen {
    sales: RwSignal<SaleList>,
    /// The sales that are listed, in their order.
    listed: Memo<Vec<SaleSummary>>,
    /// Some may have left the list.
    ticked: RwSignal<HashSet<SaleName>>,
}

impl Chosen {
    /// None yet of those that are `listed`, whose facts are in `sales`.
    pub fn new(sales: RwSignal<SaleList>, listed: Memo<Vec<SaleSummary>>) -> Self {
        Self { sales, listed, ticked: RwSignal::new(HashSet::new()) }
    }

    /// Returns whether this sale is chosen.
    pub fn is(self, name: &SaleName) -> bool {
        self.ticked.with(|ticked| ticked.contains(name))
    }

    /// Chooses this sale, or not.
    pub fn choose(self, name: &SaleName, is_chosen: bool) {
        self.ticked.update(|ticked| {
            if is_chosen {
                ticked.insert(name.clone());
            } else {
                ticked.remove(name);
            }
        });
    }

    /// Chooses all that are listed, or none.
    pub fn choose_all(self, are_chosen: bool) {
        let names = || self.listed.with_untracked(|sales| sales.iter().map(SaleSummary::name).collect());
        self.ticked.set(if are_chosen { names() } else { HashSet::new() });
    }

    /// Returns whether all that are listed are chosen.
    pub fn are_all(self) -> bool {
        let (chosen, listed) = self.counts();
        chosen > 0 && chosen == listed
    }

    /// Returns whether some are chosen, but not all.
    pub fn are_some(self) -> bool {
        let (chosen, listed) = self.counts();
        chosen > 0 && chosen < listed
    }

    fn counts(self) -> (usize, usize) {
        self.listed.with(|sales| {
            let chosen = self.ticked.with(|ticked| sales.iter().filter(|sale| ticked.contains(&sale.name())).count());
            (chosen, sales.len())
        })
    }

    /// Returns the chosen sales that are listed, as they are now, in the order of the list.
    pub fn sales(self) -> Vec<SaleSummary> {
        let names: Vec<SaleName> = self.listed.with(|sales| {
            self.ticked
                .with(|ticked| sales.iter().map(SaleSummary::name).filter(|name| ticked.contains(name)).collect())
        });
        let now = |name: SaleName| {
            self.sales.with(|list| {
                list.sales.iter().find(|sale| (&sale.kind, &sale.sale) == (&name.kind, &name.sale)).cloned()
            })
        };
        names.into_iter().filter_map(now).collect()
    }
}
