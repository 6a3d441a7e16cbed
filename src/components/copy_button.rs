//! A button that copies text to the clipboard.

use super::{Icon, use_hydrated};
use crate::i18n::words;
use leptos::prelude::*;
use leptos_use_clipboard::{UseClipboardReturn, use_clipboard};

/// A button that copies `text` and says so.
#[component]
pub fn CopyButton(
    /// What the button is called.
    label: &'static str,
    /// What goes to the clipboard.
    text: String,
) -> impl IntoView {
    let hydrated = use_hydrated();
    let UseClipboardReturn { copied, copy, .. } = use_clipboard();
    view! {
        <button
            type="button"
            class="quiet"
            aria-label=label
            title=label
            disabled=move || !hydrated.get()
            on:click=move |_| copy(&text)
        >
            <Icon icon=icondata_lu::LuCopy />
        </button>
        <span class="said" role="status">
            {move || copied.get().then_some(words().copied)}
        </span>
    }
}
