//! Presentation of a sale or a duel to an audience: stage, figures and verdict, and nothing else. The address turns it
//! on: `?present=1`.

use crate::{
    components::{Icon, ParameterLink, use_page_search},
    stage::words::words,
};
use leptos::{
    ev::{self, KeyboardEvent},
    html,
    prelude::*,
};
use leptos_use_event_listener::use_event_listener;
use leptos_use_window::use_window;
use model::url::parameter;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// The parameter of the address that turns presentation on.
const PARAMETER: &str = "present";

/// Returns whether the page is being presented.
pub fn use_presenting() -> Memo<bool> {
    let search = use_page_search();
    Memo::new(move |_| search.with(|search| parameter(search, PARAMETER).is_some()))
}

/// Shows the button that starts and ends the presentation. The key `f` does the same unless the reader is typing, and
/// Escape ends it.
#[component]
pub fn PresentLink() -> impl IntoView {
    let words = words();
    let presenting = use_presenting();
    let link = NodeRef::<html::A>::new();
    _ = use_event_listener(use_window().as_ref().cloned(), ev::keydown, move |event| {
        let Some(link) = link.get_untracked() else { return };
        let is_plain = !event.ctrl_key() && !event.meta_key() && !event.alt_key();
        let is_meant = match event.key().as_str() {
            "f" => !is_typing(&event),
            "Escape" => presenting.get_untracked(),
            _ => false,
        };
        // A stage may have its own use of Escape.
        if is_plain && is_meant && !event.default_prevented() {
            link.click();
        }
    });
    view! {
        <ParameterLink
            name=PARAMETER
            node_ref=link
            value=Signal::derive(move || (!presenting.get()).then(|| "1".to_owned()))
            {..}
            class="button present"
            title=words.present_hint
            aria-keyshortcuts="f"
        >
            <Icon icon=icondata_lu::LuPresentation />
            {move || if presenting.get() { words.stop_presenting } else { words.present }}
        </ParameterLink>
    }
}

/// Returns whether a key is a letter for a field. (Buttons do not count: a reader who has just started a crowd by one
/// may press the key next.)
fn is_typing(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| matches!(target.tag_name().as_str(), "INPUT" | "SELECT" | "TEXTAREA"))
}
