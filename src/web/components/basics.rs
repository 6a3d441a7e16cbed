//! The smallest pieces: an icon, and a name with what it names.

use crate::components::format::count;
use leptos::prelude::*;

/// A Lucide icon, as large as the text around it. It repeats what words say, and screen readers skip it.
#[component]
pub fn Icon(
    /// One of `icondata_lu`.
    icon: icondata_core::Icon,
) -> impl IntoView {
    view! {
        <span class="icon" aria-hidden="true">
            <leptos_icons::Icon icon />
        </span>
    }
}

/// A group of a `<dl>`.
#[component]
pub fn Definition(
    /// The text of the `<dt>`.
    term: &'static str,
    /// The class of the group; none if empty.
    #[prop(optional)]
    class: &'static str,
    /// The content of the `<dd>`.
    children: Children,
) -> impl IntoView {
    view! {
        <div class=(!class.is_empty()).then_some(class)>
            <dt>{term}</dt>
            <dd>{children()}</dd>
        </div>
    }
}

/// A count; zero is dimmed.
#[component]
pub fn Figure(
    /// How many.
    #[prop(into)]
    value: Signal<u64>,
) -> impl IntoView {
    let value = Memo::new(move |_| value.get());
    view! { <span class:zero=move || value.get() == 0>{move || count(value.get())}</span> }
}
