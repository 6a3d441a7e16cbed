//! The card with the form of the reader's own attempt. A browser can also send the form by itself.

use crate::{
    components::{Alert, Icon, OwnAttempts, RequestIdField, SubmitButton, UserName, UserNameField, Wait, use_in_view},
    stage::words::words,
};
use leptos::{ev::SubmitEvent, html, prelude::*};

/// Shows the form of an attempt, the reason if none is possible, and the outcome of the latest.
#[component]
pub fn AttemptCard<K, O>(
    /// The prefix of the ids of its elements.
    id: &'static str,
    /// The reader's attempts by this form.
    attempts: OwnAttempts<K, O>,
    /// The reason why nothing can be got now.
    refused: Signal<Option<String>>,
    /// The reader's name, the first field of the form.
    user_name: UserName,
    /// The fields after that; none by default.
    #[prop(into, optional)]
    fields: ViewFnOnce,
    /// The icon of the button.
    icon: icondata_core::Icon,
    /// The text of the button.
    label: &'static str,
    /// Makes an attempt when the form is sent, in place of the browser.
    submit: impl FnMut(SubmitEvent) + 'static,
    /// The outcome of the latest attempt, as [`AttemptAnswers`], and the actions on it.
    children: Children,
) -> impl IntoView
where
    K: PartialEq + Send + Sync + 'static,
    O: Send + Sync + 'static,
{
    let (refused, errors) = (attempts.refused(refused), attempts.errors);
    let [title_id, ended_id] = ["title", "ended"].map(|part| format!("{id}-{part}"));
    view! {
        <section class="card claim" aria-labelledby=title_id.clone()>
            <h2 id=title_id.clone()>{words().try_it}</h2>
            <form
                method="post"
                action=format!("#{title_id}")
                on:submit=submit
                on:input=move |_| attempts.forget()
            >
                <RequestIdField />
                <UserNameField user_name errors />
                {fields.run()}
                <SubmitButton
                    class="strong grab"
                    native=true
                    disabled=Signal::derive(move || refused.read().is_some())
                    pending=attempts.pending
                    attr:aria-describedby=ended_id.clone()
                >
                    <Icon icon />
                    {label}
                </SubmitButton>
            </form>
            <p class="ended" id=ended_id>
                {refused}
            </p>
            {children()}
            <Alert errors attempt=true />
        </section>
    }
    .into_any()
}

/// Shows the outcome of the latest attempt. An unchanged outcome is announced again.
#[component]
pub fn AttemptAnswers<K, O, V>(
    /// The reader's attempts by the form.
    attempts: OwnAttempts<K, O>,
    /// Words an outcome.
    outcome: fn(O) -> V,
    /// For a caller that moves the focus to the answers; they are focusable then.
    #[prop(optional)]
    node_ref: Option<NodeRef<html::Div>>,
    /// The text after the outcome.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView
where
    K: 'static,
    O: Clone + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let latest = Signal::derive(move || attempts.answer.get().filter(|_| attempts.wait.get() == Wait::None));
    let (tabindex, node_ref) = (node_ref.map(|_| "-1"), node_ref.unwrap_or_default());
    use_in_view(node_ref, move || latest.read().is_some());
    view! {
        <div class="answers" role="status" tabindex=tabindex node_ref=node_ref>
            <For each=move || latest.get() key=|answer| answer.attempt let:answer>
                {outcome(answer.outcome)}
            </For>
            <Waiting wait=attempts.wait />
            {children.map(|children| children())}
        </div>
    }
}

/// Shows that an attempt is on its way, once that takes a while.
#[component]
pub fn Waiting(
    /// The waiting time so far.
    wait: ReadSignal<Wait>,
) -> impl IntoView {
    let words = words();
    let text = move || match wait.get() {
        Wait::None => None,
        Wait::Short => Some(words.waiting),
        Wait::Long => Some(words.waiting_long),
    };
    move || text().map(|text| view! { <p class="waiting">{text}</p> })
}

/// Shows an outcome as a sentence, beside its icon.
#[component]
pub fn AttemptAnswer(
    /// The user has won by this attempt.
    is_won: bool,
    /// Its icon.
    icon: icondata_core::Icon,
    /// The outcome in words.
    sentence: String,
    /// The user's winnings, before the sentence; none by default.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="answer" class:won=is_won>
            <Icon icon />
            {children.map(|children| children())}
            <span>{sentence}</span>
        </div>
    }
}
