//! The time by the server's clock, which is that of Redis. Deadlines refer to it, as the reader's clock may be wrong.
//!
//! The document carries the time at which it was rendered. The live view sends the current time every five seconds, and
//! each snapshot of a sale has the time at which it was made. Between them, the browser's stopwatch goes on, which nobody
//! can set.

use js_sys::Date;
use leptos::prelude::*;
use model::Millis;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use wasm_bindgen::JsCast;
use web_sys::PerformanceResourceTiming;

/// The server's time at which the browser's stopwatch began, in epoch milliseconds. A document has one server.
static BEGAN: AtomicI64 = AtomicI64::new(UNKNOWN);
const UNKNOWN: Millis = Millis::MIN;
/// The tolerance for varying latencies of messages. A countdown that followed every variation would run unevenly.
const UNEVEN: Millis = 250;

/// Returns the time by the server's clock, in epoch milliseconds; that of the browser's while the server's is unknown. In
/// the browser only.
pub fn server_now() -> Millis {
    match BEGAN.load(Relaxed) {
        UNKNOWN => Date::now() as Millis,
        began => began + stopwatch(),
    }
}

/// Sets the server's clock to `now`, the current time. In the browser only.
pub fn set_server_clock(now: Millis) {
    let began = now - stopwatch();
    if is_better(BEGAN.load(Relaxed), began) {
        BEGAN.store(began, Relaxed);
    }
}

/// Moves the server's clock on to `now`, if it is behind: a time that has passed, perhaps some time ago. In the browser
/// only.
pub fn advance_server_clock(now: Millis) {
    BEGAN.fetch_max(now - stopwatch(), Relaxed);
}

/// Returns whether a clock that began at `new` is closer to the server's than the `known` one. A message may be late,
/// but never early, so the later beginning is. A much earlier one follows a clock that was put back.
fn is_better(known: Millis, new: Millis) -> bool {
    new > known || known - new > UNEVEN
}

/// Returns the time at which the document is rendered; `None` on an error page that is rendered without the services.
#[cfg(feature = "ssr")]
pub fn document_time() -> Option<Millis> {
    crate::services::services().ok().map(|services| (services.now)())
}

/// Always `None`: the browser renders no document.
#[cfg(not(feature = "ssr"))]
pub fn document_time() -> Option<Millis> {
    None
}

/// Sets the server's clock from the document's time, after hydration.
pub fn provide_server_clock() {
    Effect::new(|| {
        let made_at = document().document_element().and_then(|html| html.get_attribute("data-now"));
        if let Some(made_at) = made_at.and_then(|at| at.parse::<Millis>().ok()) {
            // Of an unknown age, the document is taken for new: the clock is late until the first message.
            set_server_clock(made_at + age_of_document().unwrap_or_default());
        }
    });
}

/// Returns the milliseconds since the document began to arrive.
fn age_of_document() -> Option<Millis> {
    let performance = window().performance()?;
    let document = performance.get_entries_by_type("navigation").get(0).dyn_into::<PerformanceResourceTiming>().ok()?;
    Some((performance.now() - document.response_start()) as Millis)
}

/// Returns the milliseconds since the page began, to measure durations. In the browser only.
pub fn performance_now() -> Option<f64> {
    window().performance().map(|performance| performance.now())
}

/// Returns the milliseconds since the page began.
fn stopwatch() -> Millis {
    performance_now().unwrap_or_default() as Millis
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_follows_the_message_that_was_least_late() {
        assert!(is_better(UNKNOWN, 1_700_000_000_000), "the first");
        assert!(is_better(1_000, 1_040), "one that was on its way for a shorter time");
        assert!(!is_better(1_000, 1_000 - UNEVEN), "one that was late");
        assert!(is_better(1_000, 999 - UNEVEN), "the clock of the server was put back");
    }
}
