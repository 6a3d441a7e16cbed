//! Lists that change while somebody reads them.

use leptos::{ev, html, prelude::*};
use leptos_use_event_listener::use_event_listener;

/// Returns whether the reader points at one of the rows or has the focus in it.
pub fn use_attention(rows: NodeRef<html::Div>) -> Memo<bool> {
    // Two signals: the pointer may leave while the focus stays.
    let (is_pointed_at, is_focused) = (RwSignal::new(false), RwSignal::new(false));
    _ = use_event_listener(rows, ev::pointerenter, move |_| is_pointed_at.set(true));
    _ = use_event_listener(rows, ev::pointerleave, move |_| is_pointed_at.set(false));
    _ = use_event_listener(rows, ev::focusin, move |_| is_focused.set(true));
    _ = use_event_listener(rows, ev::focusout, move |_| is_focused.set(false));
    Memo::new(move |_| is_pointed_at.get() || is_focused.get())
}

/// Returns the latest rows; while `is_frozen`, the rows from when it became true.
pub fn use_frozen<T>(rows: Memo<Vec<T>>, is_frozen: Memo<bool>) -> Memo<Vec<T>>
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    Memo::new(move |shown: Option<&Vec<T>>| match (is_frozen.get(), shown) {
        (true, Some(shown)) => shown.clone(),
        _ => rows.get(),
    })
}

/// Returns the entry that `find` looks up in a list, which it reads from a signal. An entry that leaves the list keeps
/// its last state for as long as it is shown. `first` is its initial state.
pub fn use_entry<T>(first: T, find: impl Fn() -> Option<T> + Send + Sync + 'static) -> Memo<T>
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    Memo::new(move |last: Option<&T>| find().unwrap_or_else(|| last.unwrap_or(&first).clone()))
}
