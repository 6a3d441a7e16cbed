//! The list of the keys that act on pages as a whole.

use crate::{
    components::{Button, Icon, are_page_keys_on},
    people::{finder::close, words::words},
};
use leptos::{ev::MouseEvent, html, prelude::*};

/// Shows the list, once it is opened.
#[component]
pub fn KeysDialog(
    /// The dialog, which others open.
    dialog: NodeRef<html::Dialog>,
) -> impl IntoView {
    let words = words();
    let keys = [
        (&["/", "Ctrl K", "⌘ K"][..], words.key_find),
        (&["?"], words.key_help),
        (&["f"], words.key_present),
        (&["Space"], words.key_play),
        (&["r"], words.key_again),
        (&["Esc"], words.key_close),
    ];
    let are_on = are_page_keys_on();
    // A press beside the dialog closes it.
    let on_press = move |event: MouseEvent| {
        if event.target() == event.current_target() {
            close(dialog);
        }
    };
    let entry = |(keys, meaning): (&[&'static str], &'static str)| {
        view! {
            <div>
                <dt>{keys.iter().map(|key| view! { <kbd>{*key}</kbd> " " }).collect_view()}</dt>
                <dd>{meaning}</dd>
            </div>
        }
    };
    view! {
        <dialog class="finder" aria-labelledby="keys-title" node_ref=dialog on:click=on_press>
            <div class="panel">
                <div class="bar">
                    <h2 id="keys-title">{words.key_list}</h2>
                    <Button class="quiet" on_click=move || close(dialog) {..} aria-label=words.close title=words.close>
                        <Icon icon=icondata_lu::LuX />
                    </Button>
                </div>
                <dl class="keys">{keys.map(entry).collect_view()}</dl>
                <Show when=move || !are_on.get()>
                    <p class="aside">{words.keys_off}</p>
                </Show>
            </div>
        </dialog>
    }
}
