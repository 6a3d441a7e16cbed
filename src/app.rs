//! The page around all pages: the document, the routes, and the bar on top.

mod bar;
mod pages;

pub use pages::{Download, Pages};

use crate::{
    ui::{
        drawing::provide_looks,
        node::{Node, el},
        notice::blank,
        platform,
        ready::provide_ready,
        title::{Titled, set_title},
    },
    words::words,
};
use leptos::prelude::*;
use leptos_meta::{MetaTags, provide_meta_context};
use leptos_router::{
    ParamSegment, SsrMode, StaticSegment,
    components::{FlatRoutes, Route, Router},
};

/// The document that the server sends.
pub fn shell(mut options: LeptosOptions) -> impl IntoView {
    options.output_name = Download::of(&platform::path()).name().into();
    let lang = platform::lang();
    let words = lang.words();
    view! {
        <!DOCTYPE html>
        <html lang=lang.tag() data-theme=platform::theme().name()>
            <head>
                <meta charset="utf-8" />
                <meta http-equiv="Content-Security-Policy" content=policy() />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <meta name="description" content=words.home_intro />
                <link rel="icon" type="image/svg+xml" href="/favicon.svg" />
                <link rel="stylesheet" href="/pkg/stampede.css" />
                <AutoReload options=options.clone() />
                <HydrationScripts options />
                <MetaTags />
            </head>
            <body>
                <App pages=Pages::ALL />
            </body>
        </html>
    }
}

/// What the browser may load: what this server sends, and no script but the one that carries the nonce of
/// this page. (Styles may stand in attributes: meters and bars have their lengths there.)
fn policy() -> String {
    let nonce = leptos::nonce::use_nonce().map(|nonce| format!("'nonce-{nonce}'")).unwrap_or_default();
    format!(
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' {nonce}; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'"
    )
}

/// Takes over the page that the server rendered, with the pages that this download has.
#[cfg(feature = "hydrate")]
pub fn hydrate(pages: Pages) {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_body(move || view! { <App pages /> });
}

/// Everything inside `<body>`.
#[component]
pub fn App(pages: Pages) -> impl IntoView {
    provide_meta_context();
    provide_context(platform::lang());
    provide_ready();
    provide_looks();
    // Past the router, which would go there without taking the focus along.
    let skip: Node = el("a").class("skip").attr("href", "#main").attr("rel", "external").text(words().skip).into();
    view! {
        <Titled />
        {skip}
        <Router>
            {bar::bar()}
            <FlatRoutes fallback=missing>
                <Route path=StaticSegment("") view=pages.home ssr=SsrMode::Async />
                <Route
                    path=(StaticSegment("red-packets"), ParamSegment("id"))
                    view=pages.red_packet
                    ssr=SsrMode::Async
                />
                <Route path=StaticSegment("tickets") view=pages.tickets ssr=SsrMode::Async />
                <Route path=(StaticSegment("tickets"), ParamSegment("id")) view=pages.ticket ssr=SsrMode::Async />
                <Route path=StaticSegment("ledger") view=pages.ledger ssr=SsrMode::Async />
                <Route path=StaticSegment("audit") view=pages.audit ssr=SsrMode::Async />
            </FlatRoutes>
        </Router>
    }
}

fn missing() -> Node {
    let words = words();
    platform::response().status(404);
    set_title(words.no_page);
    blank(words.no_page, words.no_page_means, false).into()
}
