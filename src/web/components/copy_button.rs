//! A button that copies text to the clipboard.

use crate::{
    components::{Button, Icon, use_hydrated},
    i18n::words,
};
use leptos::prelude::*;
use leptos_use_clipboard::{UseClipboardReturn, use_clipboard};

/// A button that copies `text` and says so; hidden where the browser has no clipboard for this page, as on plain HTTP from
/// another machine.
#[component]
pub fn CopyButton(
    /// What the button is called.
    label: &'static str,
    /// What goes to the clipboard.
    text: String,
) -> impl IntoView {
    let UseClipboardReturn { is_supported, copied, copy, .. } = use_clipboard();
    let hydrated = use_hydrated();
    view! {
        <Button
            class="quiet"
            hidden=Signal::derive(move || hydrated.get() && !is_supported.get())
            on_click=move || copy(&text)
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
