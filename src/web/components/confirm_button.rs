//! A button for actions that cannot be undone.

use crate::{
    components::{Button, focus_next_frame, hand_focus_on},
    i18n,
};
use leptos::{
    ev::{KeyboardEvent, MouseEvent},
    html,
    prelude::*,
};
use model::life::MAX_REASON;

/// The texts of a [`ConfirmButton`].
#[derive(Clone, Copy)]
pub struct ConfirmWords {
    /// The text of the button.
    pub label: &'static str,
    /// The answers to the question.
    pub yes: &'static str,
    pub no: &'static str,
}

/// The text that the reader types to confirm.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedAnswer {
    /// The label of the field.
    pub label: String,
    /// The text to type.
    pub text: String,
}

/// The reason that was typed, trimmed; `None` if it is empty.
pub fn reason_for_ledger(typed: RwSignal<String>) -> Option<String> {
    let reason = typed.with_untracked(|typed| typed.trim().to_owned());
    (!reason.is_empty()).then_some(reason)
}

/// Shows a button that acts after a question. The focus moves to the answer. It returns to the button once the action
/// is done, or if there was nothing to do.
#[component]
pub fn ConfirmButton(
    /// The texts of the button and of the two answers.
    words: ConfirmWords,
    /// The question after the first press; it follows the figures that it names.
    #[prop(into)]
    question: Signal<String>,
    /// The text that the reader has to type before the answer can be yes; none by default.
    #[prop(into, optional)]
    typed: Option<Signal<Option<TypedAnswer>>>,
    /// Asks for the reason that goes into the ledger, which may be left empty, and has what was typed.
    #[prop(optional)]
    reason: Option<RwSignal<String>>,
    /// The confirmed action is in progress.
    #[prop(into)]
    pending: Signal<bool>,
    /// The button before the question, for a caller that moves the focus to it.
    #[prop(optional)]
    node_ref: NodeRef<html::Button>,
    /// Runs when the question is asked.
    #[prop(into, optional)]
    on_ask: Option<Callback<()>>,
    /// Runs when the reader confirms.
    on_confirm: impl Fn() + 'static,
) -> impl IntoView {
    let ConfirmWords { label, yes, no } = words;
    let is_asking = RwSignal::new(false);
    let (begin, confirm, input) = (node_ref, NodeRef::<html::Button>::new(), NodeRef::<html::Input>::new());
    let why = NodeRef::<html::Input>::new();
    let wanted = Signal::derive(move || typed?.get());
    let answer = RwSignal::new(String::new());
    let is_typed = Memo::new(move |_| wanted.get().is_none_or(|wanted| answer.read().trim() == wanted.text));
    let ask = move |asks: bool| {
        is_asking.set(asks);
        answer.set(String::new());
        if let Some(reason) = reason {
            reason.set(String::new());
        }
        if let Some(on_ask) = on_ask.filter(|_| asks) {
            on_ask.run(());
        }
        match (asks, wanted.with_untracked(Option::is_some)) {
            (true, true) => focus_next_frame(input),
            (true, false) if reason.is_some() => focus_next_frame(why),
            (true, false) => focus_next_frame(confirm),
            (false, _) => focus_next_frame(begin),
        }
    };
    Effect::new(move |was_pending: Option<bool>| {
        let is_pending = pending.get();
        if was_pending == Some(true) && !is_pending {
            // The focus stays if the reader has moved it elsewhere meanwhile.
            hand_focus_on(confirm, begin, || is_asking.set(false));
        }
        is_pending
    });
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" && !pending.get_untracked() {
            event.prevent_default();
            ask(false);
        }
    };
    let on_mousedown = move |event: MouseEvent| {
        // The second click of a double click lands where the button was: the focus stays on the answer.
        if is_asking.get_untracked() && event.target() == event.current_target() {
            event.prevent_default();
        }
    };
    view! {
        <div class="actions confirm" on:mousedown=on_mousedown>
            <Button hidden=is_asking node_ref=begin on_click=move || ask(true)>
                {label}
            </Button>
            <div class="actions question" hidden=move || !is_asking.get() on:keydown=on_key>
                <span>{question}</span>
                <Show when=move || wanted.read().is_some()>
                    <label class="field">
                        {move || wanted.get().map(|wanted| wanted.label)}
                        <input node_ref=input autocomplete="off" prop:value=answer on:input:target=move |event| answer.set(event.target().value()) />
                    </label>
                </Show>
                {reason
                    .map(|reason| {
                        view! {
                            <label class="field">
                                {i18n::words().reason_for_ledger}
                                <input
                                    node_ref=why
                                    autocomplete="off"
                                    maxlength=MAX_REASON
                                    prop:value=reason
                                    on:input:target=move |event| reason.set(event.target().value())
                                />
                            </label>
                        }
                    })}
                <Button
                    class="danger"
                    node_ref=confirm
                    disabled=Signal::derive(move || !is_typed.get())
                    pending
                    on_click=on_confirm
                >
                    {yes}
                </Button>
                <Button on_click=move || ask(false)>{no}</Button>
            </div>
        </div>
    }
}
