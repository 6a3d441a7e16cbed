//! An instant: in UTC as the server wrote it, then in the reader's own zone and language.

use super::{
    format::{DAY, clock_of},
    use_painted,
};
use crate::{
    domain::{Millis, iso},
    i18n::{Lang, lang},
};
use js_sys::{
    Array, Date, Function,
    Intl::{DateTimeFormat, DateTimeFormatOptions, DateTimeStyle},
};
use leptos::prelude::*;
use std::cell::RefCell;
use wasm_bindgen::JsValue;

/// How an instant is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeStyle {
    /// Hours, minutes, seconds.
    Clock,
    /// Day and time.
    Full,
}

/// A `<time>` in the reader's zone once the page is painted.
#[component]
pub fn LocalTime(
    /// The instant, in epoch milliseconds.
    at: Millis,
    /// The time of day alone, or with the date.
    style: TimeStyle,
) -> impl IntoView {
    // The first formatter that knows time zones takes a browser 20 ms: it waits for the first paint.
    let (painted, lang) = (use_painted(), lang());
    let text = move || match (painted.get(), style) {
        (true, _) => local(at, style, lang),
        (false, TimeStyle::Clock) => utc_clock(at),
        (false, TimeStyle::Full) => utc(at),
    };
    view! { <time datetime=iso(at)>{text}</time> }
}

/// The time of an instant in the reader's own zone. In the browser only, and not before the first paint.
pub fn local_clock(at: Millis) -> String {
    local(at, TimeStyle::Clock, lang())
}

fn local(at: Millis, style: TimeStyle, lang: Lang) -> String {
    // Making a formatter costs a hundred times as much as using it.
    thread_local!(static FORMATS: RefCell<[Option<Function>; 2]> = const { RefCell::new([None, None]) });
    FORMATS.with_borrow_mut(|formats| {
        let format = formats[style as usize].get_or_insert_with(|| {
            let options = DateTimeFormatOptions::new();
            if style == TimeStyle::Full {
                options.set_date_style(DateTimeStyle::Medium);
            }
            options.set_time_style(DateTimeStyle::Medium);
            options.set_hour12(false);
            DateTimeFormat::new(&Array::of1(&lang.tag().into()), &options).format()
        });
        let date = Date::new(&JsValue::from_f64(at as f64));
        format.call1(&JsValue::NULL, &date).ok().and_then(|text| text.as_string()).unwrap_or_default()
    })
}

/// An instant in UTC, as `2026-01-31 23:59:58 UTC`: what the server writes, which does not know the reader's time zone.
pub fn utc(at: Millis) -> String {
    let date = iso(at);
    format!("{} {} UTC", date.split('T').next().unwrap_or_default(), utc_clock(at))
}

/// The time of an instant in UTC, as `23:59:58`.
fn utc_clock(at: Millis) -> String {
    clock_of(at.rem_euclid(DAY as Millis) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_in_utc() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(1_709_251_199_000), "2024-02-29 23:59:59 UTC");
    }
}
