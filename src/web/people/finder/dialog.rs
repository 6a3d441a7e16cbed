//! The dialog that finds: a combobox whose list has the results. The focus stays in the box; the arrow keys move through
//! the list, and Enter follows what they are at.

use crate::{
    base_path::under_base,
    components::{Button, Icon, LoadAlert, are_page_keys_on, use_latest_answer},
    people::{
        api,
        finder::{
            PageName,
            choices::{Choice, choices},
            close, open,
        },
        words::words,
    },
};
use leptos::{
    ev::{KeyboardEvent, MouseEvent},
    html,
    prelude::*,
};
use leptos_use_signal_debounce_throttle::signal_debounced;
use model::{
    check_id,
    error::{Error, Result},
    ledger::Found,
    url::link_rel,
};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition};

/// The time without a key after which the server is asked, in milliseconds.
const PATIENCE_MS: f64 = 120.0;
/// The id of the list.
const LIST: &str = "find-results";

/// Shows the dialog, once it is opened.
#[component]
pub fn FindDialog(
    /// The dialog, which others open.
    dialog: NodeRef<html::Dialog>,
    /// The list of the keys.
    keys: NodeRef<html::Dialog>,
    /// The pages that can be found.
    pages: Vec<PageName>,
) -> impl IntoView {
    let words = words();
    let typed = RwSignal::new(String::new());
    // What was found last, and why nothing could be.
    let found = RwSignal::new(Found::default());
    let error = RwSignal::new(None::<Error>);
    let asked: Signal<String> = signal_debounced(typed, PATIENCE_MS);
    let question = Memo::new(move |_| asked.with(|text| text.trim().to_owned()));
    let latest = use_latest_answer(question, look_up, move |answer: Result<Found>| {
        error.set(answer.as_ref().err().cloned());
        found.set(answer.unwrap_or_default());
    });
    let pages = StoredValue::new(pages);
    let shown = Memo::new(move |_| {
        let text = typed.with(|text| text.trim().to_owned());
        found.with(|found| pages.with_value(|pages| choices(&text, found, pages)))
    });
    // The number of the result that Enter follows.
    let active = RwSignal::new(0_usize);
    Effect::watch(move || shown.with(Vec::len), move |_, _, _| active.set(0), false);
    let is_settled =
        move || !latest.is_pending() && typed.with(|typed| question.with(|question| typed.trim() == question));
    // Enter was pressed before the answer was there: it follows the first result of the text as it is.
    let is_entered = RwSignal::new(false);
    let follow = move || {
        if let Some(option) = option(active.get_untracked()) {
            option.click();
        }
    };
    Effect::new(move || {
        if is_entered.get() && is_settled() {
            is_entered.set(false);
            request_animation_frame(follow);
        }
    });
    let on_key = move |event: KeyboardEvent| {
        let count = shown.with_untracked(Vec::len);
        match event.key().as_str() {
            _ if event.is_composing() => return,
            "ArrowDown" if count > 0 => active.update(|active| *active = (*active + 1) % count),
            "ArrowUp" if count > 0 => active.update(|active| *active = (*active + count - 1) % count),
            "Enter" if untrack(is_settled) => follow(),
            "Enter" => is_entered.set(true),
            _ => return,
        }
        event.prevent_default();
        scroll_to(active.get_untracked());
    };
    // A press beside the dialog closes it.
    let on_press = move |event: MouseEvent| {
        if event.target() == event.current_target() {
            close(dialog);
        }
    };
    let go = move |event: MouseEvent| {
        // Such a click opens another tab or window at most.
        if !(event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key()) {
            close(dialog);
            // So that the page to come gets the focus.
            let focused = document().active_element().and_then(|element| element.dyn_into::<HtmlElement>().ok());
            _ = focused.map(|element| element.blur());
        }
    };
    let announced = move || {
        let is_asked = typed.with(|typed| !typed.trim().is_empty());
        (is_asked && is_settled()).then(|| (words.found)(shown.with(Vec::len)))
    };
    let hint = move || {
        let is_empty = typed.with(|typed| typed.trim().is_empty());
        match (is_empty, shown.with(Vec::is_empty)) {
            (true, _) => Some(words.type_something),
            (false, true) if is_settled() && error.read().is_none() => Some(words.nothing_found),
            _ => None,
        }
    };
    let are_keys_on = are_page_keys_on();
    view! {
        <dialog
            class="finder"
            aria-label=words.find
            node_ref=dialog
            on:click=on_press
            on:close=move |_| {
                // It comes in the next frame. By then, the dialog may be open again, with another text.
                if dialog.get_untracked().is_none_or(|dialog| !dialog.open()) {
                    is_entered.set(false);
                    typed.set(String::new());
                }
            }
        >
            <div class="panel">
                <div class="bar">
                    <Icon icon=icondata_lu::LuSearch />
                    <input
                        type="text"
                        role="combobox"
                        aria-label=words.find_label
                        placeholder=words.find_label
                        aria-autocomplete="list"
                        aria-expanded=move || (!shown.with(Vec::is_empty)).to_string()
                        aria-controls=LIST
                        aria-activedescendant=move || {
                            (!shown.with(Vec::is_empty)).then(|| option_id(active.get()))
                        }
                        autocomplete="off"
                        autocapitalize="off"
                        spellcheck="false"
                        prop:value=typed
                        on:input:target=move |event| {
                            is_entered.set(false);
                            typed.set(event.target().value());
                        }
                        on:keydown=on_key
                    />
                    <Button class="quiet" on_click=move || close(dialog) {..} aria-label=words.close title=words.close>
                        <Icon icon=icondata_lu::LuX />
                    </Button>
                </div>
                <LoadAlert error />
                <p class="aside">{hint}</p>
                <div class="unseen" role="status">
                    {announced}
                </div>
                <div
                    role="listbox"
                    id=LIST
                    class="results"
                    aria-label=words.results
                    hidden=move || shown.with(Vec::is_empty)
                    on:click=go
                >
                    {move || groups(&shown.get(), active)}
                </div>
                <Show when=move || are_keys_on.get()>
                    <p class="aside">
                        <Button
                            class="quiet"
                            on_click=move || {
                                close(dialog);
                                open(keys);
                            }
                        >
                            <kbd>"?"</kbd>
                            {words.key_list}
                        </Button>
                    </p>
                </Show>
            </div>
        </dialog>
    }
}

/// Asks the server what begins with a text.
async fn look_up(text: String) -> Result<Found> {
    // Nothing has an empty id, or one that is too long.
    if check_id("q", &text).is_err() {
        return Ok(Found::default());
    }
    api::find(text).await
}

/// Returns the options in their groups.
fn groups(choices: &[Choice], active: RwSignal<usize>) -> impl IntoView + use<> {
    let mut number = 0;
    let group = |choices: &[Choice]| {
        let options = choices.iter().map(|choice| {
            number += 1;
            view! { <ChoiceOption choice=choice.clone() number=number - 1 active /> }
        });
        let options = options.collect_view();
        let name = choices[0].group;
        view! {
            <div role="group" aria-label=name>
                <p class="group-name" aria-hidden="true">
                    {name}
                </p>
                {options}
            </div>
        }
    };
    choices.chunk_by(|one, other| one.group == other.group).map(group).collect_view()
}

#[component]
fn ChoiceOption(
    /// The result.
    choice: Choice,
    /// Its number in the list.
    number: usize,
    /// The number of the result that Enter follows.
    active: RwSignal<usize>,
) -> impl IntoView {
    let Choice { name, detail, url, .. } = choice;
    let rel = link_rel(&url);
    view! {
        <a
            role="option"
            id=option_id(number)
            class="choice"
            href=under_base(url)
            rel=rel
            tabindex="-1"
            aria-selected=move || (active.get() == number).to_string()
            on:pointermove=move |_| {
                if active.get_untracked() != number {
                    active.set(number);
                }
            }
        >
            <span class="name" translate="no">
                {name}
            </span>
            <span class="aside" translate="no">
                {detail}
            </span>
        </a>
    }
}

fn option_id(number: usize) -> String {
    format!("find-{number}")
}

fn option(number: usize) -> Option<HtmlElement> {
    document().get_element_by_id(&option_id(number))?.dyn_into().ok()
}

fn scroll_to(number: usize) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    if let Some(option) = option(number) {
        option.scroll_into_view_with_scroll_into_view_options(&options);
    }
}
