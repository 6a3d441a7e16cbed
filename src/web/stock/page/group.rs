//! The group of a sale: its name and its other sales among the terms, and the items of these in the reader's attempt.

use crate::{
    components::{Definition, SaleLink},
    stock::{page::Sale, words::words},
};
use leptos::prelude::*;
use model::stock::{ALSO, INFO, quantity_field};

/// Returns the other sales of the group. New ones appear while the page is open.
fn use_others(sale: Sale) -> Memo<Vec<String>> {
    Memo::new(move |_| sale.read(|sale| sale.group.as_ref().map_or_else(Vec::new, |group| group.others.clone())))
}

/// Names the group, with links to its other sales. Nothing for a sale without one.
#[component]
pub fn GroupTerm(
    /// The sale, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let id = sale.snapshot.with_untracked(|sale| sale.group.as_ref().map(|group| group.id.clone()));
    let others = use_others(sale);
    id.map(|id| {
        view! {
            <Definition term=words().in_group>
                <span translate="no">{id}</span>
                <For each=move || others.get() key=String::clone let:other>
                    " · "
                    <SaleLink kind=INFO.id sale=other />
                </For>
            </Definition>
        }
    })
}

/// The fields of the reader's attempt for items of the other sales of the group.
#[component]
pub fn GroupItems(
    /// The sale, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let words = words();
    let others = use_others(sale);
    let item = move |other: String| {
        view! {
            <div>
                <label class="choice">
                    <input type="checkbox" name=ALSO value=other.clone() />
                    <span translate="no">{other.clone()}</span>
                </label>
                <input
                    type="text"
                    inputmode="numeric"
                    autocomplete="off"
                    name=quantity_field(&other)
                    value="1"
                    aria-label=(words.wanted_of)(&other)
                />
            </div>
        }
    };
    view! {
        <fieldset class="group-items" hidden=move || others.read().is_empty()>
            <legend>{words.also}</legend>
            <For each=move || others.get() key=String::clone children=item />
        </fieldset>
    }
}
