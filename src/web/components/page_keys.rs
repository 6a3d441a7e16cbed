//! Keys that act on a page as a whole: single letters, arrows and Space.

use leptos::{
    ev::{self, KeyboardEvent},
    prelude::document,
};
use leptos_use_event_listener::use_event_listener;
use leptos_use_window::use_window;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// Calls `press` for each key that is meant for the page, in lower case. It returns whether the key did something; then
/// the browser does nothing else with it.
///
/// A key is not meant for the page while the reader types, chooses or scrolls with it, holds it down, combines it with
/// another one, or has a panel open above the page. A tip is none.
pub fn use_page_keys(press: impl Fn(&str) -> bool + Copy + 'static) {
    _ = use_event_listener(use_window().as_ref().cloned(), ev::keydown, move |event| {
        if is_for_page(&event) && press(&event.key().to_lowercase()) {
            event.prevent_default();
        }
    });
}

fn is_for_page(event: &KeyboardEvent) -> bool {
    let is_plain = !event.ctrl_key() && !event.meta_key() && !event.alt_key() && !event.repeat();
    let is_free = !event.default_prevented()
        && document().query_selector(":popover-open:not([role='tooltip'])").ok().flatten().is_none();
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let is = |selector: &str| target.as_ref().is_some_and(|target| target.matches(selector).unwrap_or_default());
    let is_taken = match event.key().as_str() {
        // Space presses what can be pressed, and scrolls what can be scrolled, as arrows do.
        " " => is("button, summary, input:not([type='range']), select, textarea, [tabindex='0']"),
        "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" => is("input, select, textarea, [tabindex='0']"),
        _ => is("input:not([type='range']), select, textarea"),
    };
    is_plain && is_free && !is_taken
}
