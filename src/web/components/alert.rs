//! Error messages: the problem in the reader's words, with a next step.

use crate::{
    components::{FormErrors, Icon},
    i18n::{Lang, words},
};
use leptos::prelude::*;
use model::error::{Code, Error};

/// Shows the error of an action; it is empty and silent while there is none. An error that belongs to a field of the
/// form is shown beside that field instead, and screen readers are told how many there are.
#[component]
pub fn Alert(
    /// The errors of the action; empty if it succeeded.
    errors: FormErrors,
    /// The action is an attempt: if it is sent again under its request id, it gets the original answer.
    #[prop(optional)]
    attempt: bool,
) -> impl IntoView {
    let error = Memo::new(move |_| errors.unplaced());
    let words = words();
    let placed = Memo::new(move |_| errors.placed());
    view! {
        <div class="unseen" aria-live="polite">
            {move || (placed.get() > 0).then(|| (words.fields_wrong)(placed.get()))}
        </div>
        {alert(error.into(), if attempt { words.attempt_error } else { words.error })}
    }
}

/// Shows the error of loading something: nothing was attempted.
#[component]
pub fn LoadAlert(
    /// The reason for which loading failed; `None` if it succeeded.
    #[prop(into)]
    error: Signal<Option<Error>>,
) -> impl IntoView {
    alert(error, words().load_error)
}

/// Says why an action has failed, beside other text.
#[component]
pub fn ErrorSentence(
    /// The error of the action.
    error: Error,
) -> impl IntoView {
    let reason = reason(&error).map(|reason| view! { <span lang=Lang::En.tag()>" " {reason}</span> });
    view! {
        {(words().error)(error.code)}
        {reason}
    }
}

fn alert(error: Signal<Option<Error>>, sentence: fn(Code) -> &'static str) -> impl IntoView {
    // If the server merely words the same error differently, it is not announced again.
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

/// Returns the server's own sentence, in English, where it says more than the code.
fn reason(error: &Error) -> Option<String> {
    matches!(error.code, Code::NotArchivable | Code::BadRequest).then(|| error.message.clone())
}

/// Says which parameters of the address the page has ignored, if there are any.
#[component]
pub fn IgnoredParameters(
    /// The parameters, as [`shown_parameter`](model::text::shown_parameter) has them.
    #[prop(into)]
    ignored: Signal<Vec<String>>,
) -> impl IntoView {
    let sentence =
        move || ignored.with(|ignored| (!ignored.is_empty()).then(|| (words().not_understood)(&ignored.join(", "))));
    move || sentence().map(|sentence| view! { <Notice>{sentence}</Notice> })
}

/// Shows a sentence that describes a problem.
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
