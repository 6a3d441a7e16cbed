//! Effects, timers and questions to the server. Each goes through a box, so that the machinery
//! behind it is compiled once and not for every closure.

use leptos::prelude::*;
use std::{pin::Pin, time::Duration};

/// Runs in the browser, once the page is there, and again whenever a signal that it read changes.
pub fn effect(run: impl FnMut() + 'static) {
    let mut run: Box<dyn FnMut()> = Box::new(run);
    Effect::new(move |_: Option<()>| run());
}

/// Runs once, later.
pub fn after(wait: Duration, run: impl FnOnce() + 'static) {
    let run: Box<dyn FnOnce()> = Box::new(run);
    set_timeout(run, wait);
}

/// Runs again and again until the component that asked for it is gone.
pub fn every(wait: Duration, run: impl Fn() + 'static) {
    let run: Box<dyn Fn()> = Box::new(run);
    if let Ok(ticking) = set_interval_with_handle(run, wait) {
        on_cleanup(move || ticking.clear());
    }
}

/// Starts to ask the server.
pub fn ask(question: impl Future<Output = ()> + 'static) {
    let question: Pin<Box<dyn Future<Output = ()>>> = Box::pin(question);
    leptos::task::spawn_local(question);
}
