//! The forms that open a sale, one of them visible.

use crate::{KINDS, kind_of};
use crate::{
    base_path::use_navigate,
    components::{Button, Icon, focus_next_frame, keep_in_tab},
    kind::Registration,
    list::words::words,
    open_form::LikeSale,
};
use leptos::{html, prelude::*};
use leptos_router::NavigateOptions;
use model::{error::Error, ledger::SaleName};

/// Shows the form that opens a sale of the chosen kind.
#[component]
pub fn OpenSale(
    /// The initially chosen kind.
    chosen: Option<String>,
    /// The sale in the address whose terms the form is filled in with.
    like: Memo<Option<SaleName>>,
    /// The address without it.
    list_url: Signal<String>,
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
    // After what is kept: the address asks for another form.
    Effect::new(move || {
        if let Some(kind) = like.with(|like| like.as_ref().and_then(|like| kind_of(&like.kind))) {
            chosen.set(kind.info.id);
        }
    });
    let navigate = use_navigate();
    provide_context(LikeSale {
        sale: like,
        load: Callback::new(|SaleName { kind, sale }: SaleName| match kind_of(&kind) {
            Some(kind) => (kind.pages.fields_like)(sale),
            None => Box::pin(async move { Err(Error::unknown_kind(&kind, KINDS.iter().map(|kind| kind.info.id))) }),
        }),
        // What is changed then must not be filled in again when the page is loaded anew.
        done: Callback::new(move |()| {
            let options = NavigateOptions { replace: true, scroll: false, ..NavigateOptions::default() };
            navigate(&list_url.get_untracked(), options);
            focus_next_frame(title);
        }),
    });
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
