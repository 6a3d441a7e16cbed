//! Tables of the newest attempts, on the page of a sale of any kind.

use super::words::words;
use crate::{
    components::{LocalTime, TimeStyle},
    domain::{DeclinedAttempt, Millis},
    i18n,
};
use leptos::prelude::*;

/// A table of attempts, newest first, whose rows are `AttemptRow`s.
#[component]
pub fn AttemptTable(
    /// The heading, and the name of the table.
    title: &'static str,
    /// Said while there are none.
    empty: &'static str,
    /// Whether there are no rows.
    #[prop(into)]
    is_empty: Signal<bool>,
    /// Headings of the columns after time and user.
    #[prop(into)]
    columns: ViewFnOnce,
    /// The rows.
    children: Children,
) -> impl IntoView {
    let shared = i18n::words();
    view! {
        <h3>{title}</h3>
        <Show when=move || is_empty.get()>
            <p class="empty">{empty}</p>
        </Show>
        <div class="scroll" role="region" aria-label=title tabindex="0">
            <table>
                <thead>
                    <tr>
                        <th scope="col">{shared.time}</th>
                        <th scope="col">{shared.user}</th>
                        {columns.run()}
                    </tr>
                </thead>
                <tbody>{children()}</tbody>
            </table>
        </div>
    }
}

/// An attempt: when, whose, and the cells after that.
#[component]
pub fn AttemptRow(
    /// When it was decided, in epoch milliseconds.
    at: Millis,
    /// Who made it.
    user: String,
    /// Further cells, for the columns of the table.
    children: Children,
) -> impl IntoView {
    view! {
        <tr>
            <td>
                <LocalTime at style=TimeStyle::Clock />
            </td>
            <td class="who" translate="no">
                {user}
            </td>
            {children()}
        </tr>
    }
}

/// The newest attempts that were refused.
#[component]
pub fn RefusedAttempts<O: Copy + Send + Sync + PartialEq + 'static>(
    /// A sample of the refused attempts, newest first.
    attempts: Memo<Vec<DeclinedAttempt<O>>>,
    /// Why, in words.
    reason: fn(O) -> &'static str,
) -> impl IntoView {
    let words = words();
    let row = move |attempt: DeclinedAttempt<O>| {
        view! {
            <AttemptRow at=attempt.at user=attempt.user>
                <td>{reason(attempt.outcome)}</td>
            </AttemptRow>
        }
    };
    view! {
        <AttemptTable
            title=words.refused
            empty=words.none_refused
            is_empty=Signal::derive(move || attempts.with(Vec::is_empty))
            columns=|| view! { <th scope="col">{i18n::words().outcome}</th> }
        >
            <For each=move || attempts.get() key=|attempt| attempt.id.clone() children=row />
        </AttemptTable>
    }
}
