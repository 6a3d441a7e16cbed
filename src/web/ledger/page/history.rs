//! The rows of a search as they are loaded: the first page with the page itself, others as the reader scrolls.

use crate::{
    components::{FirstCall, FormErrors, Latest, use_latest, use_while_visible},
    ledger::{
        page::{
            bookmarks::{Bookmark, Bookmarks},
            load,
            window::{PageRequest, Window},
        },
        query::LedgerQuery,
    },
};
use leptos::{html, prelude::*};
use leptos_use_element_size::{UseElementSizeReturn, use_element_size};
use model::{
    error::{Code, Result},
    ledger::Page,
};
use std::time::Duration;

/// How long until rows that could not be loaded are tried again.
pub const RETRY: Duration = Duration::from_secs(2);

/// The rows of the search that the address asks for.
#[derive(Clone, Copy)]
pub struct History {
    /// The rows that are loaded, and those in the document.
    pub window: RwSignal<Window>,
    /// What went wrong with the search.
    pub errors: FormErrors,
    /// The heading of the rows, to which the focus goes from a card that is closed.
    pub title: NodeRef<html::H2>,
    /// The element that scrolls the rows.
    pub scroller: NodeRef<html::Div>,
    /// The newest row is at the top of what the reader sees.
    pub is_at_top: RwSignal<bool>,
    scroll_top: StoredValue<i32>,
    /// The rows that are being loaded: those of another search, or of this one where the reader scrolled to.
    loading: Latest,
}

/// Shows the first page that was loaded, and from then on what the address asks for.
pub fn use_history(query: Memo<LedgerQuery>, start: Bookmark, first: Result<Page>) -> History {
    let history = History {
        window: RwSignal::default(),
        errors: FormErrors::default(),
        title: NodeRef::new(),
        scroller: NodeRef::new(),
        is_at_top: RwSignal::new(true),
        scroll_top: StoredValue::default(),
        loading: use_latest(),
    };
    let first_scroll_top = start.scroll_top;
    history.show_first(start, first);
    let bookmarks: Bookmarks = expect_context();
    Effect::new(move |previous: Option<()>| {
        let query = query.get();
        match previous {
            None => history.scroll_to(first_scroll_top),
            Some(()) => history.begin(bookmarks.start(query)),
        }
        // When the reader starts another search or leaves the page.
        on_cleanup(move || bookmarks.set(history.bookmark()));
    });
    use_while_visible(RETRY, FirstCall::AfterInterval, move || history.retry());
    let UseElementSizeReturn { width, height, .. } = use_element_size(history.scroller);
    Effect::new(move || {
        width.track();
        height.track();
        history.follow_scroll();
    });
    history
}

impl History {
    /// Loads the newest rows of the same search.
    pub fn reload(self) {
        let query = self.window.with_untracked(|window| window.query.clone());
        self.begin(Bookmark { window: Window::new(query), scroll_top: 0 });
    }

    /// Tries again what could not be loaded, unless it is the search that is wrong.
    fn retry(self) {
        let has_failed = self.errors.get_untracked().is_some_and(|error| error.code != Code::BadRequest);
        if has_failed && !self.is_loading() {
            match self.window.with_untracked(|window| window.rows().next().is_some()) {
                true => self.follow_scroll(),
                false => self.begin(self.bookmark()),
            }
        }
    }

    /// Renders the rows that the reader sees, and loads those that are missing there.
    pub fn follow_scroll(self) {
        let Some(scroller) = self.scroller.try_get_untracked().flatten() else { return };
        let (top, height) = (scroller.scroll_top(), scroller.client_height());
        let share = |pixels: i32| f64::from(pixels) / f64::from(scroller.scroll_height().max(1));
        self.note_scroll_top(top);
        let missing = self.window.try_maybe_update(|window| {
            let moved = window.scroll_to(share(top)..share(top + height));
            (moved, window.missing().map(|request| (window.query.clone(), request)))
        });
        if let Some((query, request)) = missing.flatten().filter(|_| !self.is_loading()) {
            self.load(query, request, move |answer| {
                if let Ok(page) = answer {
                    self.window.update(|window| window.insert(request.index, page));
                    // Once they are in the document.
                    request_animation_frame(move || self.follow_scroll());
                }
            });
        }
    }

    /// Starts another search. The rows of the previous one stay until its first page has arrived.
    fn begin(self, start: Bookmark) {
        let query = start.window.query.clone();
        self.load(query, start.window.first_rendered(), move |answer| {
            let scroll_top = start.scroll_top;
            self.show_first(start, answer);
            self.scroll_to(scroll_top);
        });
    }

    fn show_first(self, Bookmark { mut window, scroll_top }: Bookmark, answer: Result<Page>) {
        self.errors.set(answer.as_ref().err().cloned());
        window.insert(window.first_rendered().index, answer.unwrap_or_default());
        self.window.set(window);
        self.note_scroll_top(scroll_top);
    }

    fn note_scroll_top(self, top: i32) {
        self.scroll_top.set_value(top);
        let is_at_top = top <= 0 && self.window.with_untracked(|window| window.query.after.is_none());
        if self.is_at_top.get_untracked() != is_at_top {
            self.is_at_top.set(is_at_top);
        }
    }

    /// Whether rows are being loaded.
    pub fn is_loading(self) -> bool {
        self.loading.is_pending_untracked()
    }

    /// The number of what was loaded last, and what the reader searches for.
    pub fn current(self) -> (u32, LedgerQuery) {
        (self.loading.number(), self.window.with_untracked(|window| window.query.clone()))
    }

    /// Shows the newest page of the search again, unless other rows are wanted by now.
    pub fn renew(self, number: u32, page: Page) {
        if !self.loading.is(number) {
            return;
        }
        self.errors.clear();
        self.window.update(|window| window.insert(0, page));
        request_animation_frame(move || self.follow_scroll());
    }

    /// Scrolls the rows once they are in the document.
    fn scroll_to(self, top: i32) {
        request_animation_frame(move || {
            if let Some(scroller) = self.scroller.try_get_untracked().flatten() {
                scroller.set_scroll_top(top);
                self.follow_scroll();
            }
        });
    }

    fn load(self, query: LedgerQuery, request: PageRequest, show: impl FnOnce(Result<Page>) + 'static) {
        self.loading.ask(
            move || load(query, request),
            move |answer: Result<Page>| {
                self.errors.set(answer.as_ref().err().cloned());
                show(answer);
            },
        );
    }

    /// Where the reader is.
    fn bookmark(self) -> Bookmark {
        let window = self.window.with_untracked(|window| window.clone().without_rows());
        Bookmark { window, scroll_top: self.scroll_top.get_value() }
    }
}
