//! A button for what cannot be undone.

use super::{Button, focus_next_frame, has_focus, take_lost_focus};
use leptos::{ev::KeyboardEvent, html, prelude::*};

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
    /// Whether it takes the place of what had the focus.
    #[prop(optional)]
    takes_focus: bool,
    /// Runs when the reader confirms.
    on_confirm: impl Fn() + 'static,
) -> impl IntoView {
    let ConfirmWords { label, yes, no } = words;
    let is_asking = RwSignal::new(false);
    let (begin, confirm) = (NodeRef::<html::Button>::new(), NodeRef::<html::Button>::new());
    let ask = move |asks: bool| {
        is_asking.set(asks);
        focus_next_frame(if asks { confirm } else { begin });
    };
    Effect::new(move |was_pending: Option<bool>| {
        let is_pending = pending.get();
        if was_pending == Some(true) && !is_pending {
            // The reader may have gone on to something else meanwhile.
            let has_focus = has_focus(confirm);
            is_asking.set(false);
            if has_focus {
                focus_next_frame(begin);
            }
        }
        is_pending
    });
    if takes_focus {
        take_lost_focus(begin);
    }
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" && !pending.get_untracked() {
            ask(false);
        }
    };
    view! {
        <div class="actions">
            <Button hidden=is_asking node_ref=begin on_click=move || ask(true)>
                {label}
            </Button>
            <div class="actions" hidden=move || !is_asking.get() on:keydown=on_key>
                <span>{question}</span>
                <Button class="danger" node_ref=confirm pending on_click=on_confirm>
                    {yes}
                </Button>
                <Button on_click=move || ask(false)>{no}</Button>
            </div>
        </div>
    }
}
