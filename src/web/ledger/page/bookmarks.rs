//! Where the reader was in the rows of each search, for when the browser's back or forward leads there again.

use crate::{
    components::use_traversal,
    ledger::{page::window::Window, query::LedgerQuery},
};
use leptos::prelude::*;
use std::collections::HashMap;

/// A place in the rows of a search.
#[derive(Clone)]
pub struct Bookmark {
    /// Without its rows.
    pub window: Window,
    /// How far the rows are scrolled, in pixels.
    pub scroll_top: i32,
}

/// The places where the reader was, by the addresses of the searches.
#[derive(Clone, Copy, Default)]
pub struct Bookmarks {
    places: StoredValue<HashMap<String, Bookmark>>,
    traversal: Signal<bool>,
}

impl Bookmarks {
    /// Where a search begins: at its newest rows, or where the reader was before.
    pub fn start(self, query: LedgerQuery) -> Bookmark {
        let place = self.places.with_value(|places| places.get(&query.url()).cloned());
        let place = place.filter(|_| self.traversal.get_untracked());
        place.unwrap_or_else(|| Bookmark { window: Window::new(query), scroll_top: 0 })
    }

    /// Remembers where the reader was.
    pub fn set(self, bookmark: Bookmark) {
        self.places.update_value(|places| _ = places.insert(bookmark.window.query.url(), bookmark));
    }
}

/// Remembers where the reader was for as long as the site is open.
pub fn provide_bookmarks() {
    provide_context(Bookmarks { places: StoredValue::default(), traversal: use_traversal() });
}
