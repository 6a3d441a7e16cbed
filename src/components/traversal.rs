//! Whether the reader goes back or forward in the browser's history, or on to something new.

use leptos::{ev, prelude::*};

#[derive(Clone, Copy)]
struct Traversal(RwSignal<bool>);

/// Makes [`use_traversal`] known to everything below. To be called before the router, which listens to the same events.
pub fn provide_traversal() {
    let traversal = RwSignal::new(false);
    provide_context(Traversal(traversal));
    let popstate = window_event_listener(ev::popstate, move |_| traversal.set(true));
    // A click comes before every way on: of a link, and of a form, also when it is sent by the keyboard.
    let click = window_event_listener(ev::click, move |_| traversal.set(false));
    on_cleanup(move || {
        popstate.remove();
        click.remove();
    });
}

/// Whether the browser's back or forward led to the current address. False on the server.
pub fn use_traversal() -> Signal<bool> {
    use_context::<Traversal>().map_or_else(|| false.into(), |Traversal(traversal)| traversal.into())
}
