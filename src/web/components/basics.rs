//! The smallest pieces: an icon, a definition and a count.

use crate::{
    components::{explained::Explained, format::count},
    i18n::FigureWords,
};
use leptos::prelude::*;

/// Shows a Lucide icon, as large as the text around it. It repeats the words beside it, so screen readers skip it.
#[component]
pub fn Icon(
    /// An icon of `icondata_lu`.
    icon: icondata_core::Icon,
) -> impl IntoView {
    view! {
        <span class="icon" aria-hidden="true">
            <leptos_icons::Icon icon />
        </span>
    }
}

/// Shows a group of a `<dl>`.
#[component]
pub fn Definition(
    /// The text of the `<dt>`, perhaps with its meaning.
    #[prop(into)]
    term: FigureWords,
    /// The class of the group; none if empty.
    #[prop(optional)]
    class: &'static str,
    /// The content of the `<dd>`.
    children: Children,
) -> impl IntoView {
    view! {
        <div class=(!class.is_empty()).then_some(class)>
            <dt>
                <Explained words=term />
            </dt>
            <dd>{children()}</dd>
        </div>
    }
}

/// Shows a count; zero is dimmed.
#[component]
pub fn Figure(
    /// The count.
    #[prop(into)]
    value: Signal<u64>,
) -> impl IntoView {
    let value = Memo::new(move |_| value.get());
    view! { <span class:zero=move || value.get() == 0>{move || count(value.get())}</span> }
}
