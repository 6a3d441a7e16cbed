//! The price categories: their names, and the reader's filter.

use crate::{
    components::keep_in_tab,
    ticket::{page::Sale, words::words},
};
use leptos::prelude::*;
use model::ticket::hall::Section;
use serde::{Deserialize, Serialize};

/// The categories that the reader wants to see: the named ones, or all if none is named. A bit set of their indices in
/// the layout, which has no more categories than there are bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CategoryFilter(u32);

impl CategoryFilter {
    /// Adds a category to the filter, or removes it.
    pub fn toggle(&mut self, category: usize) {
        self.0 ^= 1 << category;
    }

    /// Returns whether the filter names a category.
    pub fn names(self, category: usize) -> bool {
        self.0 & (1 << category) != 0
    }

    /// Returns whether the seats of a category are shown as usual.
    pub fn shows(self, category: usize) -> bool {
        self.0 == 0 || self.names(category)
    }
}

/// Returns the name of a built-in hall's category in the language of the page; in other halls, its name in the layout.
pub fn category_name(is_built_in: bool, name: &str) -> String {
    let ours = is_built_in.then(|| (words().category_name)(name)).flatten();
    ours.unwrap_or(name).to_owned()
}

/// Returns what a row is called on the page: its name, or its number without leading zeros.
pub fn row_label(section: &Section, row: u16) -> String {
    let name = section.rows.get(usize::from(row)).and_then(|row| row.name.clone());
    name.unwrap_or_else(|| (row + 1).to_string())
}

impl Sale {
    /// Keeps the filter, and the map's display of the demand, as long as the tab is open.
    pub fn keep_filter(self) {
        let current = move || (self.filter.get(), self.shows_demand.get());
        keep_in_tab(format!("filter:{}", self.id()), current, move |(filter, shows_demand)| {
            self.filter.set(filter);
            self.shows_demand.set(shows_demand);
        });
    }

    /// Returns the name of a layout's category on the page.
    pub fn category_name(self, name: &str) -> String {
        category_name(self.is_built_in, name)
    }

    /// Returns the name of a seat's category on the page.
    pub fn category_name_of(self, seat: u32) -> String {
        let category = self.category(seat);
        let name = self.hall.with_value(|hall| hall.categories.get(category).map(|category| category.name.clone()));
        self.category_name(&name.unwrap_or_default())
    }

    /// Returns whether the seats of a section are shown as usual.
    pub fn shows_section(self, section: usize) -> bool {
        let filter = self.filter.get();
        self.hall.with_value(|hall| {
            let name = hall.layout.sections.get(section).map(|section| &section.category);
            let category = hall.layout.categories.iter().position(|category| Some(category) == name);
            category.is_none_or(|category| filter.shows(category))
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
