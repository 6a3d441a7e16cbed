//! The reader's time zone, which only the browser knows. A cookie keeps its name. From the second page on, the server
//! thus writes the same times as the browser, and hydration changes nothing.

use crate::{components::hydrated::use_painted, cookie::use_kept};
use js_sys::{
    Array,
    Intl::{DateTimeFormat, DateTimeFormatOptions},
    Reflect,
};
use leptos::prelude::*;

/// The zone of the times that the server writes.
#[cfg(feature = "ssr")]
#[derive(Clone)]
struct ServerZone(jiff::tz::TimeZone);

/// Keeps the name of the browser's zone. On the server, provides [`server_offset`] to all descendants.
pub fn provide_time_zone() {
    let (kept, keep) = use_kept::<String>("time_zone");
    #[cfg(feature = "ssr")]
    if let Some(zone) = kept.get_untracked().and_then(|name| jiff::tz::TimeZone::get(&name).ok()) {
        provide_context(ServerZone(zone));
    }
    let painted = use_painted();
    Effect::new(move || {
        // The first formatter with time zones takes a browser 20 ms, so it waits for the first paint.
        if painted.get() {
            let name = browser_zone();
            if kept.get_untracked() != name {
                keep.set(name);
            }
        }
    });
}

/// Returns the lead of clocks in the reader's zone over UTC at this instant, in milliseconds. `None` if the server does
/// not know the zone: no browser has named it yet, or its name is in no database.
#[cfg(feature = "ssr")]
pub fn server_offset(at: model::Millis) -> Option<model::Millis> {
    let ServerZone(zone) = use_context()?;
    let at = jiff::Timestamp::from_millisecond(at).ok()?;
    Some(i64::from(zone.to_offset(at).seconds()) * 1_000)
}

/// Returns the name of the browser's zone: `Europe/Berlin`
pub fn browser_zone() -> Option<String> {
    let options = DateTimeFormat::new(&Array::new(), &DateTimeFormatOptions::new()).resolved_options();
    Reflect::get(&options, &"timeZone".into()).ok()?.as_string()
}
