//! The frame of a form control: its label, hint and error.

use leptos::prelude::*;

/// Shows a control with its label above it, and its hint and error below it. The control refers to these as its
/// descriptions: `<id>-hint` and `<id>-error`.
#[component]
pub fn Field(
    /// The id of the control.
    #[prop(into)]
    id: String,
    /// The text of the `<label>`.
    label: &'static str,
    /// The sentence below the control, independent of its value; none by default.
    #[prop(optional_no_strip)]
    hint: Option<AnyView>,
    /// The error of its value, if the page shows it beside the control.
    #[prop(optional_no_strip)]
    wrong: Option<Signal<Option<&'static str>>>,
    /// Hides the field if its value is not needed.
    #[prop(into, optional)]
    hidden: Signal<bool>,
    /// The control.
    children: Children,
) -> impl IntoView {
    let (hint_id, error_id) = (format!("{id}-hint"), format!("{id}-error"));
    let hint = hint.map(|hint| {
        view! {
            <span class="hint" id=hint_id>
                {hint}
            </span>
        }
    });
    let wrong = wrong.map(|wrong| {
        view! {
            <span id=error_id aria-live="polite">
                {move || wrong.get().map(|sentence| view! { <span class="wrong">{sentence}</span> })}
            </span>
        }
    });
    view! {
        <div class="field" hidden=hidden>
            <label for=id>{label}</label>
            {children()}
            {hint}
            {wrong}
        </div>
    }
}
