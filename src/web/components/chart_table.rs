//! The figures of a chart as a table, for those who cannot see it or want to read them.

use crate::i18n;
use leptos::{ev, html, prelude::*};
use leptos_use_event_listener::use_event_listener;
use std::hash::Hash;

/// A table that the reader opens. While it is closed, it stays as it was, as its chart may change many times a second. It
/// comes with the page, because without a script it can be opened all the same.
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
    T: Clone + PartialEq + Send + Sync + 'static,
    K: Eq + Hash + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let name = i18n::words().as_table;
    let details = NodeRef::new();
    let is_open = use_is_open(details);
    let rows = Memo::new(move |last: Option<&Vec<T>>| match last {
        Some(last) if !is_open.get() => last.clone(),
        _ => rows(),
    });
    view! {
        <details node_ref=details>
            <summary>{name}</summary>
            <div class="scroll" tabindex="0" role="group" aria-label=name>
                <table>
                    <thead>
                        <tr>{move || head.run()}</tr>
                    </thead>
                    <tbody>
                        <For each=move || rows.get() key children=row />
                    </tbody>
                </table>
            </div>
            {move || remark.get().map(|remark| view! { <p class="aside">{remark}</p> })}
        </details>
    }
}

/// Whether this element is open; also if the reader opened it before the browser took over.
pub fn use_is_open(details: NodeRef<html::Details>) -> Signal<bool> {
    let is_open = RwSignal::new(false);
    let look = move || is_open.set(details.get_untracked().is_some_and(|details| details.open()));
    Effect::new(move || {
        details.track();
        look();
    });
    _ = use_event_listener(details, ev::toggle, move |_| look());
    is_open.into()
}
