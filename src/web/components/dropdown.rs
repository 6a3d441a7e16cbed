//! A button that opens a panel below itself, as a popover: it lies above everything else, Escape and a press elsewhere close
//! it. Its contents are in the document only while it is open, so it cannot be opened before scripts run.

use crate::components::{explained::unique_id, use_hydrated};
use leptos::{ev::MouseEvent, html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::Element;

/// Shows the button, and the panel while it is open. A link in the panel closes it.
#[component]
pub fn Dropdown(
    /// The name of the button and of the panel.
    #[prop(into)]
    label: Signal<String>,
    /// The class of the button.
    #[prop(default = "quiet")]
    class: &'static str,
    /// Runs when the panel has been opened or closed, and says which.
    #[prop(optional, into)]
    on_toggle: Option<Callback<bool>>,
    /// What is on the button.
    #[prop(into)]
    face: ViewFnOnce,
    /// The contents of the panel.
    children: ChildrenFn,
) -> impl IntoView {
    let id = unique_id("panel");
    let (panel, hydrated) = (NodeRef::<html::Div>::new(), use_hydrated());
    let is_open = move || panel.get_untracked().is_some_and(|panel| panel.matches(":popover-open").unwrap_or_default());
    let is_shown = RwSignal::new(false);
    let toggled = move || {
        is_shown.set(is_open());
        if let Some(on_toggle) = on_toggle {
            on_toggle.run(is_open());
        }
    };
    let children = StoredValue::new(children);
    let on_click = move |event: MouseEvent| {
        let is_link = event
            .target()
            .and_then(|target| target.dyn_into::<Element>().ok())
            .is_some_and(|target| target.closest("a").is_ok_and(|link| link.is_some()));
        if let Some(panel) = panel.get_untracked().filter(|_| is_link && is_open()) {
            _ = panel.hide_popover();
        }
    };
    view! {
        <span class="dropdown">
            <button
                type="button"
                class=class
                aria-label=label
                title=label
                popovertarget=id.clone()
                disabled=move || !hydrated.get()
            >
                {face.run()}
            </button>
            <div
                class="panel"
                role="group"
                aria-label=label
                id=id
                popover="auto"
                node_ref=panel
                on:toggle=move |_| toggled()
                on:click=on_click
            >
                <Show when=move || is_shown.get()>{children.with_value(|children| children())}</Show>
            </div>
        </span>
    }
    .into_any()
}
