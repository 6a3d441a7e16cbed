//! The controls of a page's lists of attempts: whose attempts they show, and whether new ones wait.

use crate::{
    components::{Button, Icon, use_hydrated},
    stage::words::words,
};
use leptos::prelude::*;

/// What the reader has chosen, for all lists of a page.
#[derive(Clone, Copy)]
pub struct AttemptControls {
    /// Whether the lists are paused.
    pub is_paused: RwSignal<bool>,
    /// Part of the name of a user, in lower case.
    user: RwSignal<String>,
}

/// Nothing is chosen at first.
pub fn use_attempt_controls() -> AttemptControls {
    AttemptControls { is_paused: RwSignal::new(false), user: RwSignal::new(String::new()) }
}

impl AttemptControls {
    /// Whether the reader wants to see the attempts of this user.
    pub fn is_wanted(self, user: &str) -> bool {
        self.user.with(|wanted| wanted.is_empty() || user.to_lowercase().contains(wanted.as_str()))
    }

    /// Whether only some users are shown.
    pub fn is_filtered(self) -> bool {
        self.user.with(|user| !user.is_empty())
    }
}

/// Pauses the lists.
#[component]
pub fn PauseButton(
    /// What the reader has chosen.
    controls: AttemptControls,
) -> impl IntoView {
    let paused = controls.is_paused;
    view! {
        <Button
            class="quiet toggle"
            attr:aria-pressed=move || paused.get().to_string()
            on_click=move || paused.update(|paused| *paused = !*paused)
        >
            <Icon icon=icondata_lu::LuPause />
            {words().pause}
        </Button>
    }
}

/// Shows only the attempts of some users.
#[component]
pub fn UserFilter(
    /// What the reader has chosen.
    controls: AttemptControls,
) -> impl IntoView {
    let (words, hydrated) = (words(), use_hydrated());
    view! {
        <input
            type="search"
            name="attempts-of"
            aria-label=words.filter_user
            placeholder=words.filter_user
            autocomplete="off"
            disabled=move || !hydrated.get()
            on:input=move |event| controls.user.set(event_target_value(&event).trim().to_lowercase())
        />
    }
}
