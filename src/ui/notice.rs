//! What went wrong, in the reader's words with a next step.

use super::icons::{Icon, icon};
use crate::{error::Error, words::words};
use leptos::prelude::*;

/// A place for the error of an action; empty, and silent, while there is none. An error that belongs
/// to a field of `fields` is shown beside that field instead.
pub fn notice(error: RwSignal<Option<Error>>, fields: &'static [&'static str]) -> AnyView {
    let text = Memo::new(move |_| {
        let belongs = |field: &Option<String>| field.as_deref().is_some_and(|field| fields.contains(&field));
        error.with(|error| error.as_ref().filter(|error| !belongs(&error.field)).map(sentence))
    });
    view! {
        <div class="notices" role="alert">
            {move || text.get().map(|text| view! { <p class="notice bad">{icon(Icon::Warning)} <span>{text}</span></p> })}
        </div>
    }
    .into_any()
}

/// An error as a sentence with a next step: by its field where that says more, else by its code.
pub fn sentence(error: &Error) -> String {
    let words = words();
    let field = error.field.as_deref().and_then(words.field_error);
    field.unwrap_or_else(|| (words.error)(error.code)).to_owned()
}

/// A page that cannot be shown: what happened, why, and where to go from here.
pub fn fault(title: &'static str, sentence: &'static str, retry: bool) -> AnyView {
    let words = words();
    // Past the router: only the server can try again from the start.
    let again = retry.then(|| view! { <a class="button strong" href="" rel="external">{words.try_again}</a> });
    view! {
        <main id="main" class="fault" tabindex="-1">
            <h1>{title}</h1>
            <p>{sentence}</p>
            <p class="actions">{again} <a class="button" href="/">{words.to_the_sales}</a></p>
        </main>
    }
    .into_any()
}
