//! Notifications of the browser about what needs somebody: only where the reader has switched them on, which is when the
//! browser asks for its permission. They come while the tab is hidden, too.

use crate::{
    components::{lasting_key, use_hydrated},
    health::{
        watch::{HealthWatch, key_of},
        words::{reason_text, subject_name, words},
    },
};
use codee::string::JsonSerdeCodec;
use js_sys::Reflect;
use leptos::{prelude::*, task::spawn_local};
use leptos_use_document_visibility::use_document_visibility;
use leptos_use_interval_fn::use_interval_fn;
use leptos_use_storage::use_local_storage;
use model::health::Matter;
use std::collections::BTreeSet;
use web_sys::{Notification, NotificationOptions, NotificationPermission, VisibilityState};

/// How often a hidden tab asks, in milliseconds.
const HIDDEN_MS: u64 = 30_000;

/// The switch for notifications.
#[derive(Clone, Copy)]
pub struct Notifications {
    hydrated: Signal<bool>,
    /// The reader wants them in this browser.
    wanted: Signal<bool>,
    want: WriteSignal<bool>,
    /// The browser refuses them.
    denied: RwSignal<bool>,
}

/// Notifies about what comes up after the page knows what there is.
pub fn use_notifications(health: HealthWatch, matters: Memo<Option<Vec<Matter>>>) -> Notifications {
    let (wanted, want, _) = use_local_storage::<bool, JsonSerdeCodec>(lasting_key("notify".to_owned()));
    let notifications = Notifications { hydrated: use_hydrated(), wanted, want, denied: RwSignal::new(false) };
    Effect::new(move |known: Option<Option<BTreeSet<String>>>| {
        let known = known.flatten();
        let Some(now) = matters.get() else { return known };
        if let Some(known) = &known
            && notifications.are_wanted_untracked()
        {
            for matter in now.iter().filter(|matter| !known.contains(&key_of(matter))) {
                notify(matter);
            }
        }
        Some(now.iter().map(key_of).collect())
    });
    let visibility = use_document_visibility();
    use_interval_fn(
        move || {
            let is_hidden = visibility.try_get_untracked() == Some(VisibilityState::Hidden);
            if is_hidden && notifications.are_wanted_untracked() {
                health.ask();
            }
        },
        HIDDEN_MS,
    );
    notifications
}

impl Notifications {
    /// Returns whether the browser has notifications for this page. It has none on plain HTTP from another machine.
    pub fn are_possible(self) -> bool {
        self.hydrated.get() && Reflect::has(&window(), &"Notification".into()).unwrap_or_default()
    }

    /// Returns whether they are switched on.
    pub fn are_on(self) -> bool {
        self.wanted.get() && !self.denied.get()
    }

    /// Returns whether the browser refuses them although the reader wants them.
    pub fn are_denied(self) -> bool {
        self.denied.get()
    }

    fn are_wanted_untracked(self) -> bool {
        self.wanted.try_get_untracked().unwrap_or_default()
    }

    /// Switches them on or off. The browser asks the reader at most once.
    pub fn switch(self) {
        if self.wanted.get_untracked() && !self.denied.get_untracked() {
            self.want.set(false);
            return;
        }
        spawn_local(async move {
            if let Ok(asked) = Notification::request_permission() {
                _ = asked.await;
            }
            let is_granted = Notification::permission() == NotificationPermission::Granted;
            _ = self.denied.try_set(!is_granted);
            self.want.set(is_granted);
        });
    }
}

/// Shows a notification. Several tabs that do so at once show one.
fn notify(matter: &Matter) {
    if Notification::permission() != NotificationPermission::Granted {
        return;
    }
    let name = subject_name(&matter.subject);
    let options = NotificationOptions::new();
    options.set_body(&reason_text(matter));
    options.set_tag(&key_of(matter));
    // A phone allows them to service workers only.
    _ = Notification::new_with_options(&format!("{} · {name}", words().bell), &options);
}
