//! The title of a page that follows signals.

use leptos::{prelude::untrack, text_prop::TextProp};

/// Returns a title for `<Title text=...>` that follows the signals that `text` reads.
///
/// The server writes the head last. By then, the signals of the page may be disposed of, and their places taken by those
/// of another request: even `try_get` would give the title of another reader's page. So it reads them here, once.
pub fn live_title(text: impl Fn() -> String + Send + Sync + 'static) -> TextProp {
    if cfg!(feature = "ssr") { untrack(text).into() } else { text.into() }
}
