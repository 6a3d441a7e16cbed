//! The state of hydration. Before it, the page is readable, and controls that need the browser are disabled.

use leptos::prelude::*;

#[derive(Clone, Copy)]
struct Hydrated {
    hydrated: RwSignal<bool>,
    painted: RwSignal<bool>,
}

/// Provides [`use_hydrated`] and [`use_painted`] to all descendants.
pub fn provide_hydrated() {
    let state = Hydrated { hydrated: RwSignal::new(false), painted: RwSignal::new(false) };
    provide_context(state);
    Effect::new(move || {
        state.hydrated.set(true);
        // A timer that is set within a frame fires once that frame is on screen.
        request_animation_frame(move || set_timeout(move || state.painted.set(true), std::time::Duration::ZERO));
    });
}

/// Returns true after hydration; false on the server and in the first render.
pub fn use_hydrated() -> Signal<bool> {
    use_context::<Hydrated>().map_or_else(|| false.into(), |state| state.hydrated.into())
}

/// Returns true once the hydrated page has been painted: for work that may wait until then.
pub fn use_painted() -> Signal<bool> {
    use_context::<Hydrated>().map_or_else(|| false.into(), |state| state.painted.into())
}
