//! Text to take along.

use super::{
    icons::{Icon, icon},
    node::{Node, el, live},
    platform,
    ready::ready,
    work::after,
};
use crate::{i18n::words, nodes};
use leptos::prelude::*;
use std::time::Duration;

const SAID_FOR: Duration = Duration::from_secs(2);

/// A button that copies `text` and says so.
pub fn copy_button(label: &'static str, text: String) -> Node {
    let words = words();
    let ready = ready();
    let copied = RwSignal::new(false);
    let copy = move |_| {
        platform::copy(&text);
        copied.set(true);
        after(SAID_FOR, move || _ = copied.try_set(false));
    };
    let said = move || if copied.get() { words.copied.to_owned() } else { String::new() };
    nodes![
        el("button")
            .attr("type", "button")
            .class("quiet")
            .attr("aria-label", label)
            .attr("title", label)
            .when("disabled", move || !ready.get())
            .on("click", copy)
            .with(nodes![icon(Icon::Copy)]),
        el("span").class("said").attr("role", "status").with(nodes![live(said)]),
    ]
    .into()
}
