//! A canvas that is drawn again when what it shows changes, when it changes size, and when light
//! turns dark. The same figures stand beside it as text.

use super::platform::{Sizes, Surface, on_dark_switch};
use leptos::{html::Canvas, prelude::*};

#[derive(Clone, Copy)]
struct Looks(RwSignal<u32>);

/// Makes [`looks`] known to everything below.
pub fn provide_looks() {
    let looks = RwSignal::new(0);
    provide_context(Looks(looks));
    Effect::new(move |_| on_dark_switch(move || *looks.write() += 1));
}

/// Counts changes of the colours; to be raised by whoever changes them.
pub fn looks() -> RwSignal<u32> {
    use_context().map_or_else(|| RwSignal::new(0), |Looks(looks)| looks)
}

/// A canvas with what `draw` puts on it. `draw` is called again whenever a signal that it read
/// changes.
pub fn drawing(class: &'static str, draw: impl Fn(&Surface) + 'static) -> AnyView {
    let canvas = NodeRef::<Canvas>::new();
    let size = RwSignal::new(0_u32);
    let looks = looks();
    let surface = StoredValue::new_local(None::<Surface>);
    let sizes = StoredValue::new_local(None::<Sizes>);
    Effect::new(move |_| {
        if canvas.get().is_some() {
            sizes.set_value(Sizes::watch(canvas, move || _ = size.try_update(|size| *size += 1)));
        }
    });
    let draw: Box<dyn Fn(&Surface)> = Box::new(draw);
    Effect::new(move |measured: Option<(u32, u32)>| {
        let look = (size.get(), looks.get());
        if measured != Some(look) {
            surface.set_value(Surface::of(canvas));
        }
        surface.with_value(|surface| {
            if let Some(surface) = surface {
                surface.clear();
                draw(surface);
            }
        });
        look
    });
    view! { <canvas node_ref=canvas class=class aria-hidden="true"></canvas> }.into_any()
}
