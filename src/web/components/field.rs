//! What stands around a control of a form: its label, and the sentences about it.

use leptos::prelude::*;

/// A control with its label above it, and below it a hint and what is wrong with it. The control names these as its
/// descriptions: `<id>-hint` and `<id>-error`.
#[component]
pub fn Field(
    /// The id of the control.
    #[prop(into)]
    id: String,
    /// The text of the `<label>`.
    label: &'static str,
    /// What is said of the control whatever it holds; nothing by default.
    #[prop(optional_no_strip)]
    hint: Option<AnyView>,
    /// What is wrong with what it holds, where that is said beside it.
    #[prop(optional_no_strip)]
    wrong: Option<Signal<Option<&'static str>>>,
    /// Whether the field is hidden, because its value is not needed.
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
