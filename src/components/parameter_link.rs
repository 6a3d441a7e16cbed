//! The way to the same page with another value of one parameter of its address.

use super::url::{link_rel, with_parameter};
use leptos::{html, prelude::*};
use leptos_router::hooks::use_url;

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
    // The address of this page alone: it stays as it was when the reader goes on to another page.
    let url = use_url();
    view! {
        <a
            node_ref=node_ref
            href=move || url.with(|url| with_parameter(url.search(), name, value.get()))
            rel=url.with_untracked(|url| link_rel(url.path()))
            data-noscroll
            prop:replace=true
        >
            {children()}
        </a>
    }
}
