//! Text to take along.

use super::{
    icons::{Icon, icon},
    platform,
    ready::ready,
};
use crate::words::words;
use leptos::prelude::*;
use std::time::Duration;

const SAID_FOR: Duration = Duration::from_secs(2);

/// A button that copies `text` and says so.
pub fn copy_button(label: &'static str, text: String) -> AnyView {
    let words = words();
    let ready = ready();
    let copied = RwSignal::new(false);
    let copy = move |_| {
        platform::copy(&text);
        copied.set(true);
        set_timeout(move || _ = copied.try_set(false), SAID_FOR);
    };
    view! {
        <button type="button" class="quiet" aria-label=label title=label disabled=move || !ready.get() on:click=copy>
            {move || icon(if copied.get() { Icon::Check } else { Icon::Copy })}
        </button>
        <span class="hidden" role="status">{move || copied.get().then_some(words.copied)}</span>
    }
    .into_any()
}
