//! Whether the browser has taken over. Before that the page is readable, and what needs the browser
//! is switched off rather than deaf.

use super::{
    platform,
    work::{after, effect},
};
use leptos::prelude::*;
use std::time::Duration;

#[derive(Clone, Copy)]
struct Ready {
    taken_over: RwSignal<bool>,
    painted: RwSignal<bool>,
}

/// Makes [`ready`] and [`painted`] known to everything below. False on the server and in the first render.
pub fn provide_ready() {
    let ready = Ready { taken_over: RwSignal::new(false), painted: RwSignal::new(false) };
    provide_context(ready);
    effect(move || {
        ready.taken_over.set(true);
        // A timer within a frame rings when that frame is on screen.
        platform::next_frame(move || after(Duration::ZERO, move || ready.painted.set(true)));
    });
}

fn told(which: fn(Ready) -> RwSignal<bool>) -> RwSignal<bool> {
    use_context().map_or_else(|| RwSignal::new(false), which)
}

/// Turns true once the browser has taken over.
pub fn ready() -> RwSignal<bool> {
    told(|ready| ready.taken_over)
}

/// Turns true once the reader has seen that: for what may wait until then.
pub fn painted() -> RwSignal<bool> {
    told(|ready| ready.painted)
}
