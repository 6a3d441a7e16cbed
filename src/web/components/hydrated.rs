//! Whether the browser has taken over. Until then the page can be read, and what needs the browser is disabled.

use leptos::prelude::*;

#[derive(Clone, Copy)]
struct Hydrated {
    hydrated: RwSignal<bool>,
    painted: RwSignal<bool>,
}

/// Makes [`use_hydrated`] and [`use_painted`] known to everything below.
pub fn provide_hydrated() {
    let state = Hydrated { hydrated: RwSignal::new(false), painted: RwSignal::new(false) };
    provide_context(state);
    Effect::new(move || {
        state.hydrated.set(true);
        // A timer that is set within a frame fires once that frame is on screen.
        request_animation_frame(move || set_timeout(move || state.painted.set(true), std::time::Duration::ZERO));
    });
}

/// True once the browser has taken over; false on the server and in the first render.
pub fn use_hydrated() -> Signal<bool> {
    use_context::<Hydrated>().map_or_else(|| false.into(), |state| state.hydrated.into())
}

/// True once the hydrated page has been painted: for work that may wait until then.
pub fn use_painted() -> Signal<bool> {
    use_context::<Hydrated>().map_or_else(|| false.into(), |state| state.painted.into())
}
