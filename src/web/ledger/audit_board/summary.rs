//! The whole board in one line: how many sales hold, and what the others are.

use crate::{components::format::count, i18n, ledger::words::words};
use leptos::prelude::*;
use model::{Verdict, ledger::Board};

/// How many of the newest sales hold, whatever the filter shows.
#[component]
pub fn Summary(
    /// The newest sales, whatever the filter hides.
    board: RwSignal<Board>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let number = move |wanted: Option<Verdict>| {
        let found = move |board: &Board| {
            let verdicts = board.sales.iter().map(|sale| sale.audit.as_ref().map(|audit| audit.verdict));
            verdicts.filter(|verdict| *verdict == wanted).count() as u64
        };
        Memo::new(move |_| board.with(found))
    };
    let all = Memo::new(move |_| board.with(|board| board.sales.len() as u64));
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
