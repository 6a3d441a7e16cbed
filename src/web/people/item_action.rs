//! What an operator does about something that a user has: a button, a question, and a field for the reason.

use crate::components::{ConfirmButton, ConfirmWords, RequestIds, reason_for_ledger, use_request_ids};
use leptos::prelude::*;
use model::error::Result;
use std::collections::HashMap;

/// Something that a user has: what a request got at a sale.
#[derive(PartialEq, Eq, Hash)]
pub struct ItemKey {
    /// The kind of the sale.
    pub kind: String,
    /// The id of the sale.
    pub sale: String,
    /// The id of the request.
    pub request: String,
}

/// Returns the ids for the requests about each item. They live as long as the component that calls this, and so outlive
/// the lines of the items.
pub fn use_item_request_ids() -> Callback<ItemKey, RequestIds<()>> {
    let owner = Owner::current().unwrap_or_default();
    let known = StoredValue::new(HashMap::new());
    Callback::new(move |item| {
        let new = || owner.with(use_request_ids::<()>);
        known.try_update_value(|known| *known.entry(item).or_insert_with(new)).unwrap_or_else(use_request_ids)
    })
}

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
