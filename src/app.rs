//! The page around all pages: the document, the routes, and the bar on top.

mod bar;

use crate::{
    ledger::{board::board_page, page::ledger_page},
    sales::{
        home::home_page,
        red_packet::page::red_packet_page,
        ticket::{list::tickets_page, page::ticket_page},
    },
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
pub fn shell(options: LeptosOptions) -> impl IntoView {
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
                <App />
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

/// Everything inside `<body>`.
#[component]
pub fn App() -> impl IntoView {
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
                <Route path=StaticSegment("") view=home_page ssr=SsrMode::Async />
                <Route
                    path=(StaticSegment("red-packets"), ParamSegment("id"))
                    view=red_packet_page
                    ssr=SsrMode::Async
                />
                <Route path=StaticSegment("tickets") view=tickets_page ssr=SsrMode::Async />
                <Route path=(StaticSegment("tickets"), ParamSegment("id")) view=ticket_page ssr=SsrMode::Async />
                <Route path=StaticSegment("ledger") view=ledger_page ssr=SsrMode::Async />
                <Route path=StaticSegment("audit") view=board_page ssr=SsrMode::Async />
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
