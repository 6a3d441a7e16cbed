//! The name that the reader goes by, which the browser remembers.

use codee::string::FromToStringCodec;
use leptos::prelude::*;
use leptos_use_storage::{UseStorageOptions, use_local_storage_with_options};

/// The name of last time, or one that another browser is unlikely to have; and how to change it.
///
/// Empty on the server and in the first render.
pub fn use_user_name() -> (Signal<String>, WriteSignal<String>) {
    let options = UseStorageOptions::default().delay_during_hydration(true);
    let (name, set_name, _) = use_local_storage_with_options::<String, FromToStringCodec>("user", options);
    Effect::new(move || {
        // After the storage was read, which waits a frame.
        request_animation_frame(move || {
            if name.try_get_untracked().is_some_and(|name| name.is_empty()) {
                set_name.set(format!("me-{}", &random_id()[..4]));
            }
        });
    });
    (name, set_name)
}

/// An id that no other browser makes: the time and a hundred random bits. `crypto.randomUUID` exists on secure
/// origins only, and this page is also served on plain HTTP in a local network.
pub fn random_id() -> String {
    let random = || (js_sys::Math::random() * 2_f64.powi(52)) as u64;
    format!("{:013x}{:013x}-{:x}", random(), random(), js_sys::Date::now() as u64)
}
