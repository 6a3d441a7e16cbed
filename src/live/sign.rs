//! The sign that says whether what is seen is live.

use super::browser::Link;
use crate::{
    live::words::words,
    nodes,
    ui::node::{El, el, live},
};
use leptos::prelude::*;

/// A dot and a word for how the line stands.
pub fn sign(link: RwSignal<Link>) -> El {
    let words = words();
    let class = move || match link.get() {
        Link::Connecting => "link",
        Link::Live => "link live",
        Link::Lost | Link::StoreDown => "link bad",
    };
    let word = move || (words.connection)(link.get()).to_owned();
    el("span").live("class", move || class().to_owned()).attr("role", "status").with(nodes![live(word)])
}
