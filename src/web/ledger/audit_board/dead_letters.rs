//! The entries of a sale that the ledger could not record: why, and another attempt.

use crate::{
    components::{Button, format::count},
    i18n,
    ledger::{api, words::words},
};
use leptos::prelude::*;
use model::ledger::{DeadLetter, Retried};

/// The dead letters of a sale, where there are any.
#[component]
pub fn DeadLetters(
    /// The kind, as in keys.
    kind: String,
    /// The id of the sale.
    sale: String,
    /// How many there are; a change loads the list again.
    #[prop(into)]
    number: Signal<u64>,
) -> impl IntoView {
    view! {
        <Show when=move || { number.get() > 0 }>
            <DeadLetterList kind=kind.clone() sale=sale.clone() number />
        </Show>
    }
}

#[component]
fn DeadLetterList(
    /// The kind, as in keys.
    kind: String,
    /// The id of the sale.
    sale: String,
    /// How many there are; a change loads the list again.
    number: Signal<u64>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let entries = LocalResource::new({
        let (kind, sale) = (kind.clone(), sale.clone());
        move || {
            number.track();
            api::dead_letters(Some(kind.clone()), Some(sale.clone()))
        }
    });
    let line = |DeadLetter { event_id, reason, tries, .. }: &DeadLetter| {
        format!("{event_id} · {reason} · {}\n", (words.tried)(*tries))
    };
    let list = move || {
        entries.map(|answer| match answer {
            Ok(entries) => entries.iter().map(line).collect::<String>(),
            Err(error) => (shared.load_error)(error.code).to_owned(),
        })
    };
    let retry = Action::new(move |()| api::retry(Some(kind.clone()), Some(sale.clone())));
    let outcome = move || {
        retry.value().with(|answer| match answer {
            None => String::new(),
            Some(Ok(Retried { applied, still_set_aside })) => {
                (words.retried)(count((*applied).into()), count((*still_set_aside).into()))
            }
            Some(Err(error)) => (shared.error)(error.code).to_owned(),
        })
    };
    view! {
        <div class="dead-letters">
            <p class="aside">{words.dead_letters_hint}</p>
            <pre>
                <Transition>{list}</Transition>
            </pre>
            <div class="actions">
                <Button pending=retry.pending() on_click=move || _ = retry.dispatch(())>
                    {shared.try_again}
                </Button>
                <span role="status">{outcome}</span>
            </div>
        </div>
    }
}
