//! Whether the browser has taken over. Before that the page is readable, and what needs the browser
//! is switched off rather than deaf.

use super::work::effect;
use leptos::prelude::*;

#[derive(Clone, Copy)]
struct Ready(RwSignal<bool>);

/// Makes [`ready`] known to everything below. False on the server and in the first render.
pub fn provide_ready() {
    let ready = RwSignal::new(false);
    provide_context(Ready(ready));
    effect(move || ready.set(true));
}

/// Turns true once the browser has taken over.
pub fn ready() -> RwSignal<bool> {
    use_context().map_or_else(|| RwSignal::new(false), |Ready(ready)| ready)
}
