//! The forms that open a sale, one of them visible.

use crate::{KINDS, kind_of};
use crate::{
    components::{Button, Icon, keep_in_tab},
    kind::Registration,
    list::words::words,
};
use leptos::{html, prelude::*};

/// Shows the form that opens a sale of the chosen kind.
#[component]
pub fn OpenSale(
    /// The initially chosen kind.
    chosen: Option<String>,
    /// The title, which is focusable.
    title: NodeRef<html::H2>,
) -> impl IntoView {
    let words = words();
    // An address that asks for another kind shows its form, whatever was chosen before.
    let key = format!("open-kind:{}", chosen.as_deref().unwrap_or_default());
    let first = chosen.and_then(|kind| kind_of(&kind)).unwrap_or(&KINDS[0]);
    let chosen = RwSignal::new(first.info.id);
    let restore = move |kind: String| {
        if let Some(entry) = kind_of(&kind) {
            chosen.set(entry.info.id);
        }
    };
    keep_in_tab(key, move || chosen.get().to_owned(), restore);
    let choice = move |entry: &'static Registration| {
        let id = entry.info.id;
        view! {
            <Button on_click=move || chosen.set(id) {..} aria-pressed=move || (chosen.get() == id).to_string()>
                {(entry.pages.words)().name}
            </Button>
        }
    };
    view! {
        <section class="card open" aria-labelledby="open-title">
            <div class="bar">
                <h2 id="open-title" tabindex="-1" node_ref=title>
                    <Icon icon=icondata_lu::LuPlus />
                    {words.open_title}
                </h2>
                <div class="group" role="group" aria-label=words.filter_kind>
                    {KINDS.iter().map(choice).collect_view()}
                </div>
            </div>
            // Keyed: another kind's form has its own fields, and adopts no typed text.
            <For each=move || kind_of(chosen.get()) key=|entry| entry.info.id let:entry>
                {(entry.pages.open_form)()}
            </For>
        </section>
    }
}
