//! A form whose fields are the query of an address.

use crate::{
    base_path::{under_base, use_navigate},
    components::{read_form, traversal::address as current_address},
};
use leptos::{
    ev::{Event, SubmitEvent},
    html,
    prelude::*,
};
use leptos_router::NavigateOptions;
use leptos_use_fn_debounce_throttle::use_debounce_fn;
use model::form::FormValues;
use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;

/// The delay from the last key press until typed text takes effect, in milliseconds.
const TYPING_MS: f64 = 250.0;

/// Shows a form that leads to another address. The browser can send it without JavaScript, so it works before hydration
/// too. After hydration, empty fields are left out of the address.
///
/// Not the router's `Form`: that adds a parameter without a name for a button without a name (leptos_router 0.8).
#[component]
pub fn QueryForm(
    /// The path of the page.
    action: &'static str,
    /// Returns the address for the fields; `None` if it is the current one.
    address: impl Fn(&FormValues) -> Option<String> + 'static,
    /// Keeps the scroll position of the page.
    #[prop(optional)]
    keeps_scroll: bool,
    /// Applies the fields at every change, without the button.
    #[prop(optional)]
    instant: bool,
    /// For a caller that reads or fills in the fields itself.
    #[prop(optional)]
    node_ref: NodeRef<html::Form>,
    /// The fields, and the button.
    children: Children,
) -> impl IntoView {
    let navigate = use_navigate();
    // A pause while typing adds no entry to the history.
    let is_typing = StoredValue::new(false);
    let on_submit = move |event: SubmitEvent| {
        let replace = is_typing.try_update_value(std::mem::take).unwrap_or_default();
        let there =
            address(&read_form(&event)).filter(|there| !instant || under_base(there.as_str()) != current_address());
        if let Some(there) = there {
            let scroll = !keeps_scroll && !instant;
            navigate(&there, NavigateOptions { scroll, replace, ..NavigateOptions::default() });
        }
    };
    let send = move || {
        if let Some(form) = node_ref.try_get_untracked().flatten() {
            _ = form.request_submit();
        }
    };
    let send_typed = use_debounce_fn(
        move || {
            _ = is_typing.try_set_value(true);
            send();
        },
        TYPING_MS,
    );
    let on_input =
        move |event: Event| match event.target().and_then(|target| target.dyn_into::<HtmlSelectElement>().ok()) {
            _ if !instant => {}
            Some(_) => send(),
            None => _ = send_typed(),
        };
    view! {
        <form action=under_base(action) node_ref=node_ref on:submit=on_submit on:input=on_input>
            {children()}
        </form>
    }
}
