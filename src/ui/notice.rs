//! What went wrong, in the reader's words with a next step.

use super::{
    icons::{Icon, icon},
    node::{El, el, item, maybe},
};
use crate::{
    error::{Code, Error},
    i18n::words,
    nodes,
};
use leptos::prelude::*;

/// A place for the error of an action; empty, and silent, while there is none. An error that belongs
/// to a field of `fields` is shown beside that field instead.
pub fn notice(error: RwSignal<Option<Error>>, fields: &'static [&'static str]) -> El {
    told(error, fields, words().error)
}

/// The same for an attempt, which may safely be sent again.
pub fn attempt_notice(error: RwSignal<Option<Error>>, fields: &'static [&'static str]) -> El {
    told(error, fields, words().attempt_error)
}

/// A place for the error of a look: nothing was tried.
pub fn unseen(error: RwSignal<Option<Error>>) -> El {
    told(error, &[], words().load_error)
}

fn told(error: RwSignal<Option<Error>>, fields: &'static [&'static str], sentence: fn(Code) -> &'static str) -> El {
    let text = move || {
        error.with(|error| {
            let error = error.as_ref()?;
            let field = error.field.as_deref().unwrap_or_default();
            (!fields.contains(&field)).then(|| sentence(error.code))
        })
    };
    let notice = move || {
        let text = text()?;
        let notice = move || el("p").class("notice bad").with(nodes![icon(Icon::Warning), el("span").text(text)]);
        Some(item(text, notice))
    };
    el("div").class("notices").attr("role", "alert").with(nodes![maybe(notice)])
}

/// A page that cannot be shown, for an error.
pub fn fault(code: Code) -> El {
    let words = words();
    blank((words.error_title)(code), (words.load_error)(code), code.status() >= 500)
}

/// A page with nothing to show: what happened, why, and where to go from here.
pub fn blank(title: &'static str, sentence: &'static str, retry: bool) -> El {
    let words = words();
    // Past the router: only the server can try again from the start.
    let again =
        retry.then(|| el("a").class("button strong").attr("href", "").attr("rel", "external").text(words.try_again));
    el("main").attr("id", "main").class("fault").attr("tabindex", "-1").with(nodes![
        el("h1").text(title),
        el("p").text(sentence),
        el("p")
            .class("actions")
            .with(nodes![again, el("a").class("button").attr("href", "/").text(words.back_to_sales)]),
    ])
}
