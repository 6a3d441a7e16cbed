//! Fields of forms: a label, what belongs in, and what was wrong with it. The browser keeps the text
//! until the form is sent, so nothing typed before the page woke up is lost.

use crate::{error::Error, words::words};
use leptos::{html::Input, prelude::*};

/// What a field is called and holds at first.
#[derive(Clone, Copy, Default)]
pub struct Field {
    /// The request's field, and the element's id.
    pub name: &'static str,
    pub label: &'static str,
    pub value: &'static str,
    /// A unit or a limit, beside the field.
    pub hint: &'static str,
    /// Digits only: which keyboard a phone shows.
    pub numeric: bool,
}

/// A labelled line of text, with `error`'s sentence below it when the error names this field.
pub fn field(field: Field, input: NodeRef<Input>, error: RwSignal<Option<Error>>) -> AnyView {
    let Field { name, label, value, hint, numeric } = field;
    let wrong = wrong(name, error);
    let hint_id = [name, "-hint"].concat();
    let error_id = [name, "-error"].concat();
    let described_by = [&hint_id, " ", &error_id].concat();
    view! {
        <div class="field">
            <label for=name>{label}</label>
            <input
                node_ref=input
                id=name
                name=name
                type="text"
                autocomplete="off"
                spellcheck="false"
                inputmode=if numeric { "decimal" } else { "text" }
                value=value
                aria-describedby=described_by
                aria-invalid=move || if wrong.with(Option::is_some) { "true" } else { "false" }
            />
            <span class="hint" id=hint_id>{hint}</span>
            <span class="wrong" id=error_id>{move || wrong.get()}</span>
        </div>
    }
    .into_any()
}

/// The sentence for a field that the error names.
pub fn wrong(name: &'static str, error: RwSignal<Option<Error>>) -> Memo<Option<String>> {
    let words = words();
    Memo::new(move |_| {
        error.with(|error| {
            let error = error.as_ref().filter(|error| error.field.as_deref() == Some(name))?;
            let sentence = (words.field_error)(name).unwrap_or_else(|| (words.error)(error.code));
            Some(sentence.to_owned())
        })
    })
}

/// What a field holds, without the space around it.
pub fn typed(input: NodeRef<Input>) -> String {
    input.get_untracked().map(|input| input.value().trim().to_owned()).unwrap_or_default()
}
