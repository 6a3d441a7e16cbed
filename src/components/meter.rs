//! A share as a bar.

use leptos::prelude::*;

/// A bar as long as `value` is of `max`, with its figures for screen readers.
#[component]
pub fn Meter(
    /// `meter` or `progressbar`.
    #[prop(default = "meter")]
    role: &'static str,
    /// What is measured, for screen readers.
    label: &'static str,
    /// How much there is; more than `max` fills the bar.
    #[prop(into)]
    value: Signal<u64>,
    /// The value of a full bar; 0 leaves the bar empty.
    #[prop(into)]
    max: Signal<u64>,
    /// The figures in words.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    // Three digits are more than a bar shows, and keep the attribute still.
    let share = move || (value.get() * 1_000).checked_div(max.get()).unwrap_or_default().min(1_000);
    view! {
        <div
            class="meter"
            role=role
            aria-label=label
            aria-valuemin="0"
            aria-valuemax=move || max.get().to_string()
            aria-valuenow=move || value.get().to_string()
            aria-valuetext=text
        >
            <span style=move || format!("--share:{}", share())></span>
        </div>
    }
}
