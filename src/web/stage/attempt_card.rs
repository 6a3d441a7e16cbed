//! The card by which the reader makes an attempt. A browser can send its form by itself, too.

use crate::{
    components::{Alert, Icon, OwnAttempts, RequestIdField, SubmitButton, UserName, UserNameField, Wait, use_in_view},
    stage::words::words,
};
use leptos::{ev::SubmitEvent, html, prelude::*};

/// The form of an attempt, why there can be none, and what came of the latest.
#[component]
pub fn AttemptCard<K, O>(
    /// What the ids of its elements begin with.
    id: &'static str,
    /// The reader's attempts by this form.
    attempts: OwnAttempts<K, O>,
    /// Why nothing can be got any more.
    ended: Signal<Option<&'static str>>,
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
    /// What came of the latest attempt: [`AttemptAnswers`], and what can be done with it.
    children: Children,
) -> impl IntoView
where
    K: PartialEq + Send + Sync + 'static,
    O: Send + Sync + 'static,
{
    let (refused, errors) = (attempts.refused(ended), attempts.errors);
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
                    disabled=Signal::derive(move || refused.get().is_some())
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

/// The outcome of the latest attempt. One that is the same as before is said again.
#[component]
pub fn AttemptAnswers<K, O, V>(
    /// The reader's attempts by the form.
    attempts: OwnAttempts<K, O>,
    /// An outcome in words.
    outcome: fn(O) -> V,
    /// For a caller that moves the focus to the answers, which can have it then.
    #[prop(optional)]
    node_ref: Option<NodeRef<html::Div>>,
    /// What is said after the outcome.
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

/// Says that an attempt is on its way, once that takes a while.
#[component]
pub fn Waiting(
    /// How long it has been.
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

/// An outcome as a sentence, beside its icon.
#[component]
pub fn AttemptAnswer(
    /// The user has won something by this attempt.
    is_won: bool,
    /// Its icon.
    icon: icondata_core::Icon,
    /// What happened.
    sentence: String,
    /// What the user has, before the sentence; nothing by default.
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
