//! The reader's time zone, which only the browser knows. It keeps the zone's name in a cookie, so that from the second page
//! on the server writes times as the browser does, and nothing changes when the browser takes over.

use crate::{components::hydrated::use_painted, cookie::use_kept};
use js_sys::{
    Array,
    Intl::{DateTimeFormat, DateTimeFormatOptions},
    Reflect,
};
use leptos::prelude::*;

/// The zone in which the server writes times.
#[cfg(feature = "ssr")]
#[derive(Clone)]
struct ServerZone(jiff::tz::TimeZone);

/// Keeps the name of the browser's zone, and on the server makes [`server_offset`] known to everything below.
pub fn provide_time_zone() {
    let (kept, keep) = use_kept::<String>("time_zone");
    #[cfg(feature = "ssr")]
    if let Some(zone) = kept.get_untracked().and_then(|name| jiff::tz::TimeZone::get(&name).ok()) {
        provide_context(ServerZone(zone));
    }
    let painted = use_painted();
    Effect::new(move || {
        // The first formatter that knows time zones takes a browser 20 ms: it waits for the first paint.
        if painted.get() {
            let name = browser_zone();
            if kept.get_untracked() != name {
                keep.set(name);
            }
        }
    });
}

/// How far clocks in the reader's zone are ahead of UTC at this instant, in milliseconds. `None` where the server does not
/// know the zone: no browser has named it yet, or by a name that is in no database.
#[cfg(feature = "ssr")]
pub fn server_offset(at: model::Millis) -> Option<model::Millis> {
    let ServerZone(zone) = use_context()?;
    let at = jiff::Timestamp::from_millisecond(at).ok()?;
    Some(i64::from(zone.to_offset(at).seconds()) * 1_000)
}

/// The name of the browser's zone: `Europe/Berlin`
pub fn browser_zone() -> Option<String> {
    let options = DateTimeFormat::new(&Array::new(), &DateTimeFormatOptions::new()).resolved_options();
    Reflect::get(&options, &"timeZone".into()).ok()?.as_string()
}
