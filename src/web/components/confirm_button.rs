//! A button for what cannot be undone.

use crate::components::{Button, focus_next_frame, hand_focus_on};
use leptos::{
    ev::{KeyboardEvent, MouseEvent},
    html,
    prelude::*,
};

/// What a [`ConfirmButton`] says.
#[derive(Clone, Copy)]
pub struct ConfirmWords {
    /// The text of the button.
    pub label: &'static str,
    /// The answers to the question.
    pub yes: &'static str,
    pub no: &'static str,
}

/// Acts after a question. The focus goes to the answer, and back to the button when there was nothing to be done or
/// it is done.
#[component]
pub fn ConfirmButton(
    /// The texts of the button and of the two answers.
    words: ConfirmWords,
    /// Asked after the first press; it follows the figures that it names.
    #[prop(into)]
    question: Signal<String>,
    /// Whether the confirmed action is in progress.
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
    let (begin, confirm) = (node_ref, NodeRef::<html::Button>::new());
    let ask = move |asks: bool| {
        is_asking.set(asks);
        if let Some(on_ask) = on_ask.filter(|_| asks) {
            on_ask.run(());
        }
        focus_next_frame(if asks { confirm } else { begin });
    };
    Effect::new(move |was_pending: Option<bool>| {
        let is_pending = pending.get();
        if was_pending == Some(true) && !is_pending {
            // Unless the reader has gone on to something else meanwhile.
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
        // The second click of a double click hits the place where the button was: the focus stays on the answer.
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
                <Button class="danger" node_ref=confirm pending on_click=on_confirm>
                    {yes}
                </Button>
                <Button on_click=move || ask(false)>{no}</Button>
            </div>
        </div>
    }
}
