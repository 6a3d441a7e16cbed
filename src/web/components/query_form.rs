//! A form whose fields are the query of an address.

use super::read_form;
use leptos::{ev::SubmitEvent, prelude::*};
use leptos_router::{NavigateOptions, hooks::use_navigate};
use model::form::FormValues;

/// A form that leads to another address. The browser can send it without JavaScript, so it works before hydration too;
/// after it, fields that are empty are left out of the address.
///
/// Not the router's `Form`: that adds a parameter without a name for a button without a name (leptos_router 0.8).
#[component]
pub fn QueryForm(
    /// The path of the page.
    action: &'static str,
    /// The address that the fields ask for; `None` if the reader is there already.
    address: impl Fn(&FormValues) -> Option<String> + 'static,
    /// Whether the page stays scrolled as it is.
    #[prop(optional)]
    keeps_scroll: bool,
    /// The fields, and the button.
    children: Children,
) -> impl IntoView {
    let navigate = use_navigate();
    let on_submit = move |event: SubmitEvent| {
        if let Some(address) = address(&read_form(&event)) {
            navigate(&address, NavigateOptions { scroll: !keeps_scroll, ..NavigateOptions::default() });
        }
    };
    view! {
        <form action=action on:submit=on_submit>
            {children()}
        </form>
    }
}
