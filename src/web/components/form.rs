//! The fields and buttons of forms.
//!
//! Fields are uncontrolled: the browser keeps their text until the form is sent, so text that was typed before
//! hydration is not lost.

use crate::{
    components::{
        field::{Field, description},
        form_errors::FormErrors,
        use_hydrated,
    },
    i18n::FieldWords,
};
use leptos::prelude::*;

/// Shows a labelled line of text, with a sentence below its row when an error belongs to this field.
#[component]
pub fn TextField(
    /// The request's field; errors refer to it.
    name: &'static str,
    /// The element's id, if another field of the page has this name too.
    #[prop(optional)]
    id: Option<&'static str>,
    /// The id of its form, if the field is outside it.
    #[prop(optional)]
    form: &'static str,
    /// Its label, its hint, and the sentence for invalid input.
    words: FieldWords,
    /// The sentence for an empty field that must not be; that for invalid input by default.
    #[prop(optional)]
    empty: &'static str,
    /// The initial value.
    #[prop(into, optional)]
    value: String,
    /// Digits only: decides the keyboard of a phone.
    #[prop(optional)]
    numeric: bool,
    /// Hides the field if its value is not needed.
    #[prop(into, optional)]
    hidden: Signal<bool>,
    /// For a caller that reads or sets the value itself.
    #[prop(optional)]
    node_ref: NodeRef<leptos::html::Input>,
    /// The errors of its form; the field shows its own.
    errors: FormErrors,
) -> impl IntoView {
    let id = id.unwrap_or(name);
    let FieldWords { label, hint, error } = words;
    let hint = (!hint.is_empty()).then(|| hint.into_any());
    let was_empty = value.is_empty();
    let is_empty = move || node_ref.get_untracked().map_or(was_empty, |input| input.value().trim().is_empty());
    let sentence = errors.sentence(name, move || if empty.is_empty() || !is_empty() { error } else { empty });
    view! {
        <Field id label hint wrong=Some(sentence.into()) hidden>
            <input
                id=id
                name=name
                form=(!form.is_empty()).then_some(form)
                node_ref=node_ref
                type="text"
                autocomplete="off"
                spellcheck="false"
                inputmode=if numeric { "decimal" } else { "text" }
                value=value
                aria-describedby=description(id, sentence)
                aria-invalid=move || sentence.get().is_some().to_string()
            />
        </Field>
    }
}

/// Shows a labelled field for several lines of text; otherwise like [`TextField`].
#[component]
pub fn TextArea(
    /// The request's field, and the element's id; errors refer to it.
    name: &'static str,
    /// Its label, its hint, and the sentence for invalid input.
    words: FieldWords,
    /// The initial value.
    #[prop(into, optional)]
    value: String,
    /// The errors of its form; the field shows its own.
    errors: FormErrors,
) -> impl IntoView {
    let FieldWords { label, hint, error } = words;
    let hint = (!hint.is_empty()).then(|| hint.into_any());
    let sentence = errors.sentence(name, move || error);
    view! {
        <Field id=name label hint wrong=Some(sentence.into())>
            <textarea
                id=name
                name=name
                rows="3"
                autocomplete="off"
                aria-describedby=description(name, sentence)
                aria-invalid=move || sentence.get().is_some().to_string()
            >
                {value}
            </textarea>
        </Field>
    }
}

/// Shows a labelled choice between options, with a sentence about the chosen one.
#[component]
pub fn SelectField(
    /// The request's field, and the element's id.
    name: &'static str,
    /// The text of the `<label>`.
    label: &'static str,
    /// Values and their labels.
    options: Vec<(&'static str, &'static str)>,
    /// The chosen value, initially that of one of the options.
    chosen: RwSignal<String>,
    /// The sentence about the chosen option.
    #[prop(into)]
    hint: Signal<&'static str>,
) -> impl IntoView {
    let first = chosen.get_untracked();
    let node = NodeRef::<leptos::html::Select>::new();
    // Adopts a choice that was made before hydration.
    Effect::new(move || {
        if let Some(select) = node.get() {
            chosen.set(select.value());
        }
    });
    view! {
        <Field id=name label hint=Some(hint.into_any())>
            <select
                id=name
                name=name
                node_ref=node
                aria-describedby=format!("{name}-hint")
                on:change=move |event| chosen.set(event_target_value(&event))
            >
                {options
                    .into_iter()
                    .map(|(value, text)| {
                        view! {
                            <option value=value selected=value == first>
                                {text}
                            </option>
                        }
                    })
                    .collect_view()}
            </select>
        </Field>
    }
}

/// Shows a button that acts, enabled after hydration.
#[component]
pub fn Button(
    /// The class of the button; none if empty.
    #[prop(optional)]
    class: &'static str,
    /// Disables it for a reason of the caller; it is also disabled before hydration.
    #[prop(into, optional)]
    disabled: Signal<bool>,
    /// Its action is in progress, so another press does nothing. The button is not disabled meanwhile, as it would lose
    /// the focus.
    #[prop(into, optional)]
    pending: Signal<bool>,
    /// Hides it without removing it from the document.
    #[prop(into, optional)]
    hidden: Signal<bool>,
    /// For a caller that moves the focus to it.
    #[prop(optional)]
    node_ref: NodeRef<leptos::html::Button>,
    /// Runs at each press.
    on_click: impl FnMut() + 'static,
    /// The text, and perhaps an icon.
    children: Children,
) -> impl IntoView {
    let hydrated = use_hydrated();
    let mut on_click = on_click;
    view! {
        <button
            type="button"
            class=(!class.is_empty()).then_some(class)
            node_ref=node_ref
            hidden=hidden
            disabled=move || !hydrated.get() || disabled.get()
            aria-disabled=move || pending.get().then_some("true")
            on:click=move |_| {
                if !pending.get_untracked() {
                    on_click();
                }
            }
        >
            {children()}
        </button>
    }
}

/// Shows a button that sends its form, enabled after hydration.
#[component]
pub fn SubmitButton(
    /// The class of the button, by default that of the main button of a form; none if empty.
    #[prop(default = "strong")]
    class: &'static str,
    /// The browser can send the form by itself, so the button also works before hydration.
    #[prop(optional)]
    native: bool,
    /// Disables it for a reason of the caller; it is also disabled before hydration, unless it is `native`.
    #[prop(into, optional)]
    disabled: Signal<bool>,
    /// The submission is in progress: another press, or Enter in a field, sends nothing. The button is not disabled
    /// meanwhile, as with [`Button`].
    #[prop(into, optional)]
    pending: Signal<bool>,
    /// The text, and perhaps an icon.
    children: Children,
) -> impl IntoView {
    let hydrated = use_hydrated();
    view! {
        <button
            type="submit"
            class=(!class.is_empty()).then_some(class)
            disabled=move || !(native || hydrated.get()) || disabled.get()
            aria-disabled=move || pending.get().then_some("true")
            // Enter in a field presses it, too.
            on:click=move |event| {
                if pending.get_untracked() {
                    event.prevent_default();
                }
            }
        >
            {children()}
        </button>
    }
}
