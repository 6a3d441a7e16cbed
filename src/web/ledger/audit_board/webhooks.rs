//! The webhooks: how far each has come, and the rows that it did not accept.

use crate::{
    components::{Button, Definition, FirstCall, Notice, format::count, use_entry, use_polling},
    i18n,
    ledger::{
        api,
        words::{any_outcome_name, outcome_name, words},
    },
};
use leptos::prelude::*;
use model::ledger::{RequeuedRows, UndeliveredRow, Webhook};
use std::time::Duration;

const INTERVAL: Duration = Duration::from_secs(2);

/// All webhooks, where there are any. Below everything else, as they are loaded after it.
#[component]
pub fn Webhooks() -> impl IntoView {
    let webhooks: RwSignal<Vec<Webhook>> = RwSignal::default();
    use_polling(INTERVAL, FirstCall::AtOnce, api::webhooks, move |answer| {
        // The board says if there is none.
        if let Ok(newest) = answer {
            webhooks.set(newest);
        }
    });
    view! {
        <Show when=move || webhooks.with(|all| !all.is_empty())>
            <section class="webhooks" aria-labelledby="webhooks">
                <h2 id="webhooks">{words().webhooks}</h2>
                <ul class="entries">
                    <For each=move || webhooks.get() key=|webhook| webhook.id.clone() let:first>
                        <WebhookCard webhooks first />
                    </For>
                </ul>
            </section>
        </Show>
    }
}

#[component]
fn WebhookCard(
    /// All webhooks, in which the card finds the news of its own.
    webhooks: RwSignal<Vec<Webhook>>,
    /// The webhook as it was first listed.
    first: Webhook,
) -> impl IntoView {
    let words = words();
    let Webhook { id, url, kinds, outcomes, .. } = first.clone();
    let webhook = use_entry(first, {
        let id = id.clone();
        move || webhooks.with(|all| all.iter().find(|webhook| webhook.id == id).cloned())
    });
    let of_kinds = names(&kinds, words.all_kinds, |id| i18n::kind_name(id).unwrap_or(id).to_owned());
    let of_outcomes = names(&outcomes, words.all_outcomes, any_outcome_name);
    let reason = Memo::new(move |_| webhook.with(|webhook| webhook.reason.clone()));
    let dead_letters = Memo::new(move |_| webhook.with(|webhook| webhook.dead_letters));
    view! {
        <li class="card entry">
            <h3>
                <code>{url}</code>
                " "
                <code class="aside">{id.clone()}</code>
            </h3>
            <dl class="terms">
                <Definition term=words.sent_kinds>{of_kinds}</Definition>
                <Definition term=words.sent_outcomes>{of_outcomes}</Definition>
                <Definition term=words.rows_behind>
                    {move || count(webhook.with(|webhook| webhook.behind))}
                </Definition>
                <Definition term=words.stalled_sales>
                    {move || count(webhook.with(|webhook| webhook.stalled_sales))}
                </Definition>
            </dl>
            <div role="status">
                {move || reason.get().map(|reason| view! { <Notice><span lang="en">{reason}</span></Notice> })}
            </div>
            <Show when=move || { dead_letters.get() > 0 }>
                <UndeliveredRows webhook=id.clone() number=dead_letters />
            </Show>
        </li>
    }
}

/// The names of what a webhook is sent.
fn names(ids: &[String], all: &str, name: impl Fn(&str) -> String) -> String {
    if ids.is_empty() {
        return all.to_owned();
    }
    ids.iter().map(|id| name(id)).collect::<Vec<_>>().join(", ")
}

/// The rows that a webhook did not accept in time: why, and another attempt.
#[component]
fn UndeliveredRows(
    /// The id of the webhook.
    webhook: String,
    /// How many there are; a change loads the list again.
    #[prop(into)]
    number: Signal<u64>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let retry = Action::new({
        let webhook = webhook.clone();
        move |()| api::requeue(Some(webhook.clone()))
    });
    let rows = LocalResource::new(move || {
        number.track();
        retry.version().track();
        api::undelivered(Some(webhook.clone()))
    });
    let line = |UndeliveredRow { recorded, kind, sale, outcome, reason, tries, is_due, .. }: &UndeliveredRow| {
        let outcome = outcome_name(kind, outcome);
        let tried = (words.tried)(*tries);
        let due = if *is_due { format!(" · {}", words.sent_again_soon) } else { String::new() };
        format!("{recorded} · {sale} · {outcome} · {reason} · {tried}{due}\n")
    };
    let list = move || {
        rows.map(|answer| match answer {
            Ok(rows) => rows.iter().map(line).collect::<String>(),
            Err(error) => (shared.load_error)(error.code).to_owned(),
        })
    };
    let outcome = move || {
        retry.value().with(|answer| match answer {
            None => String::new(),
            Some(Ok(RequeuedRows { requeued })) => (words.requeued)(*requeued),
            Some(Err(error)) => (shared.error)(error.code).to_owned(),
        })
    };
    view! {
        <div class="dead-letters">
            <p>{move || (words.undelivered)(number.get())}</p>
            <p class="aside">{words.undelivered_hint}</p>
            <pre>
                <Transition>{list}</Transition>
            </pre>
            <div class="actions">
                <Button pending=retry.pending() on_click=move || _ = retry.dispatch(())>
                    {words.send_again}
                </Button>
                <span role="status">{outcome}</span>
            </div>
        </div>
    }
}
