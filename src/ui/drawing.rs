//! A canvas that is drawn again when what it shows changes, when it changes size, and when light
//! turns dark. The same figures stand beside it as text.

use super::{
    node::{El, el},
    platform::{Sizes, Surface, on_dark_switch},
    work::effect,
};
use leptos::prelude::*;

#[derive(Clone, Copy)]
struct Looks(RwSignal<u32>);

/// Makes [`looks`] known to everything below.
pub fn provide_looks() {
    let looks = RwSignal::new(0);
    provide_context(Looks(looks));
    effect(move || on_dark_switch(move || *looks.write() += 1));
}

/// Counts changes of the colours; to be raised by whoever changes them.
pub fn looks() -> RwSignal<u32> {
    use_context().map_or_else(|| RwSignal::new(0), |Looks(looks)| looks)
}

/// A canvas with what `draw` puts on it. `draw` is called again whenever a signal that it read
/// changes.
pub fn drawing(class: &'static str, draw: impl Fn(&Surface) + Send + 'static) -> El {
    let looks = looks();
    let draw: Box<dyn Fn(&Surface) + Send> = Box::new(draw);
    let owner = Owner::current().unwrap_or_default();
    let found = move |canvas: &leptos::web_sys::Element| {
        let canvas = canvas.clone();
        owner.with(|| {
            let size = RwSignal::new(0_u32);
            let sizes = Sizes::watch(&canvas, move || _ = size.try_update(|size| *size += 1));
            // Kept for as long as the canvas's owner is.
            StoredValue::new_local(sizes);
            let mut surface = None;
            let mut measured = None;
            effect(move || {
                let look = (size.get(), looks.get());
                if measured != Some(look) {
                    measured = Some(look);
                    surface = Surface::of(&canvas);
                }
                if let Some(surface) = &surface {
                    surface.clear();
                    draw(surface);
                }
            });
        });
    };
    el("canvas").class(class).attr("aria-hidden", "true").found(found)
}
