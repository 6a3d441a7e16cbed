//! The time zone of all times on a page: the reader's own, which only the browser knows, or UTC. Cookies keep the name of
//! the one and the choice. From the second page on, the server thus writes the same times as the browser, and hydration
//! changes nothing.

#[cfg(feature = "ssr")]
use crate::components::document_time;
use crate::{
    components::{Button, clock::server_now, hydrated::use_painted},
    cookie::use_kept,
    i18n::words,
};
use js_sys::{
    Array, Date,
    Intl::{DateTimeFormat, DateTimeFormatOptions},
    Reflect,
};
use leptos::prelude::*;
use model::Millis;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use wasm_bindgen::JsValue;

/// The cookie of the choice. Its value is [`UTC`]; any other stands for the reader's own zone.
const CHOICE: &str = "times";
const UTC: &str = "UTC";
const OWN: &str = "own";
const MINUTE: Millis = 60_000;
const HALF_A_YEAR: Millis = 182 * 24 * 60 * MINUTE;

/// Whether the browser shows times in UTC. A document has one zone: another choice reloads it.
static IN_UTC: AtomicBool = AtomicBool::new(false);

/// The zone of the times that the server writes.
#[cfg(feature = "ssr")]
#[derive(Clone)]
struct ServerZone(jiff::tz::TimeZone);

/// Keeps the name of the browser's zone. On the server, provides [`server_offset`] to all descendants.
pub fn provide_time_zone() {
    let (kept, keep) = use_kept::<String>("time_zone");
    let (choice, _) = use_kept::<String>(CHOICE);
    let in_utc = choice.with_untracked(|choice| choice.as_deref() == Some(UTC));
    #[cfg(feature = "ssr")]
    if let Some(zone) = if in_utc { Some(UTC.to_owned()) } else { kept.get_untracked() }
        .and_then(|name| jiff::tz::TimeZone::get(&name).ok())
    {
        provide_context(ServerZone(zone));
    }
    let painted = use_painted();
    Effect::new(move || {
        IN_UTC.store(in_utc, Relaxed);
        // The first formatter with time zones takes a browser 20 ms, so it waits for the first paint.
        if painted.get() {
            let name = browser_zone();
            if kept.get_untracked() != name {
                keep.set(name);
            }
        }
    });
}

/// Returns the lead of clocks in the page's zone over UTC at this instant, in milliseconds. `None` if the server does
/// not know the zone: no browser has named it yet, or its name is in no database.
#[cfg(feature = "ssr")]
pub fn server_offset(at: Millis) -> Option<Millis> {
    let ServerZone(zone) = use_context()?;
    let at = jiff::Timestamp::from_millisecond(at).ok()?;
    Some(i64::from(zone.to_offset(at).seconds()) * 1_000)
}

/// Returns whether the reader chose UTC. In the browser only.
pub fn is_in_utc() -> bool {
    IN_UTC.load(Relaxed)
}

/// Returns the lead of clocks in the page's zone over UTC at an instant, in milliseconds. In the browser only.
pub fn page_offset(at: Millis) -> Millis {
    if is_in_utc() { 0 } else { own_offset(at) }
}

fn own_offset(at: Millis) -> Millis {
    let minutes_behind = Date::new(&JsValue::from_f64(at as f64)).get_timezone_offset();
    minutes_behind as Millis * -MINUTE
}

/// Returns the name of the page's zone: `Europe/Berlin`. In the browser only.
pub fn page_zone() -> String {
    if is_in_utc() { UTC.to_owned() } else { browser_zone().unwrap_or_default() }
}

/// Returns the name of the browser's zone.
fn browser_zone() -> Option<String> {
    let options = DateTimeFormat::new(&Array::new(), &DateTimeFormatOptions::new()).resolved_options();
    Reflect::get(&options, &"timeZone".into()).ok()?.as_string()
}

/// Shows how far the page's zone is ahead of UTC. A button, which changes between the reader's own zone and UTC, where
/// the two differ.
#[component]
pub fn TimeZoneSwitch() -> impl IntoView {
    let words = words();
    let (choice, choose) = use_kept::<String>(CHOICE);
    // Runs after `use_cookie`'s own effect has written the cookie; in other tabs, when the cookie's channel reports the
    // change.
    Effect::watch(
        move || choice.get(),
        |choice, _, _| {
            if (choice.as_deref() == Some(UTC)) != is_in_utc() {
                _ = window().location().reload();
            }
        },
        false,
    );
    let painted = use_painted();
    let first = first_label();
    let label = move || if painted.get() { offset_label(page_offset(server_now())) } else { first.clone() };
    // A zone may be that of UTC in winter.
    let is_own_utc = || [0, HALF_A_YEAR].iter().all(|later| own_offset(server_now() + later) == 0);
    let is_fixed = Memo::new(move |_| !painted.get() || (!is_in_utc() && is_own_utc()));
    let title = move || {
        painted.get().then(|| {
            let other = match (is_fixed.get(), is_in_utc()) {
                (true, _) => "",
                (false, true) => words.show_own_times,
                (false, false) => words.show_utc,
            };
            format!("{}{other}", (words.times_in)(page_zone()))
        })
    };
    view! {
        <Button
            class="quiet zone"
            disabled=is_fixed
            on_click=move || choose.set(Some(if is_in_utc() { OWN } else { UTC }.to_owned()))
            {..}
            title=title
        >
            {label}
        </Button>
    }
}

/// Returns the server's label, which stays until the page is painted.
#[cfg(feature = "ssr")]
fn first_label() -> String {
    offset_label(document_time().and_then(server_offset).unwrap_or(0))
}

/// Returns the browser's label until the page is painted: none, as hydration keeps the server's.
#[cfg(not(feature = "ssr"))]
fn first_label() -> String {
    String::new()
}

/// Returns how far a zone is ahead of UTC: `UTC`, `UTC+9`, `UTC-3:30`
fn offset_label(offset: Millis) -> String {
    let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.abs() / MINUTE);
    match (minutes / 60, minutes % 60) {
        (0, 0) => UTC.to_owned(),
        (hours, 0) => format!("{UTC}{sign}{hours}"),
        (hours, minutes) => format!("{UTC}{sign}{hours}:{minutes:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_labelled_by_its_offset() {
        let labels =
            [0, 9 * 60, -5 * 60, 5 * 60 + 30, -(3 * 60 + 30), -45].map(|minutes| offset_label(minutes * MINUTE));
        assert_eq!(labels, ["UTC", "UTC+9", "UTC-5", "UTC+5:30", "UTC-3:30", "UTC-0:45"]);
    }
}
