//! Presenting a sale to an audience: stage, figures and verdict, and nothing else. The address says so: `?present=1`.

use super::words::words;
use crate::components::{
    Icon,
    url::{parameter, with_parameter},
};
use leptos::{
    ev::{self, KeyboardEvent},
    html,
    prelude::*,
};
use leptos_router::hooks::use_url;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// Whether the sale is being presented.
pub fn use_presenting() -> Memo<bool> {
    let url = use_url();
    Memo::new(move |_| url.with(|url| parameter(url.search(), "present").is_some()))
}

/// The button that starts and ends presenting; the key `f` does the same, and Escape ends it.
#[component]
pub fn PresentLink() -> impl IntoView {
    let words = words();
    let (url, presenting) = (use_url(), use_presenting());
    let href = move || {
        let present = (!presenting.get()).then(|| "1".to_owned());
        url.with(|url| with_parameter(url.search(), "present", present))
    };
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
        <a
            class="button present"
            node_ref=link
            href=href
            data-noscroll
            prop:replace=true
            title=words.present_hint
            aria-keyshortcuts="f"
        >
            <Icon icon=icondata_lu::LuPresentation />
            {move || if presenting.get() { words.stop_presenting } else { words.present }}
        </a>
    }
}

/// Whether a key goes into a field.
fn is_typing(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    target.is_some_and(|target| matches!(target.tag_name().as_str(), "INPUT" | "SELECT" | "TEXTAREA"))
}
