//! Work that is done once before the browser paints, however often it is asked for.

use leptos::prelude::*;

/// Work that can be asked for; see [`use_animation_frame`].
#[derive(Clone, Copy)]
pub struct AnimationFrame {
    work: Callback<()>,
    requested: StoredValue<bool>,
}

/// Calls `work` before the browser paints next, once [`AnimationFrame::request`] has asked for it, until the component
/// is gone. (leptos-use's `use_raf_fn` calls in every frame, also when there is nothing to do.)
pub fn use_animation_frame(work: impl Fn() + Send + Sync + 'static) -> AnimationFrame {
    AnimationFrame { work: Callback::new(move |()| work()), requested: StoredValue::new(false) }
}

impl AnimationFrame {
    /// Asks for the work. In the browser only.
    pub fn request(self) {
        let was_requested = self.requested.try_update_value(|requested| std::mem::replace(requested, true));
        if was_requested == Some(false) {
            request_animation_frame(move || {
                // The component may be gone by then.
                if self.requested.try_set_value(false).is_none() {
                    self.work.run(());
                }
            });
        }
    }
}
