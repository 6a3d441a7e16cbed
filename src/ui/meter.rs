//! A share as a bar.

use leptos::prelude::*;

/// A bar that is `part` of `whole` long, with its figures for screen readers.
pub fn meter(
    role: &'static str,
    label: &'static str,
    part: Signal<u64>,
    whole: Signal<u64>,
    text: Signal<String>,
) -> AnyView {
    let share = move || {
        let share = part.get() as f64 / whole.get().max(1) as f64;
        // Three digits are more than a bar shows, and keep the attribute still.
        ["--share:", &((share.min(1.0) * 1_000.0) as u32).to_string()].concat()
    };
    view! {
        <div
            class="meter"
            role=role
            aria-label=label
            aria-valuemin="0"
            aria-valuemax=move || whole.get().to_string()
            aria-valuenow=move || part.get().to_string()
            aria-valuetext=text
        >
            <span style=share></span>
        </div>
    }
    .into_any()
}
