//! Slots for the live views of one browser, whose windows share few connections.
//!
//! Over HTTP/1.1, a browser opens six connections to a server, and a visible live view occupies one. If live views took
//! all six, no window could load or send anything any more, so they take at most [`SLOTS`]. A slot is a lock of the
//! browser (Web Locks), which is released even if a window crashes. The browser has locks only for pages in a secure
//! context (TLS or loopback). Without them, every page connects.

use futures::{
    channel::oneshot,
    future::{Either, select},
};
use js_sys::{Function, Object, Promise, Reflect};
use leptos::prelude::window;
use std::future::IntoFuture;
use wasm_bindgen::{JsCast, prelude::*};
use web_sys::PerformanceResourceTiming;

/// The maximum number of concurrent live views; two connections are left for everything else. The banner names the
/// number.
const SLOTS: u32 = 4;

/// A slot. Dropping it releases it.
pub struct Slot(Option<Function>);

impl Slot {
    /// A slot without a lock, if there is no limit.
    const UNLIMITED: Self = Self(None);
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(release) = &self.0 {
            // The function that resolves a promise does not throw.
            _ = release.call0(&JsValue::UNDEFINED);
        }
    }
}

#[wasm_bindgen]
extern "C" {
    /// web-sys has this type only in builds with `--cfg web_sys_unstable_apis`.
    type LockManager;

    /// Requests a lock; the promise is rejected if the page may not use locks.
    #[wasm_bindgen(method)]
    fn request(this: &LockManager, name: &str, options: &JsValue, granted: &JsValue) -> Promise;
}

/// Acquires a slot; `None` if none is free now. Over HTTP/2, or where the browser has no locks, there is no limit.
pub async fn acquire_slot() -> Option<Slot> {
    let Some(locks) = locks().filter(|_| is_http1()) else { return Some(Slot::UNLIMITED) };
    for number in 1..=SLOTS {
        if let Some(slot) = try_lock(&locks, &format!("stampede-live-{number}")).await {
            return Some(slot);
        }
    }
    None
}

fn locks() -> Option<LockManager> {
    let locks = Reflect::get(&window().navigator(), &"locks".into()).ok()?;
    locks.is_object().then(|| locks.unchecked_into())
}

/// Returns whether each live view occupies a connection. Without TLS, browsers speak nothing newer. The protocol of a
/// page from the browser's cache is empty; with TLS, it is most likely HTTP/2.
fn is_http1() -> bool {
    let navigation = window().performance().map(|performance| performance.get_entries_by_type("navigation").get(0));
    let protocol = navigation
        .and_then(|navigation| navigation.dyn_into::<PerformanceResourceTiming>().ok())
        .map(|navigation| navigation.next_hop_protocol());
    let has_tls = window().location().protocol().is_ok_and(|scheme| scheme == "https:");
    !has_tls || protocol.is_some_and(|protocol| protocol.starts_with("http/1"))
}

/// Takes the lock of this name if it is free.
async fn try_lock(locks: &LockManager, name: &str) -> Option<Slot> {
    let (answer, answered) = oneshot::channel();
    let mut release = None;
    // The lock is held until this promise is resolved.
    let held = Promise::new(&mut |resolve, _| release = Some(resolve));
    let granted = Closure::once_into_js(move |lock: JsValue| {
        let slot = (!lock.is_null()).then_some(Slot(release));
        let result = if slot.is_some() { held.into() } else { JsValue::UNDEFINED };
        // If nobody waits for the answer any more, the slot is dropped, and thereby released.
        answer.send(slot).ok();
        result
    });
    let options = Object::new();
    Reflect::set(&options, &"ifAvailable".into(), &JsValue::TRUE).ok()?;
    let request = locks.request(name, &options, &granted).into_future();
    match select(answered, request).await {
        Either::Left((slot, _)) => slot.ok().flatten(),
        // The request ends before the answer only if it is rejected: there are no locks for this page.
        Either::Right(_) => Some(Slot::UNLIMITED),
    }
}
