//! The time by the server's clock, which is that of Redis. Deadlines refer to it, as the reader's clock may be wrong.
//!
//! The document carries the time at which it was rendered. The live view sends the current time every five seconds.

use js_sys::Date;
use leptos::prelude::*;
use model::Millis;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use wasm_bindgen::JsCast;
use web_sys::PerformanceResourceTiming;

/// The lead of the server's clock over the browser's, in milliseconds. A document has one server.
static AHEAD: AtomicI64 = AtomicI64::new(0);
/// The tolerance for varying latencies of messages. A countdown that followed every variation would run unevenly.
const UNEVEN: Millis = 250;

/// Returns the time by the server's clock, in epoch milliseconds. In the browser only.
pub fn server_now() -> Millis {
    browser_now() + AHEAD.load(Relaxed)
}

/// Sets the server's clock to `now`, the current time. In the browser only.
pub fn set_server_clock(now: Millis) {
    let ahead = now - browser_now();
    if (ahead - AHEAD.load(Relaxed)).abs() > UNEVEN {
        AHEAD.store(ahead, Relaxed);
    }
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
        if let (Some(made_at), Some(age)) = (made_at.and_then(|at| at.parse::<Millis>().ok()), age_of_document()) {
            set_server_clock(made_at + age);
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

fn browser_now() -> Millis {
    Date::now() as Millis
}
