//! The page of rows that the address asks for: the first comes with the page itself, others are loaded when the address
//! changes.

use crate::{
    components::{
        FirstCall, FormErrors, Latest, focus_next_frame, use_latest, use_scroll_restoration, use_traversal,
        use_while_visible,
    },
    ledger::{page::load, query::LedgerQuery},
};
use leptos::{html, prelude::*};
use model::{
    error::{Code, Result},
    ledger::{HistoryCursor, Page, Row},
};
use std::time::Duration;

/// How long until rows that could not be loaded are tried again.
pub const RETRY: Duration = Duration::from_secs(2);

/// The rows of the search that the address asks for.
#[derive(Clone, Copy)]
pub struct History {
    /// The rows that are shown; none if they could not be loaded.
    pub page: RwSignal<Page>,
    /// What they were searched by. The address may ask for others, which are on their way.
    pub query: RwSignal<LedgerQuery>,
    /// What went wrong with the search.
    pub errors: FormErrors,
    /// The heading of the rows, to which the focus goes from a card that is closed, and with another page.
    pub title: NodeRef<html::H2>,
    /// The element with the rows.
    pub rows: NodeRef<html::Div>,
    loading: Latest,
}

/// Shows the rows that came with the page, as `loaded` asked for them, and from then on what the address asks for.
pub fn use_history(query: Memo<LedgerQuery>, loaded: LedgerQuery, first: Result<Page>) -> History {
    let history = History {
        page: RwSignal::default(),
        query: RwSignal::default(),
        errors: FormErrors::default(),
        title: NodeRef::new(),
        rows: NodeRef::new(),
        loading: use_latest(),
    };
    history.show(loaded.clone(), first);
    let (is_traversal, restore_scroll) = (use_traversal(), use_scroll_restoration());
    Effect::new(move |previous: Option<LedgerQuery>| {
        let (query, previous) = (query.get(), previous.unwrap_or_else(|| loaded.clone()));
        if query != previous {
            let turns_page = query.search == previous.search && !is_traversal.get_untracked();
            history.load(query.clone(), move || match turns_page {
                true => focus_next_frame(history.title),
                false => restore_scroll(),
            });
        }
        query
    });
    use_while_visible(RETRY, FirstCall::AfterInterval, move || history.retry());
    history
}

impl History {
    /// Whether the rows are the newest of the search.
    pub fn is_newest(self) -> bool {
        self.query.with(|query| query.after.is_none())
    }

    /// A row, if it is shown.
    pub fn find(self, id: HistoryCursor) -> Option<Row> {
        self.page.with_untracked(|page| page.rows.iter().find(|row| row.id == id).cloned())
    }

    /// Loads the same rows again.
    pub fn reload(self) {
        self.load(self.query.get_untracked(), || ());
    }

    /// Tries again what could not be loaded, unless it is the search that is wrong.
    fn retry(self) {
        let has_failed = self.errors.get_untracked().is_some_and(|error| error.code != Code::BadRequest);
        if has_failed && !self.is_loading() {
            self.reload();
        }
    }

    /// Loads other rows. Those of before stay until they have arrived.
    fn load(self, query: LedgerQuery, then: impl FnOnce() + 'static) {
        let wanted = query.clone();
        self.loading.ask(
            move || load(wanted),
            move |answer| {
                self.show(query, answer);
                self.errors.focus();
                then();
            },
        );
    }

    fn show(self, query: LedgerQuery, answer: Result<Page>) {
        self.errors.set(answer.as_ref().err().cloned());
        self.query.set(query);
        self.page.set(answer.unwrap_or_default());
    }

    /// Whether rows are being loaded.
    pub fn is_loading(self) -> bool {
        self.loading.is_pending_untracked()
    }

    /// The number of what was loaded last, and what the reader searches for.
    pub fn current(self) -> (u32, LedgerQuery) {
        (self.loading.number(), self.query.get_untracked())
    }

    /// Shows the same rows as they are now, unless others are wanted by now.
    pub fn renew(self, number: u32, page: Page) {
        if self.loading.is(number) {
            self.errors.clear();
            self.page.set(page);
        }
    }
}
