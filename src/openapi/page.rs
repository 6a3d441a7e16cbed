//! `/api`: the description of the API for people.
//!
//! One piece of HTML, which the server makes and the browser leaves alone: it has thousands of elements, none of which
//! ever changes, and the program that makes it need not be downloaded.

use super::words::words;
use leptos::{html::Div, prelude::*};
use leptos_meta::Title;

/// `/api`
#[component]
pub fn ApiPage() -> impl IntoView {
    let words = words();
    let description = NodeRef::<Div>::new();
    // Links to this page load it from the server. A reader who comes back to it by the browser's own buttons has
    // nothing but the empty page.
    Effect::new(move || {
        // By its text: there may be a mark of the framework's in it.
        let is_empty = |description: &web_sys::Node| description.text_content().is_none_or(|text| text.is_empty());
        if description.get().is_some_and(|description| is_empty(&description)) {
            _ = window().location().reload();
        }
    });
    view! {
        <Title text=words.title />
        <main id="main" class="api" tabindex="-1">
            <div class="intro">
                <h1>{words.title}</h1>
                <p>{words.intro}</p>
                <p>
                    <a href="/api/openapi.json" rel="external">
                        {words.document}
                    </a>
                </p>
            </div>
            <div node_ref=description class="description" inner_html=description_html()></div>
        </main>
    }
}

#[cfg(feature = "ssr")]
fn description_html() -> String {
    use super::{ApiDocument, Reference, html::html};
    match crate::runtime::service::<ApiDocument>() {
        Ok(document) => html(&Reference::read(&document.0), words()),
        // When the routes are listed, at the start.
        Err(error) => html_escape::encode_text(&error.message).into_owned(),
    }
}

/// The server has made it already.
#[cfg(not(feature = "ssr"))]
fn description_html() -> String {
    String::new()
}
