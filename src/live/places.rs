//! Places for live views in one browser, whose windows share few connections.
//!
//! By HTTP/1.1, a browser opens six connections to a server, and a visible live view takes one for itself. If live views
//! took all six, no window could load or send anything any more. So they take [`PLACES`] at most. A place is a lock of the
//! browser (Web Locks): it is given back even if a window crashes. The browser has locks only for pages that come with TLS
//! or from this machine; where it has none, every page connects.

use futures::{
    channel::oneshot,
    future::{Either, select},
};
use js_sys::{Function, Promise, Reflect};
use leptos::prelude::window;
use wasm_bindgen::{JsCast, prelude::*};
use wasm_bindgen_futures::JsFuture;
use web_sys::PerformanceResourceTiming;

/// Live views at a time; two connections are left for everything else.
pub const PLACES: u32 = 4;

/// A place that was taken. Dropping it gives it back.
pub struct Place(Option<Function>);

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(give_back) = &self.0 {
            // What resolves a promise throws nothing.
            _ = give_back.call0(&JsValue::UNDEFINED);
        }
    }
}

#[wasm_bindgen]
extern "C" {
    /// web-sys has it only in builds with `--cfg web_sys_unstable_apis`.
    type LockManager;

    /// Rejected if the page may not have locks.
    #[wasm_bindgen(method)]
    fn request(this: &LockManager, name: &str, options: &JsValue, granted: &JsValue) -> Promise;
}

/// Takes a place; `None` if none is free now. Where windows do not have to share connections, or the browser has no locks,
/// every place is free.
pub async fn take_place() -> Option<Place> {
    let Some(locks) = locks().filter(|_| shares_connections()) else { return Some(Place(None)) };
    for number in 1..=PLACES {
        if let Some(place) = take(&locks, &format!("stampede-live-{number}")).await {
            return Some(place);
        }
    }
    None
}

fn locks() -> Option<LockManager> {
    let locks = Reflect::get(&window().navigator(), &"locks".into()).ok()?;
    locks.is_object().then(|| locks.unchecked_into())
}

/// Whether this page came by HTTP/1, and not by a version in which all windows share one connection.
fn shares_connections() -> bool {
    let navigation = window().performance().map(|performance| performance.get_entries_by_type("navigation").get(0));
    navigation
        .and_then(|navigation| navigation.dyn_into::<PerformanceResourceTiming>().ok())
        .is_some_and(|navigation| navigation.next_hop_protocol().starts_with("http/1"))
}

/// Takes the lock of this name if it is free.
async fn take(locks: &LockManager, name: &str) -> Option<Place> {
    let (answer, granted) = oneshot::channel();
    let mut give_back = None;
    // The lock is held until this promise is resolved.
    let held = Promise::new(&mut |resolve, _| give_back = Some(resolve));
    let is_granted = Closure::once_into_js(move |lock: JsValue| {
        if lock.is_null() {
            return JsValue::UNDEFINED;
        }
        // Where nobody waits for the answer any more, the place is dropped, and so given back.
        answer.send(Place(give_back)).ok();
        held.into()
    });
    let options = js_sys::Object::new();
    Reflect::set(&options, &"ifAvailable".into(), &JsValue::TRUE).ok()?;
    let over = JsFuture::from(locks.request(name, &options, &is_granted));
    match select(granted, over).await {
        Either::Left((granted, _)) => granted.ok(),
        // Somebody else has it.
        Either::Right((Ok(_), _)) => None,
        // There are no locks for this page.
        Either::Right((Err(_), _)) => Some(Place(None)),
    }
}
