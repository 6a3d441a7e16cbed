//! The rows that are kept of a search, and those of them that are in the document: the ones near what the reader
//! sees. Rows are loaded in pages, each by the cursor that it begins after; a page far away is dropped, and loaded
//! again by its cursor.
//!
//! Components for long lists expect all items, or their number, beforehand; a search knows neither.

use crate::ledger::query::LedgerQuery;
use model::ledger::{DEFAULT_LIMIT, HistoryCursor, Page, Row};
use std::{ops::Range, sync::Arc};

/// Rows of each page but the last.
pub const PAGE: usize = DEFAULT_LIMIT as usize;
/// Pages that are kept on each side of the visible ones: 20,000 rows in all.
const KEPT: usize = 100;
/// Rows in the document beyond each edge of what is visible.
const MARGIN: f64 = 20.0;
/// The rows in the document change this many at a time, not one by one.
const STEP: usize = 10;
/// How many rows before the end of the last page the next one is loaded.
const AHEAD: usize = 60;

/// What is known of the rows that a search finds.
#[derive(Clone, Default)]
pub struct Window {
    pub query: LedgerQuery,
    /// How many rows the search finds, and whether there are more than that.
    pub total: u64,
    pub total_is_at_least: bool,
    /// How many rows all pages had when they were loaded, including those dropped since.
    pub len: usize,
    /// The rows in the document.
    pub rendered: Range<usize>,
    /// Where the page after the last begins; `None` at the end of the history.
    pub next: Option<HistoryCursor>,
    pages: Vec<LoadedPage>,
}

#[derive(Clone)]
struct LoadedPage {
    after: Option<HistoryCursor>,
    /// Empty when dropped.
    rows: Vec<Arc<Row>>,
}

/// A page to load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// Which page it is, from 0.
    pub index: usize,
    /// The cursor that it begins after; `None` at the newest row.
    pub after: Option<HistoryCursor>,
}

impl Window {
    /// A window of which nothing is loaded yet.
    pub fn new(query: LedgerQuery) -> Self {
        Self { next: query.after, query, ..Self::default() }
    }

    /// The same without its rows, which are to be loaded again.
    pub fn without_rows(mut self) -> Self {
        self.pages.iter_mut().for_each(|page| page.rows.clear());
        self
    }

    /// Puts a page at its place.
    pub fn insert(&mut self, index: usize, page: Page) {
        let after = self.after(index);
        // A row that came late has moved all that follow: they are loaded again.
        if self.after(index + 1) != page.next || index + 1 >= self.pages.len() {
            self.pages.truncate(index);
            self.len = index * PAGE + page.rows.len();
            self.next = page.next;
        }
        let loaded = LoadedPage { after, rows: page.rows.into_iter().map(Arc::new).collect() };
        match self.pages.get_mut(index) {
            Some(page) => *page = loaded,
            None => self.pages.push(loaded),
        }
        (self.total, self.total_is_at_least) = (page.total, page.total_is_at_least);
        if self.rendered.is_empty() {
            self.rendered = 0..self.len;
        }
        self.drop_far_pages();
    }

    fn drop_far_pages(&mut self) {
        let here = self.rendered.start / PAGE;
        for (index, page) in self.pages.iter_mut().enumerate() {
            if index.abs_diff(here) > KEPT {
                page.rows = Vec::new();
            }
        }
    }

    /// What a page begins after.
    fn after(&self, index: usize) -> Option<HistoryCursor> {
        self.pages.get(index).map_or(self.next, |page| page.after)
    }

    /// Moves the rows in the document to what is visible, given as shares of the whole height. Says whether they
    /// changed.
    pub fn scroll_to(&mut self, visible: Range<f64>) -> bool {
        let row_at = |share: f64, margin: f64| (share * self.len as f64 + margin).max(0.0) as usize;
        let end = row_at(visible.end, MARGIN).next_multiple_of(STEP).min(self.len);
        let start = (row_at(visible.start, -MARGIN) / STEP * STEP).min(end);
        let before = std::mem::replace(&mut self.rendered, start..end);
        before != self.rendered
    }

    /// The page to load next: one that is missing in the document, or the next of the history where its end is near.
    pub fn missing(&self) -> Option<PageRequest> {
        let mut rendered = self.rendered.start / PAGE..self.rendered.end.div_ceil(PAGE);
        let is_missing = |index: &usize| self.pages.get(*index).is_none_or(|page| page.rows.is_empty());
        if let Some(index) = rendered.find(is_missing) {
            return Some(PageRequest { index, after: self.after(index) });
        }
        let next = self.next.filter(|_| self.rendered.end + AHEAD > self.len);
        next.map(|after| PageRequest { index: self.pages.len(), after: Some(after) })
    }

    /// The page of the first row in the document: what is loaded before anything can be shown.
    pub fn first_rendered(&self) -> PageRequest {
        let index = self.rendered.start / PAGE;
        PageRequest { index, after: self.after(index) }
    }

    /// A row, if its page is loaded.
    pub fn find(&self, id: HistoryCursor) -> Option<Arc<Row>> {
        self.pages.iter().flat_map(|page| &page.rows).find(|row| row.id == id).cloned()
    }

    /// The rows in the document with their places; `None` for one that is being loaded.
    pub fn rows(&self) -> impl Iterator<Item = (usize, Option<Arc<Row>>)> {
        let row = |place: usize| self.pages.get(place / PAGE).and_then(|page| page.rows.get(place % PAGE)).cloned();
        self.rendered.clone().map(move |place| (place, row(place)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::EventId;

    fn cursor(millis: u64) -> HistoryCursor {
        HistoryCursor { event_id: EventId { millis, sequence: 0 }, sale_no: 1, place: 0 }
    }

    /// The rows of a history of `all` rows, newest first, that follow `after`.
    fn page(all: u64, after: Option<HistoryCursor>) -> Page {
        let newest = after.map_or(all, |after| after.event_id.millis - 1);
        let row = |millis: u64| Row {
            id: cursor(millis),
            kind: "red_packet".to_owned(),
            sale: "s".to_owned(),
            event_id: EventId { millis, sequence: 0 },
            place: 0,
            at: 0,
            outcome: "won".to_owned(),
            user: None,
            request_id: None,
            item: None,
            cents: 1,
            order: None,
            holder: None,
        };
        let rows: Vec<Row> = (1..=newest).rev().take(PAGE).map(row).collect();
        let next = rows.last().map(|row| row.id).filter(|last| last.event_id.millis > 1);
        Page { rows, total: all, total_is_at_least: false, next }
    }

    fn window(all: u64) -> Window {
        let mut window = Window::new(LedgerQuery::default());
        window.insert(0, page(all, None));
        window
    }

    /// Scrolls to a share of the height, and loads until nothing is missing there.
    fn scroll_to(window: &mut Window, all: u64, share: f64) {
        window.scroll_to(share..share);
        while let Some(PageRequest { index, after }) = window.missing() {
            window.insert(index, page(all, after));
            window.scroll_to(share..share);
        }
    }

    fn rendered(window: &Window) -> Vec<u64> {
        window.rows().map(|(_, row)| row.expect("nothing is missing").event_id.millis).collect()
    }

    #[test]
    fn scrolling_down_shows_every_row_down_to_the_oldest() {
        let mut window = window(1_234);
        assert_eq!((window.len, window.rendered.clone()), (100, 0..100));
        window.scroll_to(0.0..0.0);
        assert_eq!(rendered(&window), (1_215..=1_234).rev().collect::<Vec<_>>());
        assert_eq!(window.missing(), None);
        scroll_to(&mut window, 1_234, 1.0);
        assert_eq!(window.len, 1_234);
        assert_eq!(rendered(&window), (1..=24).rev().collect::<Vec<_>>());
    }

    #[test]
    fn pages_far_away_are_dropped_and_loaded_again() {
        let all = 30_050;
        let mut window = window(all);
        scroll_to(&mut window, all, 1.0);
        assert_eq!(window.len, 30_050);
        assert!(window.pages.iter().filter(|page| !page.rows.is_empty()).count() <= 2 * KEPT + 1);
        window.scroll_to(0.0..0.0);
        assert!(window.rows().all(|(_, row)| row.is_none()));
        scroll_to(&mut window, all, 0.0);
        assert_eq!(rendered(&window), (30_031..=30_050).rev().collect::<Vec<_>>());
        assert_eq!(window.len, 30_050, "what follows is still known");
    }

    #[test]
    fn a_reader_who_comes_back_finds_the_rows_of_before() {
        let mut window = window(1_234);
        scroll_to(&mut window, 1_234, 1.0);
        // In the middle of a page, so that all rows in the document are on it.
        window.scroll_to(0.53..0.53);
        let before = rendered(&window);
        let mut window = window.without_rows();
        let PageRequest { index, after } = window.first_rendered();
        window.insert(index, page(1_234, after));
        assert_eq!((window.len, rendered(&window)), (1_234, before));
    }

    #[test]
    fn rows_that_came_late_move_those_that_follow() {
        let mut window = window(250);
        scroll_to(&mut window, 250, 1.0);
        assert_eq!((window.len, window.pages.len()), (250, 3));
        window.insert(0, page(251, None));
        assert_eq!((window.len, window.pages.len()), (100, 1));
        scroll_to(&mut window, 251, 1.0);
        assert_eq!(window.len, 251);
    }

    #[test]
    fn a_history_of_nothing_has_nothing_to_show() {
        let mut window = Window::new(LedgerQuery::default());
        window.insert(0, Page::default());
        assert!(!window.scroll_to(0.0..1.0));
        assert_eq!((window.missing(), window.rows().count()), (None, 0));
    }
}
