//! An instant on the page: in UTC as the server wrote it, then in the reader's own zone and way.

use super::{
    format,
    node::{El, el, live},
    platform::{self, Style},
    ready::painted,
};
use crate::{i18n::lang, nodes, sales::Millis};
use leptos::prelude::*;

pub fn moment(at: Millis, style: Style) -> El {
    // The first clock that knows time zones takes a browser 20 ms: as long as a seat map.
    let (painted, lang) = (painted(), lang());
    let text = move || match (painted.get(), style) {
        (true, _) => platform::written(at, style, lang),
        (false, Style::Clock) => format::utc_clock(at),
        (false, Style::Full) => format::utc(at),
    };
    el("time").attr("datetime", format::iso(at)).with(nodes![live(text)])
}
