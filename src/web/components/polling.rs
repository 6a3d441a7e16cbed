//! Work that is repeated while the page is visible.

use crate::components::{server_now, use_latest};
use leptos::prelude::*;
use leptos_use_document_visibility::use_document_visibility;
use leptos_use_interval_fn::use_interval_fn;
use model::{Millis, error::Result};
use std::time::Duration;
use web_sys::VisibilityState;

/// The time of the first call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstCall {
    /// Immediately: no data is known yet.
    AtOnce,
    /// After an interval: the page came with its data.
    AfterInterval,
}

/// Calls `load` every `interval` while the tab is visible, and when it becomes visible, one call at a time. Gives
/// `show` each answer, until the component is disposed.
///
/// Returns a function that calls at once, for a changed question: earlier calls are aborted then.
pub fn use_polling<T, F>(
    interval: Duration,
    first: FirstCall,
    load: impl Fn() -> F + Copy + Send + Sync + 'static,
    show: impl Fn(Result<T>) + Copy + Send + Sync + 'static,
) -> Callback<()>
where
    T: 'static,
    F: Future<Output = Result<T>> + 'static,
{
    let latest = use_latest();
    use_while_visible(interval, first, move || {
        if !latest.is_pending_untracked() {
            latest.ask(load, show);
        }
    });
    Callback::new(move |()| latest.ask(load, show))
}

/// Returns the time by the server's clock, once a second while the tab is visible; zero on the server and in the first
/// render.
pub fn use_now() -> Signal<Millis> {
    let now = RwSignal::new(0);
    let tick = move || now.set(server_now());
    use_while_visible(Duration::from_secs(1), FirstCall::AtOnce, tick);
    now.into()
}

/// Runs `call` at each interval while the tab is visible, and when it becomes visible.
pub fn use_while_visible(interval: Duration, first: FirstCall, call: impl Fn() + Copy + Send + Sync + 'static) {
    let visibility = use_document_visibility();
    let call = move || {
        // The page may be disposed. A test's fake clock does not stop its intervals, as their ids exceed the 32 bits of
        // the bindings.
        if visibility.try_get_untracked() == Some(VisibilityState::Visible) {
            call();
        }
    };
    Effect::new(move |before: Option<()>| {
        visibility.track();
        if before.is_some() || first == FirstCall::AtOnce {
            untrack(call);
        }
    });
    let interval = u64::try_from(interval.as_millis()).unwrap_or(u64::MAX);
    use_interval_fn(call, interval);
}
