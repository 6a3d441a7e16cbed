//! Keys that act on a page as a whole: single letters, arrows and Space. Letters and Space can be switched off, as
//! those who dictate press them without meaning to (WCAG 2.1.4).

use crate::{
    components::{Button, Icon},
    cookie::use_kept,
    i18n::words,
};
use leptos::{
    ev::{self, KeyboardEvent},
    prelude::*,
};
use leptos_use_event_listener::use_event_listener;
use leptos_use_window::use_window;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// Whether single characters act, on every page.
#[derive(Clone, Copy)]
struct PageKeys {
    are_on: Signal<bool>,
    set: WriteSignal<Option<bool>>,
}

/// Provides the choice of the reader to all descendants. A cookie keeps it.
pub fn provide_page_keys() {
    let (kept, set) = use_kept::<bool>("keys");
    provide_context(PageKeys { are_on: Signal::derive(move || kept.get().unwrap_or(true)), set });
}

/// Returns whether single characters act.
pub fn are_page_keys_on() -> Signal<bool> {
    expect_context::<PageKeys>().are_on
}

/// Returns the value of `aria-keyshortcuts` for a key of [`use_page_keys`]: a single character and `Space` have none
/// while they are switched off.
pub fn shortcut(key: &str) -> impl Fn() -> Option<String> + Send + 'static + use<> {
    let (key, are_on) = (key.to_owned(), are_page_keys_on());
    let is_character = key == "Space" || key.chars().count() == 1;
    move || (!is_character || are_on.get()).then(|| key.clone())
}

/// Shows the switch.
#[component]
pub fn PageKeysSwitch() -> impl IntoView {
    let words = words();
    let PageKeys { are_on, set } = expect_context();
    view! {
        <span class="page-keys">
            <Button
                class="quiet"
                on_click=move || set.set(Some(!are_on.get_untracked()))
                {..}
                aria-pressed=move || are_on.get().to_string()
                aria-label=words.keys
                title=words.keys_hint
            >
                // Hovering looks like pressed, so the icon shows the state.
                <span hidden=move || !are_on.get()>
                    <Icon icon=icondata_lu::LuKeyboard />
                </span>
                <span hidden=move || are_on.get()>
                    <Icon icon=icondata_lu::LuKeyboardOff />
                </span>
            </Button>
        </span>
    }
}

/// Calls `press` for each key that is meant for the page, in lower case. It returns whether the key did something; then
/// the browser does nothing else with it.
///
/// A key is not meant for the page while the reader types, chooses or scrolls with it, holds it down, combines it with
/// another one, or has a panel open above the page. A tip is none. A single character is not meant if such keys are
/// switched off.
pub fn use_page_keys(press: impl Fn(&str) -> bool + Copy + 'static) {
    let PageKeys { are_on, .. } = expect_context();
    _ = use_event_listener(use_window().as_ref().cloned(), ev::keydown, move |event| {
        let is_off = event.key().chars().count() == 1 && !are_on.get_untracked();
        if !is_off && is_for_page(&event) && press(&event.key().to_lowercase()) {
            event.prevent_default();
        }
    });
}

fn is_for_page(event: &KeyboardEvent) -> bool {
    let is_plain = !event.ctrl_key() && !event.meta_key() && !event.alt_key() && !event.repeat();
    let is_free = !event.default_prevented()
        && document().query_selector(":popover-open:not([role='tooltip']), dialog[open]").ok().flatten().is_none();
    // What a dialog that was just closed holds keeps the focus until the next frame, if nothing else had it before.
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok())
        .filter(|target| !target.matches("dialog:not([open]) *").unwrap_or_default());
    let is = |selector: &str| target.as_ref().is_some_and(|target| target.matches(selector).unwrap_or_default());
    let is_taken = match event.key().as_str() {
        // Space presses what can be pressed, and scrolls what can be scrolled, as arrows do.
        " " => is("button, summary, input:not([type='range']), select, textarea, [tabindex='0']"),
        "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" => is("input, select, textarea, [tabindex='0']"),
        _ => is("input:not([type='range']), select, textarea"),
    };
    is_plain && is_free && !is_taken
}
