//! What the browser calls the page.

use crate::i18n::words;
use leptos::prelude::*;
use leptos_meta::Title;

/// Counted and not in the request's arena: the server reads it last of all, when another request's
/// arena may be the one in force on its thread.
#[derive(Clone)]
struct PageTitle(ArcRwSignal<String>);

/// The document's title, and the place where pages put theirs.
#[component]
pub fn Titled() -> impl IntoView {
    let title = ArcRwSignal::new(String::new());
    provide_context(PageTitle(title.clone()));
    let brand = words().brand;
    let text = move || match title.get() {
        none if none.is_empty() => brand.to_owned(),
        title => [&title, " · ", brand].concat(),
    };
    view! { <Title text /> }
}

/// Calls the page by its own name.
pub fn set_title(text: impl Into<String>) {
    if let Some(PageTitle(title)) = use_context() {
        title.set(text.into());
    }
}
