//! A button that copies text to the clipboard.

use super::{Button, Icon};
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
    let UseClipboardReturn { copied, copy, .. } = use_clipboard();
    view! {
        <Button class="quiet" on_click=move || copy(&text) {..} aria-label=label title=label>
            <Icon icon=icondata_lu::LuCopy />
        </Button>
        <span class="said" role="status">
            {move || copied.get().then_some(words().copied)}
        </span>
    }
}
