//! Work that runs once before the next paint, however often it is requested.

use leptos::prelude::*;

/// Work that can be requested; see [`use_animation_frame`].
#[derive(Clone, Copy)]
pub struct AnimationFrame {
    work: Callback<()>,
    requested: StoredValue<bool>,
}

/// Calls `work` before the next paint, once [`AnimationFrame::request`] was called, until the component is disposed.
/// (leptos-use's `use_raf_fn` calls in every frame, even if there is nothing to do.)
pub fn use_animation_frame(work: impl Fn() + Send + Sync + 'static) -> AnimationFrame {
    AnimationFrame { work: Callback::new(move |()| work()), requested: StoredValue::new(false) }
}

impl AnimationFrame {
    /// Requests the work. In the browser only.
    pub fn request(self) {
        let was_requested = self.requested.try_update_value(|requested| std::mem::replace(requested, true));
        if was_requested == Some(false) {
            request_animation_frame(move || {
                // The component may be disposed by then.
                if self.requested.try_set_value(false).is_none() {
                    self.work.run(());
                }
            });
        }
    }
}
