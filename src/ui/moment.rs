//! An instant on the page: in UTC as the server wrote it, then in the reader's own zone and way.

use super::{
    format,
    platform::{self, Style},
    ready::ready,
};
use crate::{sales::Millis, words::lang};
use leptos::prelude::*;

/// An instant, `Clock` or `Full`.
pub fn moment(at: Millis, style: Style) -> AnyView {
    let (ready, lang) = (ready(), lang());
    let text = move || match (ready.get(), style) {
        (true, _) => platform::written(at, style, lang),
        (false, Style::Clock) => format::utc_clock(at),
        (false, Style::Full) => format::utc(at),
    };
    view! { <time datetime=format::iso(at)>{text}</time> }.into_any()
}
