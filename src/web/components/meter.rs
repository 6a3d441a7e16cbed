//! A share as a bar, or as another picture.

use leptos::prelude::*;

/// Shows `value` as a share of `max`, by the length of a bar or by another picture, with its figures for screen
/// readers.
#[component]
pub fn Meter(
    /// `meter` or `progressbar`.
    #[prop(default = "meter")]
    role: &'static str,
    /// The class of the element; none if empty.
    #[prop(default = "meter")]
    class: &'static str,
    /// The measured quantity, for screen readers.
    #[prop(into)]
    label: String,
    /// The current value; more than `max` fills the bar.
    #[prop(into)]
    value: Signal<u64>,
    /// The value of a full bar. With 0, nothing is measured, and the bar stays empty.
    #[prop(into)]
    max: Signal<u64>,
    /// The figures in words.
    #[prop(into)]
    text: Signal<String>,
    /// A picture in place of the bar.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let bar = || {
        // Three digits are finer than a bar shows, and the attribute changes less often.
        let share = move || (value.get() * 1_000).checked_div(max.get()).unwrap_or_default().min(1_000);
        view! { <span style=move || format!("--share:{}", share())></span> }
    };
    let is_measured = Memo::new(move |_| max.get() > 0);
    // A meter must have a value; progress without one would be indeterminate.
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
