//! The whole board in one line: how many sales hold, and what the others are.

use crate::{components::format::count, i18n, ledger::words::words};
use leptos::prelude::*;
use model::{Verdict, ledger::Board};

/// How many of all sales hold, whatever the page and the filter show.
#[component]
pub fn Summary(
    /// The board, with the counts of all sales.
    board: RwSignal<Board>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let number = move |wanted: Option<Verdict>| Memo::new(move |_| board.with(|board| board.counts.get(wanted)));
    let all = Memo::new(move |_| board.with(|board| board.counts.all()));
    let holding = number(Some(Verdict::Holds));
    let others = [Some(Verdict::Broken), Some(Verdict::Unknown), None].map(|verdict| {
        let (number, name) = (number(verdict), verdict.map_or(words.not_audited, shared.verdict));
        let class = if verdict == Some(Verdict::Broken) { "broken" } else { "" };
        move || (number.get() > 0).then(|| view! { <li class=class>{name} ": " {count(number.get())}</li> })
    });
    view! {
        <Show when=move || { all.get() > 0 }>
            <div class="summary">
                <b>{move || (words.hold_of)(holding.get(), all.get())}</b>
                <ul>{others.collect_view()}</ul>
            </div>
        </Show>
    }
}
