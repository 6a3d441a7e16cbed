//! The way to the same page with another value of one parameter of its address.

use crate::components::use_page_search;
use leptos::{html, prelude::*};
use leptos_router::hooks::use_location;
use model::url::{link_rel, with_parameter};

/// A link that changes one parameter of the address of the page that it is on. The page stays where it is scrolled to, and
/// the browser's back leads past the change.
#[component]
pub fn ParameterLink(
    /// The parameter.
    name: &'static str,
    /// Its value there; none leaves it out.
    #[prop(into)]
    value: Signal<Option<String>>,
    /// The element.
    #[prop(optional)]
    node_ref: NodeRef<html::A>,
    /// The text of the link.
    children: Children,
) -> impl IntoView {
    let (search, pathname) = (use_page_search(), use_location().pathname);
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
