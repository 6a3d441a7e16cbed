//! A name and what it names.

use leptos::prelude::*;

/// A group of a `<dl>`.
#[component]
pub fn Definition(term: &'static str, #[prop(optional)] class: &'static str, children: Children) -> impl IntoView {
    view! {
        <div class=(!class.is_empty()).then_some(class)>
            <dt>{term}</dt>
            <dd>{children()}</dd>
        </div>
    }
}
