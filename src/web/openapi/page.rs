//! `/api`: the description of the API for people, with a page for each group of endpoints.
//!
//! The text of a page is one piece of HTML from the server: it has thousands of elements, which never change, so there
//! is nothing to hydrate. Only the table of contents is filtered while the reader types.

use crate::{
    base_path::under_base,
    components::{Loaded, PageData, use_page_search},
    openapi::{
        contents::{Description, EndpointEntry, GroupEntry},
        words::words,
    },
};
use leptos::{prelude::*, server_fn::codec::Json};
use leptos_meta::Title;
use model::{StrictJson, error::Result, url::parameter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::openapi::{html::html, reference::Reference, server_address::server_address};
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
pub async fn description(
    /// The group of endpoints to describe, or `types`. Left out, what holds for all of them.
    group: Option<String>,
) -> Result<Description> {
    provide_context(detect_lang());
    html(Reference::read(&services()?.api.0, &server_address()), group.as_deref())
}

/// Shows `/api`.
#[component]
pub fn ApiPage() -> impl IntoView {
    let search = use_page_search();
    let group = Memo::new(move |_| search.with(|search| parameter(search, "group")));
    let data = PageData::new(move || group.get(), description);
    let page = move |Description { groups, html }| {
        let filter = search.with_untracked(|search| parameter(search, "filter")).unwrap_or_default();
        view! { <DescriptionPage groups html group=group.get_untracked() filter /> }
    };
    view! { <Loaded data children=page /> }
}

#[component]
fn DescriptionPage(
    /// All groups of endpoints.
    groups: Vec<GroupEntry>,
    /// The text of the page, rendered once by the server.
    html: String,
    /// The group of the page; `None` on the general page.
    group: Option<String>,
    /// The reader's search text.
    filter: String,
) -> impl IntoView {
    let words = words();
    let shown = groups.iter().find(|shown| Some(&shown.id) == group.as_ref()).map(|shown| shown.name.clone());
    let of_all = group.is_none().then(|| view! { <Contents groups=groups.clone() filter /> });
    let others = group.map(|group| view! { <Groups groups group /> });
    view! {
        <Title text=shown.map_or_else(|| words.title.to_owned(), |shown| format!("{shown} · {}", words.title)) />
        <main id="main" class="api" tabindex="-1">
            <div class="intro">
                <h1>{words.title}</h1>
                <p>{words.intro}</p>
                <p>
                    <a href=under_base("/api/openapi.json") rel="external">
                        {words.document}
                    </a>
                </p>
            </div>
            {of_all}
            {others}
            <div class="description" inner_html=html></div>
        </main>
    }
}

/// Shows all endpoints; while the reader types, only those that match all words.
#[component]
fn Contents(
    /// All groups of endpoints.
    groups: Vec<GroupEntry>,
    /// The initial search text.
    filter: String,
) -> impl IntoView {
    let words = words();
    let (wanted, want) = signal(filter.to_lowercase());
    let is_wanted = move |text: &str| wanted.with(|wanted| wanted.split_whitespace().all(|word| text.contains(word)));
    let texts = groups.iter().map(|group| {
        let text = |endpoint: &EndpointEntry| format!("{} {}", endpoint.path, endpoint.summary).to_lowercase();
        group.endpoints.iter().map(text).collect::<Vec<_>>()
    });
    let texts = StoredValue::new(texts.collect::<Vec<_>>());
    let found =
        move |group: usize| texts.with_value(|texts| texts[group].iter().filter(|text| is_wanted(text)).count());
    let count = groups.len();
    let all = move || (words.found)((0..count).map(found).sum());
    let group = |(place, GroupEntry { id: group, name, endpoints }): (usize, GroupEntry)| {
        let href = under_base(format!("/api?group={group}"));
        let endpoint = |(number, EndpointEntry { id, path, summary }): (usize, EndpointEntry)| {
            let is_hidden = move || texts.with_value(|texts| !is_wanted(&texts[place][number]));
            // Bypasses the router, which cannot scroll to a fragment of a page that is not loaded yet.
            view! {
                <li hidden=is_hidden>
                    <a rel="external" href=under_base(format!("/api?group={group}#{id}"))>
                        <code>{path}</code>
                    </a>
                    <span lang="en">{summary}</span>
                </li>
            }
        };
        let endpoints = endpoints.into_iter().enumerate().map(endpoint).collect_view();
        view! {
            <li hidden=move || found(place) == 0>
                <a href=href lang="en">
                    {name}
                </a>
                <ul>{endpoints}</ul>
            </li>
        }
    };
    view! {
        <nav class="card contents" aria-labelledby="contents">
            <h2 id="contents">{words.contents}</h2>
            <form action=under_base("/api") role="search">
                <label>
                    <span>{words.filter}</span>
                    <input
                        type="search"
                        name="filter"
                        value=filter
                        autocomplete="off"
                        spellcheck="false"
                        on:input:target=move |event| want.set(event.target().value().to_lowercase())
                    />
                </label>
                <span role="status">{all}</span>
            </form>
            <ul>
                {groups.into_iter().enumerate().map(group).collect_view()}
                <li>
                    <a href=under_base("/api?group=types")>{words.types}</a>
                </li>
            </ul>
        </nav>
    }
}

/// Shows the links from the page of a group to the others.
#[component]
fn Groups(
    /// All groups of endpoints.
    groups: Vec<GroupEntry>,
    /// The group of this page.
    group: String,
) -> impl IntoView {
    let words = words();
    let link = |id: String, name: AnyView| {
        view! {
            <li>
                <a href=under_base(format!("/api?group={id}")) aria-current=(id == group).then_some("page")>
                    {name}
                </a>
            </li>
        }
    };
    let groups =
        groups.into_iter().map(|group| link(group.id, view! { <span lang="en">{group.name}</span> }.into_any()));
    let groups = groups.collect_view();
    view! {
        <nav class="card contents" aria-label=words.contents>
            <ul class="groups">
                <li>
                    <a href=under_base("/api")>{words.contents}</a>
                </li>
                {groups}
                {link("types".to_owned(), words.types.into_any())}
            </ul>
        </nav>
    }
}
