//! The bar on top: the way home, the language, light and dark.

use crate::{
    nodes,
    ui::{
        drawing::looks,
        field::button,
        icons::{Icon, icon},
        node::{El, Node, el},
        platform::{self, Theme},
    },
    words::{Lang, lang, words},
};
use leptos::prelude::*;
use leptos_router::hooks::use_location;

pub fn bar() -> Node {
    let words = words();
    let logo = el("img").attr("src", "/favicon.svg").attr("alt", "").attr("width", "24").attr("height", "24");
    let header = el("header").class("top").with(nodes![
        el("a").class("brand").attr("href", "/").with(nodes![logo, el("span").text(words.brand)]),
        el("nav").attr("aria-label", words.navigation).with(nodes![
            way("/", words.sales),
            way("/tickets", words.tickets),
            way("/ledger", words.ledger),
            way("/audit", words.audit),
        ]),
        el("div").class("switches").with(nodes![langs(), themes()]),
    ]);
    header.into()
}

/// The way to a page, which says so when the reader is there.
fn way(address: &'static str, name: &'static str) -> El {
    let path = use_location().pathname;
    let current = move || if path.with(|path| path == address) { "page" } else { "false" }.to_owned();
    el("a").attr("href", address).live("aria-current", current).text(name)
}

fn langs() -> El {
    let other = match lang() {
        Lang::En => Lang::Zh,
        Lang::Zh => Lang::En,
    };
    let switch = button("quiet", || false, move || platform::choose_lang(other));
    switch.attr("lang", other.tag()).text(other.words().own_name)
}

fn themes() -> El {
    let words = words();
    let looks = looks();
    let first = platform::theme();
    let choice = |choice: Theme, sign: Icon, name: &'static str| {
        let choose = move || {
            platform::choose_theme(choice);
            *looks.write() += 1;
        };
        let pressed = move || {
            let theme = if looks.get() == 0 { first } else { platform::theme() };
            if theme == choice { "true" } else { "false" }.to_owned()
        };
        let switch = button("quiet", || false, choose).attr("aria-label", name).attr("title", name);
        switch.live("aria-pressed", pressed).with(nodes![icon(sign)])
    };
    el("div").class("group").attr("role", "group").attr("aria-label", words.theme).with(nodes![
        choice(Theme::System, Icon::Screen, words.theme_system),
        choice(Theme::Light, Icon::Sun, words.theme_light),
        choice(Theme::Dark, Icon::Moon, words.theme_dark),
    ])
}
