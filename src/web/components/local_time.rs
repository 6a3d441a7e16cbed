//! An instant in the page's time zone, or in UTC while the server does not know the zone.
//!
//! Both sides add the zone's offset and format the result by the same functions. Their texts are identical, whatever
//! the browser and its language.

use crate::components::{
    format::{DAY, clock_of},
    time_zone::page_offset,
    use_painted,
};
use leptos::prelude::*;
use model::{Millis, iso};

/// The format of an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeStyle {
    /// Hours, minutes, seconds.
    Clock,
    /// Day and time.
    Full,
}

/// Shows a `<time>` in the page's zone: immediately if the server knows it, else once the page is painted.
#[component]
pub fn LocalTime(
    /// The instant, in epoch milliseconds.
    at: Millis,
    /// The time of day alone, or with the date.
    style: TimeStyle,
) -> impl IntoView {
    let painted = use_painted();
    let first = first_text(at, style);
    let text = move || if painted.get() { local(at, style) } else { first.clone() };
    view! { <time datetime=iso(at)>{text}</time> }
}

/// Returns a formatter of instants as parts of sentences, in the page's zone; on the server, and until the page is painted,
/// as in a [`LocalTime`].
pub fn use_local_text(style: TimeStyle) -> impl Fn(Millis) -> String + Copy + Send + Sync + 'static {
    let painted = use_painted();
    move |at| if painted.get() { local(at, style) } else { first_text(at, style) }
}

/// Returns the server's text, which stays until the page is painted.
#[cfg(feature = "ssr")]
fn first_text(at: Millis, style: TimeStyle) -> String {
    match (crate::components::time_zone::server_offset(at), style) {
        (Some(offset), _) => written(at + offset, style),
        (None, TimeStyle::Clock) => written(at, style),
        (None, TimeStyle::Full) => utc(at),
    }
}

/// Returns the browser's text until the page is painted: none, as hydration keeps the server's text. The browser cannot
/// know whether that text is right, as the reader may have travelled since the cookie was set. It is therefore always
/// replaced; if it was right, nothing changes visibly.
#[cfg(not(feature = "ssr"))]
fn first_text(_at: Millis, _style: TimeStyle) -> String {
    String::new()
}

/// Returns an instant as a time of day in the page's zone. In the browser only, and not before the first paint.
pub fn local_clock(at: Millis) -> String {
    local(at, TimeStyle::Clock)
}

/// Returns a formatter of instants as hours and minutes in the page's zone, on the server in the zone that it knows.
pub fn use_minutes() -> impl Fn(Millis) -> String + Copy + Send + Sync + 'static {
    let (painted, first) = (use_painted(), first_offset());
    move |at| {
        let offset = if painted.get() { page_offset(at) } else { first };
        written(at + offset, TimeStyle::Clock)[..5].to_owned()
    }
}

/// Returns the lead of the server's clocks over UTC; the browser does not know it.
#[cfg(feature = "ssr")]
fn first_offset() -> Millis {
    use crate::components::{document_time, time_zone::server_offset};
    document_time().and_then(server_offset).unwrap_or(0)
}

#[cfg(not(feature = "ssr"))]
fn first_offset() -> Millis {
    0
}

fn local(at: Millis, style: TimeStyle) -> String {
    written(at + page_offset(at), style)
}

/// Returns an instant in UTC, as `2026-01-31 23:59:58 UTC`: the server's text if it does not know the reader's time
/// zone.
pub fn utc(at: Millis) -> String {
    format!("{} UTC", written(at, TimeStyle::Full))
}

/// Returns an instant by clocks in UTC, as `23:59:58` or `2026-01-31 23:59:58`.
fn written(at: Millis, style: TimeStyle) -> String {
    let clock = clock_of(at.rem_euclid(DAY as Millis) as u64);
    match style {
        TimeStyle::Clock => clock,
        TimeStyle::Full => format!("{} {clock}", iso(at).split('T').next().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_in_utc() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(1_709_251_199_000), "2024-02-29 23:59:59 UTC");
        assert_eq!(written(1_709_251_199_000, TimeStyle::Clock), "23:59:59");
    }
}
