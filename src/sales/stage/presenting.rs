//! Presenting a sale to a room: stage, figures and verdict, and nothing else. The address says so: `?present=1`.

use super::words::words;
use crate::components::{Icon, ParameterLink, url::parameter};
use leptos::{
    ev::{self, KeyboardEvent},
    html,
    prelude::*,
};
use leptos_router::hooks::use_url;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// The parameter of the address that says so.
const PARAMETER: &str = "present";

/// Whether the sale is being presented.
pub fn use_presenting() -> Memo<bool> {
    let url = use_url();
    Memo::new(move |_| url.with(|url| parameter(url.search(), PARAMETER).is_some()))
}

/// The way to present the sale, and back; the key `f` does the same, and Escape leads back.
#[component]
pub fn PresentLink() -> impl IntoView {
    let words = words();
    let presenting = use_presenting();
    let link = NodeRef::<html::A>::new();
    Effect::new(move || {
        let listener = window_event_listener(ev::keydown, move |event| {
            let is_plain = !event.ctrl_key() && !event.meta_key() && !event.alt_key();
            let is_meant = event.key() == "f" || (event.key() == "Escape" && presenting.get_untracked());
            if is_meant
                && is_plain
                // On the seat map, Escape takes the crosshair away.
                && !event.default_prevented()
                && !is_typing(&event)
                && let Some(link) = link.get_untracked()
            {
                link.click();
            }
        });
        on_cleanup(move || listener.remove());
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

/// Whether a key goes into a field.
fn is_typing(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    target.is_some_and(|target| matches!(target.tag_name().as_str(), "INPUT" | "SELECT" | "TEXTAREA"))
}
