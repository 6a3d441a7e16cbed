//! Finding a user, a sale, an order, a request, a code or a page, from every page: a dialog with one box, and results as
//! one types. And the list of the keys.

mod choices;
mod dialog;
mod keys;

use crate::{
    components::{Button, Icon, shortcut, use_page_keys},
    people::{
        finder::{dialog::FindDialog, keys::KeysDialog},
        words::words,
    },
};
use leptos::{
    ev::{self, KeyboardEvent},
    html,
    prelude::*,
};
use leptos_use_event_listener::use_event_listener;
use leptos_use_window::use_window;

/// A page that can be found: its path and its name.
pub type PageName = (&'static str, &'static str);

/// Shows the button that opens the dialog. `/` and ⌘K or Ctrl K do the same, and `?` lists the keys.
#[component]
pub fn FindButton(
    /// The pages that can be found.
    pages: Vec<PageName>,
) -> impl IntoView {
    let words = words();
    let (find, keys) = (NodeRef::<html::Dialog>::new(), NodeRef::<html::Dialog>::new());
    use_page_keys(move |key| {
        match key {
            "/" => open(find),
            "?" => open(keys),
            _ => return false,
        }
        true
    });
    _ = use_event_listener(use_window().as_ref().cloned(), ev::keydown, move |event: KeyboardEvent| {
        let is_plain = !event.alt_key() && !event.shift_key() && !event.repeat();
        if is_plain && (event.meta_key() || event.ctrl_key()) && event.key().eq_ignore_ascii_case("k") {
            event.prevent_default();
            close(keys);
            open(find);
        }
    });
    view! {
        <Button
            class="quiet find"
            on_click=move || open(find)
            {..}
            aria-label=words.find
            title=words.find_hint
            aria-haspopup="dialog"
            aria-keyshortcuts=shortcut("/")
        >
            <Icon icon=icondata_lu::LuSearch />
        </Button>
        <FindDialog dialog=find keys pages />
        <KeysDialog dialog=keys />
    }
}

/// Opens a dialog above the page, unless it is open.
fn open(dialog: NodeRef<html::Dialog>) {
    if let Some(dialog) = dialog.get_untracked().filter(|dialog| !dialog.open()) {
        // It fails if the dialog is not in the document, and then there is nothing to open.
        _ = dialog.show_modal();
    }
}

/// Closes a dialog. The focus returns to where it was before.
fn close(dialog: NodeRef<html::Dialog>) {
    if let Some(dialog) = dialog.get_untracked() {
        dialog.close();
    }
}
