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
    /// The value of a full bar; 0 if there is none: then nothing is measured, and the bar stays empty.
    #[prop(into)]
    max: Signal<u64>,
    /// The figures in words.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    // Three digits are more than a bar shows, and keep the attribute still.
    let share = move || (value.get() * 1_000).checked_div(max.get()).unwrap_or_default().min(1_000);
    let is_measured = Memo::new(move |_| max.get() > 0);
    // A meter must have a value; progress without one would be under way.
    let is_there = move || is_measured.get() || role == "progressbar";
    view! {
        <div
            class="meter"
            role=move || is_there().then_some(role)
            aria-label=move || is_there().then_some(label)
            aria-valuemin=move || is_measured.get().then_some("0")
            aria-valuemax=move || is_measured.get().then(|| max.get().to_string())
            aria-valuenow=move || is_there().then(|| value.get().min(max.get()).to_string())
            aria-valuetext=move || is_measured.get().then(|| text.get())
        >
            <span style=move || format!("--share:{}", share())></span>
        </div>
    }
}
