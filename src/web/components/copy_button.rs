//! A button that copies text to the clipboard.

use crate::{
    base_path::under_base,
    components::{Button, Icon, use_hydrated},
    i18n::words,
};
use leptos::prelude::*;
use leptos_use_clipboard::{UseClipboardReturn, use_clipboard};

/// Shows a button that copies the link to a page of this site.
#[component]
pub fn CopyLinkButton(
    /// The address, from its path on.
    #[prop(into)]
    url: Signal<String>,
) -> impl IntoView {
    let hydrated = use_hydrated();
    let text = Signal::derive(move || {
        // Where the site is, only the browser knows.
        let origin = if hydrated.get() { location().origin().unwrap_or_default() } else { String::new() };
        format!("{origin}{}", under_base(url.get()))
    });
    view! { <CopyButton label=words().copy_link text /> }
}

/// Shows a button that copies `text` and confirms it. It is hidden if the browser gives this page no clipboard, as on
/// plain HTTP from another machine.
#[component]
pub fn CopyButton(
    /// The label of the button.
    label: &'static str,
    /// The text for the clipboard.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    let UseClipboardReturn { is_supported, copied, copy, .. } = use_clipboard();
    let hydrated = use_hydrated();
    view! {
        <Button
            class="quiet"
            hidden=Signal::derive(move || hydrated.get() && !is_supported.get())
            on_click=move || copy(&text.get_untracked())
            {..}
            aria-label=label
            title=label
        >
            <Icon icon=icondata_lu::LuCopy />
        </Button>
        <span class="said" role="status">
            {move || copied.get().then_some(words().copied)}
        </span>
    }
}
