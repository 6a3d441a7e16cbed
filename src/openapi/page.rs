//! `/api`: the description of the API for people.
//!
//! One piece of HTML, which the server makes: it has thousands of elements, none of which ever changes, and the program
//! that makes it need not be downloaded.

use super::{api, words::words};
use crate::components::{Loaded, PageData};
use leptos::prelude::*;
use leptos_meta::Title;

/// `/api`
#[component]
pub fn ApiPage() -> impl IntoView {
    let data = PageData::new(|| (), |()| api::description());
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
