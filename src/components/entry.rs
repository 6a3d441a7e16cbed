//! One entry of a list that is loaded again and again.

use leptos::prelude::*;

/// The entry that `find` looks up in a list, which it reads from a signal. One that is no longer there stays as it was
/// last, until whatever shows it is gone; `first` is how it was when that was made.
pub fn use_entry<T>(first: T, find: impl Fn() -> Option<T> + Send + Sync + 'static) -> Memo<T>
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    Memo::new(move |last: Option<&T>| find().unwrap_or_else(|| last.unwrap_or(&first).clone()))
}
