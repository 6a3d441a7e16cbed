//! The frame of a form control: its label, hint and error.

use leptos::prelude::*;

/// Shows a control with its label above it and its hint below it. An error replaces the hint; it names the field and
/// stands beside it in the document, so that it can be as wide as the row of the field. The control refers to either as
/// its [`description`].
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
    let is_wrong = move || wrong.is_some_and(|wrong| wrong.get().is_some());
    let hint = hint.map(|hint| {
        view! {
            <span class="hint" id=hint_id hidden=is_wrong>
                {hint}
            </span>
        }
    });
    let wrong = wrong.map(|wrong| {
        view! {
            <p class="wrong" hidden=move || hidden.get() || !is_wrong()>
                <b>{label}</b>
                " "
                <span id=error_id>{wrong}</span>
            </p>
        }
    });
    view! {
        <div class="field" hidden=hidden>
            <label for=id>{label}</label>
            {children()}
            {hint}
        </div>
        {wrong}
    }
}

/// Returns the id of what describes the control of a [`Field`]: its error, or else its hint.
pub fn description(id: &str, wrong: Memo<Option<&'static str>>) -> Signal<String> {
    let (hint, error) = (format!("{id}-hint"), format!("{id}-error"));
    Signal::derive(move || if wrong.get().is_some() { error.clone() } else { hint.clone() })
}
