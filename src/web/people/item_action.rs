//! What an operator does about something that a user has: a button, a question, and a field for the reason.

use crate::components::{ConfirmButton, ConfirmWords, reason_for_ledger};
use leptos::prelude::*;
use model::error::Result;

/// Shows a button that does something about an item after a question.
#[component]
pub fn ItemAction<F>(
    /// The texts of the button and of the two answers.
    words: ConfirmWords,
    /// The question after the first press.
    question: String,
    /// Does it for the reason that was typed, if any, and returns a sentence that says what came of it.
    act: impl Fn(Option<String>) -> F + Send + Sync + 'static,
    /// Shows what came of it.
    done: Callback<Result<String>>,
) -> impl IntoView
where
    F: Future<Output = Result<String>> + Send + 'static,
{
    let reason = RwSignal::new(String::new());
    let action = Action::new(move |reason: &Option<String>| {
        let answer = act(reason.clone());
        async move {
            // The page may be left by now.
            _ = done.try_run(answer.await);
        }
    });
    let on_confirm = move || {
        action.dispatch(reason_for_ledger(reason));
    };
    view! { <ConfirmButton words question reason pending=action.pending() on_confirm /> }
}
