//! Whether the page has been scrolled so far that the stage stays where it is.

use leptos::{ev, html, prelude::*};
use leptos_use_event_listener::use_event_listener;
use leptos_use_window::use_window;

/// Returns whether the stage stays in sight although its place on the page is farther up. (A style sheet can ask for
/// that only in Chromium.)
pub fn use_stuck(stage: NodeRef<html::Div>) -> Signal<bool> {
    let is_stuck = RwSignal::new(false);
    let look = move || {
        let Some(stage) = stage.get_untracked() else { return };
        let style = window().get_computed_style(&stage).ok().flatten();
        let top = style.and_then(|style| style.get_property_value("top").ok());
        // Where it stays is a length, in pixels; positions may be parts of a pixel.
        let top: Option<f64> = top.and_then(|top| top.trim_end_matches("px").parse().ok());
        let is_now = top.is_some_and(|top| stage.get_bounding_client_rect().top() < top + 1.0);
        if is_now != is_stuck.get_untracked() {
            is_stuck.set(is_now);
        }
    };
    Effect::new(move || {
        stage.track();
        look();
    });
    _ = use_event_listener(use_window().as_ref().cloned(), ev::scroll, move |_| look());
    is_stuck.into()
}
