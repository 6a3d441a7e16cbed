//! A link to the same page with another value of one parameter.

use crate::{base_path::use_path, components::use_page_search};
use leptos::{html, prelude::*};
use model::url::{link_rel, with_parameter};

/// Shows a link that changes one parameter of the current page's address. The page keeps its scroll position, and the
/// browser's back skips the change.
#[component]
pub fn ParameterLink(
    /// The parameter.
    name: &'static str,
    /// Its value in the link; `None` leaves it out.
    #[prop(into)]
    value: Signal<Option<String>>,
    /// The element.
    #[prop(optional)]
    node_ref: NodeRef<html::A>,
    /// The text of the link.
    children: Children,
) -> impl IntoView {
    let (search, pathname) = (use_page_search(), use_path());
    view! {
        <a
            node_ref=node_ref
            href=move || search.with(|search| with_parameter(search, name, value.get()))
            rel=pathname.with_untracked(|path| link_rel(path))
            data-noscroll
            prop:replace=true
        >
            {children()}
        </a>
    }
}
