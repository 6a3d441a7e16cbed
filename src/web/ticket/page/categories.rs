//! The price categories: what they are called, and which of them the reader wants to see.

use crate::{
    components::keep_in_tab,
    ticket::{page::Sale, words::words},
};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

/// The categories that the reader wants to see: all, while none is named. By their places in the layout, which has at
/// most as many as there are bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CategoryFilter(u32);

impl CategoryFilter {
    /// Names a category, or no longer.
    pub fn toggle(&mut self, category: usize) {
        self.0 ^= 1 << category;
    }

    /// Whether a category is named.
    pub fn names(self, category: usize) -> bool {
        self.0 & (1 << category) != 0
    }

    /// Whether the seats of a category are shown as usual.
    pub fn shows(self, category: usize) -> bool {
        self.0 == 0 || self.names(category)
    }
}

/// What a category of a built-in hall is called in the language of the page; in other halls, its name in the layout.
pub fn category_name(is_built_in: bool, name: &str) -> String {
    let ours = is_built_in.then(|| (words().category_name)(name)).flatten();
    ours.unwrap_or(name).to_owned()
}

impl Sale {
    /// Keeps the filter, and whether the map shows the demand, for as long as the tab is open.
    pub fn keep_filter(self) {
        let current = move || (self.filter.get(), self.shows_demand.get());
        keep_in_tab(format!("filter:{}", self.id()), current, move |(filter, shows_demand)| {
            self.filter.set(filter);
            self.shows_demand.set(shows_demand);
        });
    }

    /// What a category of the layout is called on the page.
    pub fn category_name(self, name: &str) -> String {
        category_name(self.is_built_in, name)
    }

    /// Whether the seats of a section are shown as usual.
    pub fn shows_section(self, section: usize) -> bool {
        let filter = self.filter.get();
        self.hall.with_value(|hall| {
            let category = hall.row(section as u16, 0).and_then(|row| hall.rows.get(row as usize));
            category.is_none_or(|row| filter.shows(row.category.into()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_shown_until_one_is_named() {
        let mut filter = CategoryFilter::default();
        assert!(filter.shows(0) && filter.shows(31) && !filter.names(31));
        filter.toggle(31);
        assert!(filter.shows(31) && filter.names(31) && !filter.shows(0));
        filter.toggle(0);
        filter.toggle(31);
        assert!(filter.shows(0) && !filter.shows(31));
        filter.toggle(0);
        assert_eq!(filter, CategoryFilter::default());
    }
}
