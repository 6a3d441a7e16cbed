//! The figures of a chart as a table, for readers who cannot see it or want the exact values.

use crate::i18n;
use leptos::{ev, html, prelude::*};
use leptos_use_event_listener::use_event_listener;
use std::hash::Hash;

/// Shows a table that the reader opens. A closed table is not updated, as its chart may change many times a second. It
/// is part of the document, because it can be opened without a script.
#[component]
pub fn ChartTable<T, K, V>(
    /// The cells of the table's head.
    #[prop(into)]
    head: ViewFn,
    /// The data of its rows.
    rows: impl Fn() -> Vec<T> + Send + Sync + 'static,
    /// The key of a row, which changes with the row's contents.
    key: impl Fn(&T) -> K + Clone + Send + Sync + 'static,
    /// Renders a row.
    row: impl Fn(T) -> V + Clone + Send + Sync + 'static,
    /// An optional remark below the rows.
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

/// Returns whether this element is open, even if the reader opened it before hydration.
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
