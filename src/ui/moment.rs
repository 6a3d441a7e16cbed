//! An instant on the page: in UTC as the server wrote it, then in the reader's own zone and way.

use super::{
    format,
    node::{El, el, live},
    platform::{self, Style},
    ready::ready,
};
use crate::{nodes, sales::Millis, words::lang};
use leptos::prelude::*;

pub fn moment(at: Millis, style: Style) -> El {
    let (ready, lang) = (ready(), lang());
    let text = move || match (ready.get(), style) {
        (true, _) => platform::written(at, style, lang),
        (false, Style::Clock) => format::utc_clock(at),
        (false, Style::Full) => format::utc(at),
    };
    el("time").attr("datetime", format::iso(at)).with(nodes![live(text)])
}
