//! The bar on top: the way home, the language, light and dark.

use crate::{
    ui::{
        drawing::looks,
        icons::{Icon, icon},
        platform::{self, Theme},
        ready::ready,
    },
    words::{Lang, lang, words},
};
use leptos::prelude::*;

pub fn bar() -> AnyView {
    let words = words();
    view! {
        <header class="top">
            <a class="brand" href="/">
                <img src="/favicon.svg" alt="" width="24" height="24" />
                <span>{words.brand}</span>
            </a>
            <nav aria-label=words.navigation><a href="/">{words.sales}</a></nav>
            <div class="switches">{langs()} {themes()}</div>
        </header>
    }
    .into_any()
}

fn langs() -> AnyView {
    let ready = ready();
    let other = match lang() {
        Lang::En => Lang::Zh,
        Lang::Zh => Lang::En,
    };
    view! {
        <button
            type="button"
            class="quiet"
            lang=other.tag()
            disabled=move || !ready.get()
            on:click=move |_| platform::choose_lang(other)
        >
            {other.words().own_name}
        </button>
    }
    .into_any()
}

fn themes() -> AnyView {
    let words = words();
    let theme = RwSignal::new(platform::theme());
    let choice = |choice: Theme, sign: Icon, name: &'static str| {
        let ready = ready();
        let looks = looks();
        let choose = move |_| {
            platform::choose_theme(choice);
            theme.set(choice);
            *looks.write() += 1;
        };
        let pressed = move || if theme.get() == choice { "true" } else { "false" };
        view! {
            <button type="button" class="quiet" aria-pressed=pressed aria-label=name title=name disabled=move || !ready.get() on:click=choose>
                {icon(sign)}
            </button>
        }
        .into_any()
    };
    view! {
        <div class="group" role="group" aria-label=words.theme>
            {choice(Theme::System, Icon::Screen, words.theme_system)}
            {choice(Theme::Light, Icon::Sun, words.theme_light)}
            {choice(Theme::Dark, Icon::Moon, words.theme_dark)}
        </div>
    }
    .into_any()
}
