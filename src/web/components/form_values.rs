//! What a form holds in the browser.

use leptos::ev::SubmitEvent;
use model::form::FormValues;
use wasm_bindgen::JsCast;
use web_sys::{FormData, HtmlFormElement, UrlSearchParams};

/// Takes the submission over from the browser and returns the form's values.
pub fn read_form(event: &SubmitEvent) -> FormValues {
    event.prevent_default();
    values_of(&sent_form(event))
}

/// Returns the form that is being sent.
pub(super) fn sent_form(event: &SubmitEvent) -> HtmlFormElement {
    event.target().expect("a form is being sent").unchecked_into()
}

/// Returns the current values of a form.
pub(super) fn values_of(form: &HtmlFormElement) -> FormValues {
    let data = FormData::new_with_form(form).expect("a form can be read");
    let encoded = UrlSearchParams::new_with_str_sequence_sequence(&data).expect("a form consists of pairs");
    FormValues::decode(String::from(encoded.to_string()).as_bytes())
}
