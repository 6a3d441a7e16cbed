//! What an operator does about something that a user has: a button, a question, and a field for the reason.

use crate::components::{ConfirmButton, ConfirmWords, reason_for_ledger};
use leptos::prelude::*;
use model::error::Result;

/// Renders a button that does something about an item after a question. `act` does it for the reason that was typed, if
/// any, and returns a sentence that says what came of it, which `done` shows.
pub fn item_action<F>(
    words: ConfirmWords,
    question: String,
    act: impl Fn(Option<String>) -> F + Send + Sync + 'static,
    done: Callback<Result<String>>,
) -> AnyView
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
    view! { <ConfirmButton words question reason pending=action.pending() on_confirm /> }.into_any()
}
