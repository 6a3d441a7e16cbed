//! What went wrong, in the reader's words with a next step.

use super::{FormErrors, Icon};
use crate::{
    error::{Code, Error},
    i18n::words,
};
use leptos::prelude::*;

/// The error of an action; empty, and silent, while there is none. An error that belongs to a field of the form is
/// shown beside that field instead.
#[component]
pub fn Alert(
    errors: FormErrors,
    /// The action is an attempt: sent again under its request id, it gets the original answer.
    #[prop(optional)]
    attempt: bool,
) -> impl IntoView {
    let code = Memo::new(move |_| errors.unplaced().map(|error| error.code));
    let words = words();
    alert(code.into(), if attempt { words.attempt_error } else { words.error })
}

/// The error of loading something: nothing was attempted.
#[component]
pub fn LoadAlert(#[prop(into)] error: Signal<Option<Error>>) -> impl IntoView {
    let code = Memo::new(move |_| error.with(|error| error.as_ref().map(|error| error.code)));
    alert(code.into(), words().load_error)
}

fn alert(code: Signal<Option<Code>>, sentence: fn(Code) -> &'static str) -> impl IntoView {
    view! {
        <div class="notices" role="alert">
            {move || code.get().map(|code| view! { <Notice>{sentence(code)}</Notice> })}
        </div>
    }
}

/// A sentence that says what is wrong.
#[component]
pub fn Notice(children: Children) -> impl IntoView {
    view! {
        <p class="notice bad">
            <Icon icon=icondata_lu::LuTriangleAlert />
            <span>{children()}</span>
        </p>
    }
}
