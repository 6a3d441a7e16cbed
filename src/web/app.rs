//! The frame of all pages: the document, the routes, the navigation.

mod loader;
mod navigation;

pub use loader::build;

use crate::{
    KINDS,
    app::{
        loader::{Loader, without_program},
        navigation::Navigation,
    },
    base_path::{document_base, router_base, under_base},
    components::{
        EmptyPage, TranslatedNotice, VersionNotice, document_time, provide_hydrated, provide_page_keys,
        provide_server_clock, provide_server_version, provide_store_flags, provide_theme, provide_time_zone,
        provide_traversal, use_theme,
    },
    crowd::replay::page::ReplayPage,
    i18n::{detect_lang, words},
    kind_of_pages, kind_words,
    lab::{
        duel::page::DuelPage, faults::page::FaultsPage, learn::page::LearnPage, page::LabPage, step::StepPage,
        write::page::WritePage,
    },
    ledger::{audit_board::AuditBoardPage, page::LedgerPage},
    list::{page::SalesPage, words::words as list_words},
    openapi::page::ApiPage,
    people::page::UserPage,
};
use html_escape::encode_text;
use leptos::prelude::*;
use leptos_meta::{HashedStylesheet, Html, MetaTags, Title, provide_meta_context};
use leptos_router::{
    ParamSegment, SsrMode, StaticSegment,
    components::{FlatRoutes, Route, Router},
    hooks::use_params_map,
};

/// Renders the document that the server sends.
pub fn shell(options: LeptosOptions) -> impl IntoView {
    provide_context(detect_lang());
    let build = build(&options);
    view! {
        <!DOCTYPE html>
        <html data-now=document_time() data-base=document_base() data-build=build>
            <head>
                <meta charset="utf-8" />
                <meta http-equiv="Content-Security-Policy" content=policy(&options) />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <meta name="description" content=list_words().intro />
                <link rel="icon" type="image/svg+xml" href=under_base("/favicon.svg") />
                <link
                    rel="preload"
                    href=under_base("/inter-latin-5.3.0.woff2")
                    r#as="font"
                    r#type="font/woff2"
                    crossorigin="anonymous"
                />
                <HashedStylesheet options=options.clone() root=under_base("") />
                <AutoReload options=options.clone() />
                <Loader options />
                <MetaTags />
            </head>
            <body>
                <App />
            </body>
        </html>
    }
}

/// Returns the content security policy. The browser may load resources of this server, and no script but the one with
/// the nonce of this page. (Styles are permitted in attributes, which have the lengths of meters and bars.) During
/// development, [`AutoReload`] listens on a port of its own.
fn policy(options: &LeptosOptions) -> String {
    let nonce = leptos::nonce::use_nonce().map(|nonce| format!("'nonce-{nonce}'")).unwrap_or_default();
    let reload = match std::env::var_os("LEPTOS_WATCH") {
        Some(_) => format!("ws://*:{}", options.reload_port),
        None => String::new(),
    };
    format!(
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' {nonce}; style-src 'self' 'unsafe-inline'; \
         connect-src 'self' {reload}; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'"
    )
}

/// Renders the contents of `<body>`.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    let lang = detect_lang();
    provide_context(lang);
    provide_context(kind_words());
    provide_store_flags();
    provide_hydrated();
    provide_server_clock();
    provide_server_version();
    provide_time_zone();
    provide_theme();
    provide_page_keys();
    provide_traversal();
    let (theme, _) = use_theme();
    let words = words();
    view! {
        <Html {..} lang=lang.tag() data-theme=move || theme.get().attribute() />
        // Without its own text, the title would be empty while one page replaces another.
        <Title text="" formatter=move |title: String| {
            let title = if title.is_empty() { words.brand.to_owned() } else { format!("{title} · {}", words.brand) };
            // The server writes the title into the document without escaping, and a sale's id may look like markup.
            if cfg!(feature = "ssr") { encode_text(&title).into_owned() } else { title }
        } />
        // Bypasses the router, which would go there without moving the focus.
        <a class="skip" href="#main" rel="external">
            {words.skip}
        </a>
        // As HTML: a browser with JavaScript parses the contents as text, where hydration would look for elements.
        <noscript inner_html=without_program(words.without_script, words.update) />
        <Router base=router_base()>
            <Navigation />
            <TranslatedNotice />
            <VersionNotice />
            <FlatRoutes fallback=NotFound>
                <Route path=StaticSegment("") view=SalesPage ssr=SsrMode::Async />
                <Route path=(StaticSegment("lab"), StaticSegment("step")) view=StepPage ssr=SsrMode::Async />
                <Route path=(StaticSegment("lab"), StaticSegment("faults")) view=FaultsPage ssr=SsrMode::Async />
                <Route path=(StaticSegment("learn"), StaticSegment("write")) view=WritePage ssr=SsrMode::Async />
                <Route path=(StaticSegment("users"), ParamSegment("id")) view=UserPage ssr=SsrMode::Async />
                <Route path=(StaticSegment("orders"), ParamSegment("id")) view=OrderPage ssr=SsrMode::Async />
                <Route path=(ParamSegment("kind"), ParamSegment("id")) view=SalePage ssr=SsrMode::Async />
                <Route path=StaticSegment("ledger") view=LedgerPage ssr=SsrMode::Async />
                <Route path=StaticSegment("lab") view=LabPage ssr=SsrMode::Async />
                <Route path=StaticSegment("duel") view=DuelPage ssr=SsrMode::Async />
                <Route path=StaticSegment("replay") view=ReplayPage ssr=SsrMode::Async />
                <Route path=StaticSegment("learn") view=LearnPage ssr=SsrMode::Async />
                <Route path=StaticSegment("audit") view=AuditBoardPage ssr=SsrMode::Async />
                <Route path=StaticSegment("api") view=ApiPage ssr=SsrMode::Async />
            </FlatRoutes>
        </Router>
    }
}

/// Shows the page of a sale, whatever its kind.
#[component]
fn SalePage() -> impl IntoView {
    let params = use_params_map();
    let kind = Memo::new(move |_| params.with(|params| params.get("kind")));
    move || match kind.get().as_deref().and_then(kind_of_pages) {
        Some(kind) => (kind.pages.sale_page)(),
        None => view! { <NotFound /> }.into_any(),
    }
}

/// Shows the page of an order, of the kind that sells in orders.
#[component]
fn OrderPage() -> impl IntoView {
    match KINDS.iter().find_map(|kind| kind.pages.order_page) {
        Some(page) => page(),
        None => view! { <NotFound /> }.into_any(),
    }
}

/// Shows the page for an address that does not exist.
#[component]
fn NotFound() -> impl IntoView {
    #[cfg(feature = "ssr")]
    if let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
        response.set_status(http::StatusCode::NOT_FOUND);
    }
    let words = words();
    view! { <EmptyPage title=words.not_found sentence=words.not_found_hint /> }
}
