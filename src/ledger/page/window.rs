//! The rows that are kept of a history, and those of them that are in the document: what is near the
//! reader's eyes. Rows come in pages, each found by the cursor that it begins after; a page far away is
//! forgotten, and asked for again by its cursor.

use super::address::Wanted;
use crate::ledger::{Cursor, DEFAULT_LIMIT, Page, Row};
use std::sync::Arc;

/// Rows of each page but the last.
pub const PAGE: usize = DEFAULT_LIMIT as usize;
/// Pages that are kept above and below what is shown: 20,000 rows in all.
const KEPT: usize = 100;
/// Rows in the document beyond each edge of what is seen.
const MARGIN: f64 = 20.0;
/// The document's rows change this many at a time, not one by one.
const STEP: usize = 10;
/// How near the end of the last page the next is asked for.
const AHEAD: usize = 60;

/// What is known of one search's history.
#[derive(Default)]
pub struct Window {
    pub wanted: Wanted,
    /// Which search this is, counted: rows of another are other rows.
    pub serial: u64,
    /// Rows that the search finds, and whether there are more than that.
    pub total: u64,
    pub total_is_at_least: bool,
    /// Rows of all pages that ever came.
    pub rows: usize,
    /// The rows in the document.
    pub from: usize,
    pub to: usize,
    /// A question is on its way.
    pub asking: bool,
    pages: Vec<Kept>,
    /// Where the page after the last begins; `None` at the end of the history.
    pub next: Option<Cursor>,
}

struct Kept {
    after: Option<Cursor>,
    /// Empty when forgotten.
    rows: Vec<Arc<Row>>,
}

impl Window {
    /// The history as its first page shows it.
    pub fn new(wanted: Wanted, serial: u64, page: Page) -> Self {
        let next = wanted.after;
        let mut window = Self { wanted, serial, next, ..Self::default() };
        window.take(0, page);
        window.to = window.rows;
        window
    }

    /// Takes a page in at its place.
    pub fn take(&mut self, place: usize, page: Page) {
        let after = self.page(place).1;
        // A row that came late has moved all that follow: they are asked for anew.
        if self.page(place + 1).1 != page.next || place + 1 >= self.pages.len() {
            self.pages.truncate(place);
            self.rows = place * PAGE + page.rows.len();
            self.next = page.next;
        }
        let kept = Kept { after, rows: page.rows.into_iter().map(Arc::new).collect() };
        match self.pages.get_mut(place) {
            Some(page) => *page = kept,
            None => self.pages.push(kept),
        }
        (self.total, self.total_is_at_least) = (page.total, page.total_is_at_least);
        self.forget();
    }

    /// Forgets the pages that are far from what is shown.
    fn forget(&mut self) {
        let here = self.from / PAGE;
        for (place, page) in self.pages.iter_mut().enumerate() {
            if place.abs_diff(here) > KEPT {
                page.rows = Vec::new();
            }
        }
    }

    /// Whether the page at a place is here, and what it begins after.
    fn page(&self, place: usize) -> (bool, Option<Cursor>) {
        self.pages.get(place).map_or((false, self.next), |page| (!page.rows.is_empty(), page.after))
    }

    /// Moves the window to what is seen, given as shares of the whole height. Says whether it moved.
    pub fn look(&mut self, (top, bottom): (f64, f64)) -> bool {
        let at = |share: f64, margin: f64| (share * self.rows as f64 + margin).max(0.0) as usize;
        let from = at(top, -MARGIN) / STEP * STEP;
        let to = at(bottom, MARGIN).next_multiple_of(STEP).min(self.rows);
        let before = (self.from, self.to);
        (self.from, self.to) = (from.min(to), to);
        before != (self.from, self.to)
    }

    /// The page to ask for next, by its place and what it begins after.
    pub fn missing(&self) -> Option<(usize, Option<Cursor>)> {
        let shown = self.from / PAGE..self.to.div_ceil(PAGE);
        let forgotten = shown.map(|place| (place, self.page(place))).find(|(_, (here, _))| !here);
        if let Some((place, (_, after))) = forgotten {
            return Some((place, after));
        }
        let more = self.next.filter(|_| self.to + AHEAD > self.rows);
        more.map(|after| (self.pages.len(), Some(after)))
    }

    /// The rows in the document with their places; `None` for one that is forgotten.
    pub fn shown(&self) -> impl Iterator<Item = (usize, Option<&Arc<Row>>)> {
        (self.from..self.to)
            .map(|place| (place, self.pages.get(place / PAGE).and_then(|page| page.rows.get(place % PAGE))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sales::EventId;

    fn cursor(millis: u64) -> Cursor {
        Cursor { event_id: EventId { millis, sequence: 0 }, sale_no: 1, place: 0 }
    }

    /// The rows of a history of `all` rows, newest first, that follow `after`.
    fn page(all: u64, after: Option<Cursor>) -> Page {
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

    /// Looks at a share of the height, and asks until nothing is missing there.
    fn look(window: &mut Window, all: u64, share: f64) {
        window.look((share, share));
        while let Some((place, after)) = window.missing() {
            window.take(place, page(all, after));
            window.look((share, share));
        }
    }

    fn shown(window: &Window) -> Vec<u64> {
        window.shown().map(|(_, row)| row.expect("nothing is missing").event_id.millis).collect()
    }

    #[test]
    fn scrolling_down_shows_every_row_down_to_the_oldest() {
        let mut window = Window::new(Wanted::default(), 0, page(1_234, None));
        assert_eq!((window.rows, window.from, window.to), (100, 0, 100));
        window.look((0.0, 0.0));
        assert_eq!(shown(&window), (1_215..=1_234).rev().collect::<Vec<_>>());
        assert_eq!(window.missing(), None);
        look(&mut window, 1_234, 1.0);
        assert_eq!(window.rows, 1_234);
        assert_eq!(shown(&window), (1..=24).rev().collect::<Vec<_>>());
    }

    #[test]
    fn pages_far_away_are_forgotten_and_found_again() {
        let all = 30_050;
        let mut window = Window::new(Wanted::default(), 0, page(all, None));
        look(&mut window, all, 1.0);
        assert_eq!(window.rows, 30_050);
        assert!(window.pages.iter().filter(|page| !page.rows.is_empty()).count() <= 2 * KEPT + 1);
        window.look((0.0, 0.0));
        assert!(window.shown().all(|(_, row)| row.is_none()));
        look(&mut window, all, 0.0);
        assert_eq!(shown(&window), (30_031..=30_050).rev().collect::<Vec<_>>());
        assert_eq!(window.rows, 30_050, "what follows is still known");
    }

    #[test]
    fn rows_that_came_late_move_those_that_follow() {
        let mut window = Window::new(Wanted::default(), 0, page(250, None));
        look(&mut window, 250, 1.0);
        assert_eq!((window.rows, window.pages.len()), (250, 3));
        window.take(0, page(251, None));
        assert_eq!((window.rows, window.pages.len()), (100, 1));
        look(&mut window, 251, 1.0);
        assert_eq!(window.rows, 251);
    }

    #[test]
    fn a_history_of_nothing_has_nothing_to_show() {
        let mut window = Window::new(Wanted::default(), 0, Page::default());
        assert!(!window.look((0.0, 1.0)));
        assert_eq!((window.missing(), window.shown().count()), (None, 0));
    }
}
