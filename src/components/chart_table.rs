//! The figures of a chart as a table, for those who cannot see it or want to read them.

use super::{use_hydrated, use_is_open};
use crate::i18n;
use leptos::prelude::*;
use std::hash::Hash;

/// A table that the reader opens. It is filled while it is open, as most are not and their charts change many times a
/// second; and on a page that no script has taken over, where it can be opened all the same.
#[component]
pub fn ChartTable<T, K, V>(
    /// The cells of its head.
    #[prop(into)]
    head: ViewFn,
    /// What its rows show.
    rows: impl Fn() -> Vec<T> + Send + Sync + 'static,
    /// What tells one row from another, and changes with what it shows.
    key: impl Fn(&T) -> K + Clone + Send + Sync + 'static,
    /// A row.
    row: impl Fn(T) -> V + Clone + Send + Sync + 'static,
    /// A remark below the rows, if there is one.
    #[prop(into, optional)]
    remark: Signal<Option<String>>,
) -> impl IntoView
where
    T: Send + Sync + 'static,
    K: Eq + Hash + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let name = i18n::words().as_table;
    let details = NodeRef::new();
    let (is_open, hydrated) = (use_is_open(details), use_hydrated());
    let rows = move || if is_open.get() || !hydrated.get() { rows() } else { Vec::new() };
    view! {
        <details node_ref=details>
            <summary>{name}</summary>
            <div class="scroll" tabindex="0" role="group" aria-label=name>
                <table>
                    <thead>
                        <tr>{move || head.run()}</tr>
                    </thead>
                    <tbody>
                        <For each=rows key children=row />
                    </tbody>
                </table>
            </div>
            {move || remark.get().map(|remark| view! { <p class="aside">{remark}</p> })}
        </details>
    }
}
