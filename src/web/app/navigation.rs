//! The bar on top: the link home, and the switches of keys, time zone, language and theme.

use crate::{
    base_path::{under_base, use_path},
    components::{Button, Icon, PageKeysSwitch, Theme, TimeZoneSwitch, follow_address, use_theme},
    health::HealthSignals,
    i18n::{Lang, lang, use_lang_choice, words},
    kind_of_pages, lab, ledger, list, openapi,
    people::finder::FindButton,
};
use leptos::prelude::*;

/// Shows the navigation bar.
#[component]
pub fn Navigation() -> impl IntoView {
    let words = words();
    follow_address();
    let pages = vec![
        ("/", list::words::words().sales),
        ("/ledger", ledger::words::words().title),
        ("/audit", words.audit),
        ("/lab", lab::words::words().title),
        ("/learn", lab::learn::words::words().learn),
        ("/api", openapi::words::words().title),
    ];
    let entry = |(to, name): (&'static str, &'static str)| {
        view! {
            <a href=under_base(to) aria-current=current(to)>
                {name}
            </a>
        }
    };
    view! {
        <header class="top">
            <a class="brand" href=under_base("/")>
                <img src=under_base("/favicon.svg") alt="" width="24" height="24" />
                <span>{words.brand}</span>
            </a>
            <nav aria-label=words.navigation>
                {pages.iter().copied().map(entry).collect_view()}
            </nav>
            <div class="switches">
                <HealthSignals />
                <FindButton pages />
                <TimeZoneSwitch />
                <LanguageSwitch />
                <PageKeysSwitch />
                <ThemeSwitch />
            </div>
        </header>
    }
}

/// Returns the `aria-current` of a link: set if its page, or one below it, is shown.
fn current(page: &'static str) -> impl Fn() -> Option<&'static str> {
    let path = use_path();
    move || {
        path.with(|path| match path.trim_start_matches('/').split_once('/') {
            _ if path == page => Some("page"),
            // The pages of sales are below their list.
            Some((segment, _)) if page == "/" => kind_of_pages(segment).map(|_| "true"),
            Some((segment, _)) => (page.strip_prefix('/') == Some(segment)).then_some("true"),
            None => None,
        })
    }
}

#[component]
fn LanguageSwitch() -> impl IntoView {
    let other = match lang() {
        Lang::En => Lang::Zh,
        Lang::Zh => Lang::En,
    };
    let choose = use_lang_choice();
    view! {
        <span lang=other.tag()>
            <Button class="quiet" on_click=move || choose(other)>
                {other.own_name()}
            </Button>
        </span>
    }
}

#[component]
fn ThemeSwitch() -> impl IntoView {
    let words = words();
    let (theme, set_theme) = use_theme();
    let choice = move |choice: Theme, icon, label: &'static str| {
        view! {
            <Button
                class="quiet"
                on_click=move || set_theme(choice)
                {..}
                aria-label=label
                title=label
                aria-pressed=move || (theme.get() == choice).to_string()
            >
                <Icon icon />
            </Button>
        }
    };
    view! {
        <div class="group" role="group" aria-label=words.theme>
            {choice(Theme::System, icondata_lu::LuMonitor, words.theme_system)}
            {choice(Theme::Light, icondata_lu::LuSun, words.theme_light)}
            {choice(Theme::Dark, icondata_lu::LuMoon, words.theme_dark)}
        </div>
    }
}
