//! Back and forward in the browser's history, which restore the scroll position.

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
    /// Whether back or forward led to the current address.
    is_traversal: RwSignal<bool>,
    /// Path and query of the page that the router shows or is about to show: they change before the page does, and that
    /// before the browser's address.
    current: StoredValue<String>,
    /// How far the document was scrolled at each address, in pixels.
    scrolled: StoredValue<BTreeMap<String, f64>>,
    /// Where it is to be scrolled to once what belongs there is on the page.
    wanted: StoredValue<Option<Wanted>>,
    /// The hash of the link to a place on the same page that the reader clicked on last, until the next `popstate`.
    clicked: StoredValue<Option<String>>,
}

#[derive(Clone, Copy)]
struct Wanted {
    /// How far, in pixels.
    top: f64,
    /// The page itself is awaited. Otherwise only its query is another one, and perhaps it has nothing to load.
    is_of_other_page: bool,
}

/// Makes [`use_traversal`], [`follow_address`] and [`use_scroll_restoration`] known to everything below. To be called before
/// the router, which listens to the same events.
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
    // Not by an effect, as listeners of components are: it would run after the router has begun to listen.
    let listeners = [
        window_event_listener(ev::popstate, move |_| traversal.begin()),
        // A click comes before every navigation: by a link, and by a form, even one that is sent by the keyboard.
        window_event_listener(ev::click, move |event| traversal.end(&event)),
        window_event_listener(ev::scroll, move |_| traversal.remember()),
        // A reader who scrolls before the page is where it was is not moved any more. (A swipe to the side may be what led
        // back, and with Ctrl the wheel zooms.)
        window_event_listener(ev::wheel, move |event| {
            if event.delta_y() != 0.0 && !event.ctrl_key() {
                traversal.wanted.set_value(None);
            }
        }),
        window_event_listener(ev::touchmove, move |_| traversal.wanted.set_value(None)),
        // The browser itself would scroll too early, before the page is there. Only when a document is loaded again
        // does it know better.
        window_event_listener(ev::pagehide, move |_| {
            leave_scrolling_to_browser(true);
            keep.set(traversal.scrolled.get_value());
        }),
        window_event_listener(ev::pageshow, |_| leave_scrolling_to_browser(false)),
    ];
    Effect::new(move || {
        // Each step of the history keeps for itself who scrolls: one that was not the last of its document is still ours.
        let is_ours = window().history().is_ok_and(|of| of.scroll_restoration() == Ok(ScrollRestoration::Manual));
        leave_scrolling_to_browser(false);
        traversal.scrolled.set_value(kept.get_untracked());
        if is_ours {
            window().scroll_to_with_x_and_y(0.0, traversal.scrolled_at(&address()));
        }
    });
    on_cleanup(move || listeners.into_iter().for_each(WindowListenerHandle::remove));
}

/// Follows the router's address. To be called below the router.
pub fn follow_address() {
    let Location { pathname, search, .. } = use_location();
    let Some(Traversal { current, .. }) = use_context() else { return };
    Effect::new(move || {
        let (path, search) = (pathname.get(), search.get());
        current.set_value(if search.is_empty() { path } else { format!("{path}?{search}") });
    });
}

/// Whether the browser's back or forward led to the current address. False on the server.
pub fn use_traversal() -> Signal<bool> {
    use_context::<Traversal>().map_or_else(|| false.into(), |traversal| traversal.is_traversal.into())
}

/// Returns what scrolls the document to where the reader was, if back or forward led here. To be called in the browser,
/// once what belongs there is on the page.
pub fn use_scroll_restoration() -> impl Fn() + Copy + Send + Sync + 'static {
    let traversal = use_context::<Traversal>();
    move || {
        let Some(Traversal { wanted, .. }) = traversal else { return };
        request_animation_frame(move || {
            if let Some(Wanted { top, .. }) = wanted.try_update_value(Option::take).flatten() {
                window().scroll_to_with_x_and_y(0.0, top);
            }
        });
    }
}

/// Whether back or forward has led to another address than that for which the server made this document. Until the program
/// runs, nothing handles them: the address changes, the document does not. In the browser only.
pub fn has_led_elsewhere() -> bool {
    let loaded = window().performance().and_then(|performance| {
        let document = performance.get_entries_by_type("navigation").get(0);
        Url::new(&Reflect::get(&document, &"name".into()).ok()?.as_string()?).ok()
    });
    loaded.is_some_and(|loaded| format!("{}{}", loaded.pathname(), loaded.search()) != without_hash(&address()))
}

impl Traversal {
    fn begin(self) {
        // Where the browser itself follows a link to a place on the same page, the same event comes after.
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
        // While the page of the step before is loading, the router already has its address, but it is not on the screen.
        let is_of_other_page = self.awaits_page() || !is_same_path;
        if !is_of_other_page {
            request_animation_frame(move || window().scroll_to_with_x_and_y(0.0, top));
        }
        let is_all_there = is_same && !is_of_other_page;
        self.wanted.set_value((!is_all_there).then_some(Wanted { top, is_of_other_page }));
    }

    /// How far the document was scrolled at an address.
    fn scrolled_at(self, address: &str) -> f64 {
        self.scrolled.with_value(|scrolled| scrolled.get(address).copied()).unwrap_or_default()
    }

    /// Whether back or forward has led to a page that is not there yet.
    fn awaits_page(self) -> bool {
        self.wanted.with_value(|wanted| wanted.is_some_and(|wanted| wanted.is_of_other_page))
    }

    fn end(self, click: &MouseEvent) {
        // It opens another tab or window, if anything.
        if click.ctrl_key() || click.meta_key() || click.shift_key() || click.alt_key() {
            return;
        }
        // Perhaps nobody has scrolled here: a link that changes only the query leaves the document where it is.
        self.remember();
        let target = click.target().and_then(|target| target.dyn_into::<Element>().ok());
        let link = target.and_then(|target| target.closest("a[href^='#']").ok().flatten());
        self.clicked.set_value(link.and_then(|link| link.dyn_into::<HtmlAnchorElement>().ok()).map(|link| link.hash()));
        self.is_traversal.set(false);
        self.wanted.set_value(None);
    }

    fn remember(self) {
        // A page that is left before it was scrolled to where the reader was keeps that place.
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

/// Path, query and hash.
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
