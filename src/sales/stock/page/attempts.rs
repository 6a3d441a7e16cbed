//! How attempts went: counted exactly, the newest refused ones, and the newest deductions.

use super::Sale;
use crate::{
    components::{Definition, LocalTime, TimeStyle, format::count},
    i18n,
    sales::stock::{DeclinedAttempt, Deduction, Snapshot, words::words},
};
use leptos::prelude::*;

/// The outcomes of all attempts, and the newest of them.
#[component]
pub fn AttemptCounts(sale: Sale) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let figure = move |term: &'static str, read: fn(&Snapshot) -> u64| {
        view! { <Definition term>{move || count(sale.snapshot.with(read))}</Definition> }
    };
    let refused = Memo::new(move |_| sale.snapshot.with(|sale| sale.declined.clone()));
    let latest = Memo::new(move |_| sale.snapshot.with(|sale| sale.latest.clone()));
    view! {
        <section class="card attempts" aria-labelledby="attempts-title">
            <h2 id="attempts-title">{shared.attempts}</h2>
            <dl class="tiles">
                {figure(shared.attempts, |sale| sale.outcomes.sum())} {figure(words.won, |sale| sale.outcomes.won)}
                {figure(shared.repeat, |sale| sale.outcomes.repeat)}
                {figure(words.not_enough, |sale| sale.outcomes.not_enough)}
                {figure(words.sale_closed_short, |sale| sale.outcomes.closed)}
                {figure(shared.calls, |sale| sale.calls)}
            </dl>
            <h3>{words.refused}</h3>
            <Show when=move || refused.with(Vec::is_empty)>
                <p class="empty">{words.none_refused}</p>
            </Show>
            <div class="scroll" role="region" aria-label=words.refused tabindex="0">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{shared.time}</th>
                            <th scope="col">{shared.user}</th>
                            <th scope="col">{shared.outcome}</th>
                        </tr>
                    </thead>
                    <tbody>
                        <For each=move || refused.get() key=|attempt| attempt.id.clone() children=refused_row />
                    </tbody>
                </table>
            </div>
            <h3>{words.latest}</h3>
            <Show when=move || latest.with(Vec::is_empty)>
                <p class="empty">{words.none_deducted}</p>
            </Show>
            <div class="scroll" role="region" aria-label=words.latest tabindex="0">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{shared.time}</th>
                            <th scope="col">{shared.user}</th>
                            <th scope="col" class="figure">
                                {words.amount}
                            </th>
                            <th scope="col" class="figure">
                                {words.left}
                            </th>
                        </tr>
                    </thead>
                    <tbody>
                        <For
                            each=move || latest.get()
                            key=|deduction| deduction.id.clone()
                            children=deduction_row
                        />
                    </tbody>
                </table>
            </div>
        </section>
    }
}

fn refused_row(attempt: DeclinedAttempt) -> impl IntoView {
    view! {
        <tr>
            <td>
                <LocalTime at=attempt.at style=TimeStyle::Clock />
            </td>
            <td class="who">{attempt.user}</td>
            <td>{(words().declined)(attempt.outcome)}</td>
        </tr>
    }
}

fn deduction_row(deduction: Deduction) -> impl IntoView {
    view! {
        <tr>
            <td>
                <LocalTime at=deduction.at style=TimeStyle::Clock />
            </td>
            <td class="who">{deduction.user}</td>
            <td class="figure">{count(deduction.quantity)}</td>
            <td class="figure">{count(deduction.left)}</td>
        </tr>
    }
}
