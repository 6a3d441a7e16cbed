//! What went wrong, in the reader's words with a next step.

use crate::{
    components::{FormErrors, Icon},
    i18n::{Lang, words},
};
use leptos::prelude::*;
use model::error::{Code, Error};

/// The error of an action; empty, and silent, while there is none. An error that belongs to a field of the form is
/// shown beside that field instead.
#[component]
pub fn Alert(
    /// What went wrong with the action; empty if nothing did.
    errors: FormErrors,
    /// The action is an attempt: sent again under its request id, it gets the original answer.
    #[prop(optional)]
    attempt: bool,
) -> impl IntoView {
    let error = Memo::new(move |_| errors.unplaced());
    let words = words();
    alert(error.into(), if attempt { words.attempt_error } else { words.error })
}

/// The error of loading something: nothing was attempted.
#[component]
pub fn LoadAlert(
    /// Why loading failed; `None` if it did not.
    #[prop(into)]
    error: Signal<Option<Error>>,
) -> impl IntoView {
    alert(error, words().load_error)
}

fn alert(error: Signal<Option<Error>>, sentence: fn(Code) -> &'static str) -> impl IntoView {
    // An error that is shown already is not announced again because the server has worded it differently.
    let said = Memo::new(move |_| error.with(|error| error.as_ref().map(|error| (error.code, reason(error)))));
    let notice = move |(code, reason): (Code, Option<String>)| {
        let reason = reason.map(|reason| view! { <span lang=Lang::En.tag()>" " {reason}</span> });
        view! { <Notice>{sentence(code)} {reason}</Notice> }
    };
    view! {
        <div class="notices" role="alert">
            {move || said.get().map(notice)}
        </div>
    }
}

/// The server's own sentence, in English, where it says more than the code.
fn reason(error: &Error) -> Option<String> {
    matches!(error.code, Code::NotArchivable | Code::BadRequest).then(|| error.message.clone())
}

/// A sentence that says what is wrong.
#[component]
pub fn Notice(
    /// The sentence, which may contain links.
    children: Children,
) -> impl IntoView {
    view! {
        <p class="notice bad">
            <Icon icon=icondata_lu::LuTriangleAlert />
            <span>{children()}</span>
        </p>
    }
}
