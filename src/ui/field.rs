//! Fields of forms: a label, what belongs in, and what was wrong with it. The browser keeps the text
//! until the form is sent, so nothing typed before the page woke up is lost.

use super::{
    node::{El, Node, el, item, live, maybe},
    platform,
    ready::ready,
};
use crate::{
    error::{Code, Error, Result},
    i18n::{FieldWords, words},
    nodes,
};
use leptos::prelude::*;

/// What a field is called and holds at first.
#[derive(Clone, Copy, Default)]
pub struct Field {
    /// The request's field, and the element's id.
    pub name: &'static str,
    pub words: FieldWords,
    pub value: &'static str,
    /// Digits only: which keyboard a phone shows.
    pub numeric: bool,
}

/// A labelled line of text, with a sentence below it when the error names this field.
pub fn field(field: Field, error: RwSignal<Option<Error>>) -> El {
    filled(field, field.value.to_owned(), error)
}

/// The same with a text in it that is not known beforehand.
pub fn filled(field: Field, value: String, error: RwSignal<Option<Error>>) -> El {
    let Field { name, words, numeric, .. } = field;
    let FieldWords { label, hint, error: sentence } = words;
    let (hint_id, wrong_id) = ([name, "-hint"].concat(), [name, "-wrong"].concat());
    let invalid = move || if names(error, name) { "true" } else { "false" }.to_owned();
    el("div").class("field").with(nodes![
        el("label").attr("for", name).text(label),
        el("input")
            .attr("id", name)
            .attr("name", name)
            .attr("type", "text")
            .attr("autocomplete", "off")
            .attr("spellcheck", "false")
            .attr("inputmode", if numeric { "decimal" } else { "text" })
            .attr("value", value)
            .attr("aria-describedby", [&hint_id, " ", &wrong_id].concat())
            .live("aria-invalid", invalid),
        (!hint.is_empty()).then(|| el("span").class("hint").attr("id", hint_id).text(hint)),
        el("span").attr("id", wrong_id).with(nodes![wrong(name, sentence, error)]),
    ])
}

/// A labelled choice between options, with a sentence about the one that is chosen.
pub fn choice(
    name: &'static str,
    label: &'static str,
    options: &[&'static str],
    chosen: RwSignal<usize>,
    means: impl Fn(usize) -> &'static str + Send + 'static,
) -> El {
    let hint_id = [name, "-hint"].concat();
    let options = options.iter().map(|option| el("option").text(*option).into()).collect();
    el("div").class("field").with(nodes![
        el("label").attr("for", name).text(label),
        el("select")
            .attr("id", name)
            .attr("name", name)
            .attr("aria-describedby", hint_id.clone())
            .on("change", move |_| chosen.set(platform::chosen(name)))
            .with(options),
        el("span").class("hint").attr("id", hint_id).with(nodes![live(move || means(chosen.get()).to_owned())]),
    ])
}

fn names(error: RwSignal<Option<Error>>, field: &str) -> bool {
    error.with(|error| error.as_ref().is_some_and(|error| error.field.as_deref() == Some(field)))
}

/// What is wrong with the field: what belongs into it, or, where that is not the trouble, what the error says.
fn wrong(name: &'static str, sentence: &'static str, error: RwSignal<Option<Error>>) -> Node {
    let shared = words();
    maybe(move || {
        let code = error.with(|error| error.as_ref().map(|error| error.code)).filter(|_| names(error, name))?;
        let sentence = if code == Code::BadRequest { sentence } else { (shared.error)(code) };
        Some(item(sentence, move || el("span").class("wrong").text(sentence)))
    })
}

/// The number in a field; an error that names `field` where there is none.
///
/// # Errors
/// `bad_request`, without a sentence: the catalogue has one for each field.
pub fn number(id: &str, field: &str, parse: fn(&str) -> Option<u64>) -> Result<u64> {
    parse(&platform::typed(id)).ok_or_else(|| Error::bad(field, ""))
}

/// The number in a field that may be empty.
///
/// # Errors
/// As [`number`].
pub fn optional(id: &str) -> Result<Option<u64>> {
    match platform::typed(id).as_str() {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| Error::bad(id, "")),
    }
}

/// A button that sends the form it is in, once the browser has taken over and while nothing waits.
pub fn submit(class: &'static str, off: impl Fn() -> bool + Send + 'static) -> El {
    pressed(class, "submit", Box::new(off))
}

/// A button that acts.
pub fn button(class: &'static str, off: impl Fn() -> bool + Send + 'static, act: impl FnMut() + Send + 'static) -> El {
    let mut act = act;
    pressed(class, "button", Box::new(off)).on("click", move |_| act())
}

fn pressed(class: &'static str, kind: &'static str, off: Box<dyn Fn() -> bool + Send>) -> El {
    let ready = ready();
    el("button").attr("type", kind).class(class).when("disabled", move || !ready.get() || off())
}
