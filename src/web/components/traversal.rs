//! Back and forward in the browser's history, with restored scroll positions.

use crate::components::use_tab_storage;
use js_sys::Reflect;
use leptos::{
    ev::{self, MouseEvent},
    leptos_dom::helpers::{WindowListenerHandle, location, window_event_listener},
    prelude::*,
};
use leptos_router::{hooks::use_location, location::Location};
use std::collections::BTreeMap;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlAnchorElement, ScrollRestoration, Url};

#[derive(Clone, Copy)]
struct Traversal {
    /// The current address was reached by back or forward.
    is_traversal: RwSignal<bool>,
    /// The path and query of the page that the router shows or is about to show. The router updates them first, then
    /// the page, then the browser's address.
    current: StoredValue<String>,
    /// The scroll offset of the document at each address, in pixels.
    scrolled: StoredValue<BTreeMap<String, f64>>,
    /// The offset to restore once the contents of the page are there.
    wanted: StoredValue<Option<Wanted>>,
    /// The hash of the last clicked link within the page, until the next `popstate`.
    clicked: StoredValue<Option<String>>,
}

#[derive(Clone, Copy, PartialEq)]
struct Wanted {
    /// The scroll offset, in pixels.
    top: f64,
    /// Another page is awaited. Otherwise only the query differs, and there may be nothing to load.
    is_of_other_page: bool,
}

/// Provides [`use_traversal`], [`follow_address`] and [`use_scroll_restoration`] to all descendants. Must be called
/// before the router, which listens to the same events.
pub fn provide_traversal() {
    let traversal = Traversal {
        is_traversal: RwSignal::new(false),
        current: StoredValue::default(),
        scrolled: StoredValue::default(),
        wanted: StoredValue::default(),
        clicked: StoredValue::default(),
    };
    provide_context(traversal);
    let (kept, keep) = use_tab_storage::<BTreeMap<String, f64>>("scrolled".to_owned());
    // The listeners of components are added in an effect, which would run after the router begins to listen.
    let listeners = [
        window_event_listener(ev::popstate, move |_| traversal.begin()),
        // A click precedes every navigation by a link or a form, even a form that is sent by the keyboard.
        window_event_listener(ev::click, move |event| traversal.end(&event)),
        window_event_listener(ev::scroll, move |_| traversal.remember()),
        // A reader who scrolls before the position is restored is not moved any more. (A swipe to the side may be the
        // step back itself, and with Ctrl the wheel zooms.)
        window_event_listener(ev::wheel, move |event| {
            if event.delta_y() != 0.0 && !event.ctrl_key() {
                traversal.wanted.set_value(None);
            }
        }),
        window_event_listener(ev::touchmove, move |_| traversal.wanted.set_value(None)),
        // The browser itself would scroll too early, before the page is there. It only knows better when a document is
        // reloaded.
        window_event_listener(ev::pagehide, move |_| {
            leave_scrolling_to_browser(true);
            keep.set(traversal.scrolled.get_value());
        }),
        window_event_listener(ev::pageshow, |_| leave_scrolling_to_browser(false)),
    ];
    Effect::new(move || {
        // Each history entry stores its own scroll restoration. An entry that was not the last of its document is still
        // ours.
        let is_ours = window().history().is_ok_and(|of| of.scroll_restoration() == Ok(ScrollRestoration::Manual));
        leave_scrolling_to_browser(false);
        traversal.scrolled.set_value(kept.get_untracked());
        if is_ours {
            window().scroll_to_with_x_and_y(0.0, traversal.scrolled_at(&address()));
        }
    });
    on_cleanup(move || listeners.into_iter().for_each(WindowListenerHandle::remove));
}

/// Follows the router's address. Must be called below the router.
pub fn follow_address() {
    let Location { pathname, search, .. } = use_location();
    let Some(Traversal { current, .. }) = use_context() else { return };
    Effect::new(move || {
        let (path, search) = (pathname.get(), search.get());
        current.set_value(if search.is_empty() { path } else { format!("{path}?{search}") });
    });
}

/// Returns whether the browser's back or forward led to the current address. False on the server.
pub fn use_traversal() -> Signal<bool> {
    use_context::<Traversal>().map_or_else(|| false.into(), |traversal| traversal.is_traversal.into())
}

/// Returns a function that scrolls the document to the reader's last position, if back or forward led here. It is to be
/// called in the browser, once the contents are on the page.
pub fn use_scroll_restoration() -> impl Fn() + Copy + Send + Sync + 'static {
    let traversal = use_context::<Traversal>();
    move || {
        let Some(Traversal { wanted, .. }) = traversal else { return };
        let Some(asked) = wanted.get_value() else { return };
        request_animation_frame(move || {
            // By then, another step may have led on, to a page that is not there yet.
            if wanted.try_update_value(|wanted| wanted.take_if(|wanted| *wanted == asked)).flatten().is_some() {
                window().scroll_to_with_x_and_y(0.0, asked.top);
            }
        });
    }
}

/// Returns whether back or forward has led to another address than the one this document was rendered for. Until the
/// program runs, nothing handles such a step: the address changes, the document does not. In the browser only.
pub fn has_led_elsewhere() -> bool {
    let loaded = window().performance().and_then(|performance| {
        let document = performance.get_entries_by_type("navigation").get(0);
        Url::new(&Reflect::get(&document, &"name".into()).ok()?.as_string()?).ok()
    });
    loaded.is_some_and(|loaded| format!("{}{}", loaded.pathname(), loaded.search()) != without_hash(&address()))
}

impl Traversal {
    fn begin(self) {
        // If the browser itself follows a link within the page, the same event comes afterwards.
        let clicked = self.clicked.try_update_value(Option::take).flatten();
        if clicked.is_some() && clicked == location().hash().ok() {
            return;
        }
        let there = address();
        let (is_same_path, is_same) =
            self.current.with_value(|current| (path(current) == path(&there), current == without_hash(&there)));
        if !is_same {
            self.remember();
        }
        self.is_traversal.set(true);
        let top = self.scrolled_at(&there);
        // While the page of the previous step is loading, the router already has its address, but the page is not
        // visible yet.
        let is_of_other_page = self.awaits_page() || !is_same_path;
        if !is_of_other_page {
            request_animation_frame(move || window().scroll_to_with_x_and_y(0.0, top));
        }
        let is_all_there = is_same && !is_of_other_page;
        self.wanted.set_value((!is_all_there).then_some(Wanted { top, is_of_other_page }));
    }

    /// Returns the scroll offset of the document at an address.
    fn scrolled_at(self, address: &str) -> f64 {
        self.scrolled.with_value(|scrolled| scrolled.get(address).copied()).unwrap_or_default()
    }

    /// Returns whether back or forward has led to a page that is not there yet.
    fn awaits_page(self) -> bool {
        self.wanted.with_value(|wanted| wanted.is_some_and(|wanted| wanted.is_of_other_page))
    }

    fn end(self, click: &MouseEvent) {
        // Such a click opens another tab or window at most.
        if click.ctrl_key() || click.meta_key() || click.shift_key() || click.alt_key() {
            return;
        }
        // There may have been no scroll event here: a link that changes only the query leaves the document in place.
        self.remember();
        let target = click.target().and_then(|target| target.dyn_into::<Element>().ok());
        let link = target.and_then(|target| target.closest("a[href^='#']").ok().flatten());
        self.clicked.set_value(link.and_then(|link| link.dyn_into::<HtmlAnchorElement>().ok()).map(|link| link.hash()));
        self.is_traversal.set(false);
        self.wanted.set_value(None);
    }

    fn remember(self) {
        // A page that is left before its position was restored keeps the old position.
        if self.awaits_page() {
            return;
        }
        if let Ok(top) = window().scroll_y() {
            let (page, shown) = (self.current.get_value(), address());
            let address = if page == without_hash(&shown) { shown } else { page };
            self.scrolled.update_value(|scrolled| _ = scrolled.insert(address, top));
        }
    }
}

/// Returns path, query and hash.
pub(super) fn address() -> String {
    let location = location();
    [location.pathname(), location.search(), location.hash()].into_iter().flatten().collect()
}

fn without_hash(address: &str) -> &str {
    address.split('#').next().unwrap_or_default()
}

fn path(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or_default()
}

fn leave_scrolling_to_browser(leave: bool) {
    if let Ok(history) = window().history() {
        let restoration = if leave { ScrollRestoration::Auto } else { ScrollRestoration::Manual };
        _ = history.set_scroll_restoration(restoration);
    }
}
