//! What happens again and again while somebody looks.

use crate::{domain::Millis, error::Result};
use leptos::{prelude::*, task::spawn_local};
use leptos_use_document_visibility::use_document_visibility;
use leptos_use_interval_fn::use_interval_fn;
use std::time::Duration;
use web_sys::VisibilityState;

/// Calls `load` at once and every `interval` while the tab is visible, one call at a time, and gives `show` each
/// answer; until the component is gone.
pub fn use_polling<T, F>(
    interval: Duration,
    load: impl Fn() -> F + Copy + Send + Sync + 'static,
    show: impl Fn(Result<T>) + Copy + Send + Sync + 'static,
) where
    T: 'static,
    F: Future<Output = Result<T>> + 'static,
{
    let loading = StoredValue::new(false);
    while_visible(interval, move || {
        if loading.get_value() {
            return;
        }
        loading.set_value(true);
        spawn_local(async move {
            let answer = load().await;
            // The page may be gone by the time of the answer.
            if loading.try_set_value(false).is_none() {
                show(answer);
            }
        });
    });
}

/// The browser's clock, once a second while the tab is visible; zero on the server and in the first render.
pub fn use_now() -> Signal<Millis> {
    let now = RwSignal::new(0);
    while_visible(Duration::from_secs(1), move || now.set(js_sys::Date::now() as Millis));
    now.into()
}

/// Calls at once in the browser, and at each interval while the tab is visible.
fn while_visible(interval: Duration, call: impl Fn() + Copy + Send + Sync + 'static) {
    let visibility = use_document_visibility();
    let call = move || {
        if visibility.get_untracked() == VisibilityState::Visible {
            call();
        }
    };
    Effect::new(move || {
        visibility.track();
        untrack(call);
    });
    let interval = u64::try_from(interval.as_millis()).unwrap_or(u64::MAX);
    use_interval_fn(call, interval);
}
