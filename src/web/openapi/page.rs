//! `/api`: the description of the API for people.
//!
//! One piece of HTML, which the server makes: it has thousands of elements, none of which ever changes, so there is
//! nothing to hydrate.

use crate::{
    components::{Loaded, PageData},
    openapi::words::words,
};
use leptos::{prelude::*, server_fn::codec::Json};
use leptos_meta::Title;
use model::{StrictJson, error::Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::openapi::{html::html, reference::Reference};
#[cfg(feature = "ssr")]
use crate::{i18n::detect_lang, services::services};

/// This description as the HTML of the page `/api`, with headings in the language of the request.
#[server(
    name = DescriptionRequest,
    prefix = "/api",
    endpoint = "/description",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn description() -> Result<String> {
    provide_context(detect_lang());
    Ok(html(Reference::read(&services()?.api.0)))
}

/// `/api`
#[component]
pub fn ApiPage() -> impl IntoView {
    let data = PageData::new(|| (), |()| description());
    view! { <Loaded data children=|html| view! { <Description html /> } /> }
}

#[component]
fn Description(
    /// The description of all endpoints, rendered once by the server.
    html: String,
) -> impl IntoView {
    let words = words();
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
            <div class="description" inner_html=html></div>
        </main>
    }
}
