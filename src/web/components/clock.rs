//! The time by the server's clock, which is that of Redis. Deadlines go by it, and the clock of a reader may be wrong.
//!
//! The document says when it was made, and the live view what the time is, every five seconds.

use js_sys::Date;
use leptos::prelude::*;
use model::Millis;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use wasm_bindgen::JsCast;
use web_sys::PerformanceResourceTiming;

/// How far the server's clock is ahead of the browser's. A document has one server.
static AHEAD: AtomicI64 = AtomicI64::new(0);
/// What messages take on the way differs by less. A countdown that followed it would not run evenly.
const UNEVEN: Millis = 250;

/// The time by the server's clock, in epoch milliseconds. In the browser only.
pub fn server_now() -> Millis {
    browser_now() + AHEAD.load(Relaxed)
}

/// Takes note of the server's time, as of now. In the browser only.
pub fn set_server_clock(now: Millis) {
    let ahead = now - browser_now();
    if (ahead - AHEAD.load(Relaxed)).abs() > UNEVEN {
        AHEAD.store(ahead, Relaxed);
    }
}

/// When the document is made; `None` on an error page that is made without the services.
#[cfg(feature = "ssr")]
pub fn document_time() -> Option<Millis> {
    crate::services::services().ok().map(|services| (services.now)())
}

/// The browser makes no document.
#[cfg(not(feature = "ssr"))]
pub fn document_time() -> Option<Millis> {
    None
}

/// Takes note of when the server made the document, once the browser has taken over.
pub fn provide_server_clock() {
    Effect::new(|| {
        let made_at = document().document_element().and_then(|html| html.get_attribute("data-now"));
        if let (Some(made_at), Some(age)) = (made_at.and_then(|at| at.parse::<Millis>().ok()), age_of_document()) {
            set_server_clock(made_at + age);
        }
    });
}

/// The milliseconds since the document began to arrive.
fn age_of_document() -> Option<Millis> {
    let performance = window().performance()?;
    let document = performance.get_entries_by_type("navigation").get(0).dyn_into::<PerformanceResourceTiming>().ok()?;
    Some((performance.now() - document.response_start()) as Millis)
}

/// Milliseconds since the page began, to measure how long something takes. In the browser only.
pub fn performance_now() -> Option<f64> {
    window().performance().map(|performance| performance.now())
}

fn browser_now() -> Millis {
    Date::now() as Millis
}
