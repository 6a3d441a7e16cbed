//! A share as a bar, or as another picture.

use leptos::prelude::*;

/// A bar as long as `value` is of `max`, or a picture in its place, with its figures for screen readers.
#[component]
pub fn Meter(
    /// `meter` or `progressbar`.
    #[prop(default = "meter")]
    role: &'static str,
    /// The class of the element; none if empty.
    #[prop(default = "meter")]
    class: &'static str,
    /// What is measured, for screen readers.
    #[prop(into)]
    label: String,
    /// How much there is; more than `max` fills the bar.
    #[prop(into)]
    value: Signal<u64>,
    /// The value of a full bar; 0 if there is none: then nothing is measured, and the bar stays empty.
    #[prop(into)]
    max: Signal<u64>,
    /// The figures in words.
    #[prop(into)]
    text: Signal<String>,
    /// What is shown in place of the bar.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let bar = || {
        // Three digits are more than a bar shows, and keep the attribute still.
        let share = move || (value.get() * 1_000).checked_div(max.get()).unwrap_or_default().min(1_000);
        view! { <span style=move || format!("--share:{}", share())></span> }
    };
    let is_measured = Memo::new(move |_| max.get() > 0);
    // A meter must have a value; progress without one would be under way.
    let is_there = move || is_measured.get() || role == "progressbar";
    view! {
        <div
            class=(!class.is_empty()).then_some(class)
            role=move || is_there().then_some(role)
            aria-label=move || is_there().then(|| label.clone())
            aria-valuemin=move || is_measured.get().then_some("0")
            aria-valuemax=move || is_measured.get().then(|| max.get().to_string())
            aria-valuenow=move || is_there().then(|| value.get().min(max.get()).to_string())
            aria-valuetext=move || is_measured.get().then(|| text.get())
        >
            {children.map_or_else(|| bar().into_any(), |children| children())}
        </div>
    }
}
