//! Forms: labelled fields, their contents and their errors.
//!
//! Fields are uncontrolled: the browser keeps their text until the form is sent, so text that was typed before
//! hydration is not lost.

use crate::{
    components::{field::Field, use_hydrated},
    i18n::{self, FieldWords},
};
use leptos::{ev::SubmitEvent, prelude::*};
use model::{
    error::{Code, Error, Result},
    form::FormValues,
};
use wasm_bindgen::JsCast;
use web_sys::{FormData, HtmlFormElement, UrlSearchParams};

/// The error of a form's last submission, and the field that it belongs to.
#[derive(Clone, Copy)]
pub struct FormErrors {
    error: RwSignal<Option<Error>>,
    /// The fields that show their own errors.
    fields: StoredValue<Vec<&'static str>>,
}

impl Default for FormErrors {
    fn default() -> Self {
        Self { error: RwSignal::new(None), fields: StoredValue::default() }
    }
}

impl FormErrors {
    /// Shows the error beside its field, or clears it if there is none.
    pub fn set(self, error: Option<Error>) {
        self.error.set(error);
    }

    /// Clears the error.
    pub fn clear(self) {
        self.error.set(None);
    }

    /// Shows the error of the action's latest answer from now on, if it is one.
    pub fn follow<I, T>(self, action: Action<I, Result<T>>)
    where
        I: Send + Sync + 'static,
        T: Send + Sync + 'static,
    {
        let answer = action.value();
        Effect::new(move || {
            let error = answer.with(|answer| answer.as_ref().map(|answer| answer.as_ref().err().cloned()));
            if let Some(error) = error {
                self.set(error);
            }
        });
    }

    /// Returns the current error, wherever it is shown. `None` also if the form is disposed.
    pub fn get_untracked(self) -> Option<Error> {
        self.error.try_get_untracked().flatten()
    }

    /// Returns the error, wherever it is shown.
    pub fn get(self) -> Option<Error> {
        self.error.get()
    }

    /// Registers a field that shows its own errors.
    fn place(self, field: &'static str) {
        self.fields.update_value(|fields| {
            if !fields.contains(&field) {
                fields.push(field);
            }
        });
    }

    /// Returns the code of the error, if it belongs to this field.
    fn of(self, field: &str) -> Option<Code> {
        self.error.with(|error| {
            let error = error.as_ref()?;
            (error.field.as_deref() == Some(field)).then_some(error.code)
        })
    }

    /// Returns the sentence for a field's error: `wrong`, which describes valid input, or the error's own sentence for
    /// any other fault. Registers the field as one that shows its own errors.
    pub fn sentence(self, field: &'static str, wrong: &'static str) -> Memo<Option<&'static str>> {
        let sentence_for = i18n::words().error;
        self.place(field);
        Memo::new(move |_| self.of(field).map(|code| if code == Code::BadRequest { wrong } else { sentence_for(code) }))
    }

    /// Returns the error, if it belongs to none of the form's fields.
    pub fn unplaced(self) -> Option<Error> {
        self.error.get().filter(|error| !self.has_place(error))
    }

    /// Returns whether the error is shown beside a field.
    pub fn is_placed(self) -> bool {
        self.error.with(|error| error.as_ref().is_some_and(|error| self.has_place(error)))
    }

    /// Opens the element with the fields when the error belongs to one of them: readers must see an error to correct
    /// it.
    pub fn open(self, fields: NodeRef<leptos::html::Details>) {
        Effect::new(move || {
            if self.is_placed()
                && let Some(fields) = fields.get()
            {
                fields.set_open(true);
            }
        });
    }

    fn has_place(self, error: &Error) -> bool {
        let has = |field: &str| self.fields.with_value(|fields| fields.contains(&field));
        error.field.as_deref().is_some_and(has)
    }
}

/// Shows a labelled line of text, with a sentence below it when the error belongs to this field.
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
    let sentence = errors.sentence(name, error);
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
                aria-describedby=format!("{id}-hint {id}-error")
                aria-invalid=move || sentence.get().is_some().to_string()
            />
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

/// Takes the submission over from the browser and returns the form's values.
pub fn read_form(event: &SubmitEvent) -> FormValues {
    event.prevent_default();
    let form: HtmlFormElement = event.target().expect("a form is being sent").unchecked_into();
    let data = FormData::new_with_form(&form).expect("a form can be read");
    let encoded = UrlSearchParams::new_with_str_sequence_sequence(&data).expect("a form consists of pairs");
    FormValues::decode(String::from(encoded.to_string()).as_bytes())
}
