//! Icons. They repeat what words say, and screen readers skip them.

use leptos::prelude::*;

/// A Lucide icon, as large as the text around it.
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
