//! Parts of a page that the reader opens.

use leptos::{ev, html, prelude::*};
use leptos_use_event_listener::use_event_listener;

/// Whether this element is open; also if the reader opened it before the browser took over.
pub fn use_is_open(details: NodeRef<html::Details>) -> Signal<bool> {
    let is_open = RwSignal::new(false);
    let look = move || is_open.set(details.get_untracked().is_some_and(|details| details.open()));
    Effect::new(move || {
        details.track();
        look();
    });
    _ = use_event_listener(details, ev::toggle, move |_| look());
    is_open.into()
}
