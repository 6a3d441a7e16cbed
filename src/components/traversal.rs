//! Back and forward in the browser's history, which restore the scroll position.

use leptos::{
    ev,
    leptos_dom::helpers::{WindowListenerHandle, location, window_event_listener},
    prelude::*,
};
use std::collections::HashMap;
use web_sys::ScrollRestoration;

#[derive(Clone, Copy)]
struct Traversal {
    /// Whether back or forward led to the current address.
    is_traversal: RwSignal<bool>,
    /// How far the document was scrolled at each address, in pixels.
    scrolled: StoredValue<HashMap<String, f64>>,
    /// How far it is to be scrolled once the page is there.
    wanted: StoredValue<Option<f64>>,
}

/// Makes [`use_traversal`] and [`use_scroll_restoration`] known to everything below. To be called before the router,
/// which listens to the same events.
pub fn provide_traversal() {
    let traversal = Traversal {
        is_traversal: RwSignal::new(false),
        scrolled: StoredValue::default(),
        wanted: StoredValue::default(),
    };
    provide_context(traversal);
    // Not by an effect, as listeners of components are: it would run after the router has begun to listen.
    let listeners = [
        window_event_listener(ev::popstate, move |_| traversal.begin()),
        // A click comes before every navigation: by a link, and by a form, even one that is sent by the keyboard.
        window_event_listener(ev::click, move |_| traversal.end()),
        window_event_listener(ev::scroll, move |_| traversal.remember()),
        // The browser itself would scroll too early, before the page is there. Only when a document is loaded again
        // does it know better.
        window_event_listener(ev::pagehide, |_| leave_scrolling_to_browser(true)),
        window_event_listener(ev::pageshow, |_| leave_scrolling_to_browser(false)),
    ];
    Effect::new(|| leave_scrolling_to_browser(false));
    on_cleanup(move || listeners.into_iter().for_each(WindowListenerHandle::remove));
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
            if let Some(top) = wanted.try_update_value(Option::take).flatten() {
                window().scroll_to_with_x_and_y(0.0, top);
            }
        });
    }
}

impl Traversal {
    fn begin(self) {
        self.is_traversal.set(true);
        self.wanted.set_value(self.scrolled.with_value(|scrolled| scrolled.get(&address()).copied()));
    }

    fn end(self) {
        self.is_traversal.set(false);
        self.wanted.set_value(None);
    }

    fn remember(self) {
        if let Ok(top) = window().scroll_y() {
            self.scrolled.update_value(|scrolled| _ = scrolled.insert(address(), top));
        }
    }
}

/// The path and the query.
fn address() -> String {
    let location = location();
    [location.pathname(), location.search()].into_iter().flatten().collect()
}

fn leave_scrolling_to_browser(leave: bool) {
    if let Ok(history) = window().history() {
        let restoration = if leave { ScrollRestoration::Auto } else { ScrollRestoration::Manual };
        _ = history.set_scroll_restoration(restoration);
    }
}
