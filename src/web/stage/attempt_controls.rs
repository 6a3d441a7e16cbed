//! The controls of a page's lists of attempts: a filter by user, and a pause.

use crate::{
    components::{Button, Icon, use_hydrated},
    stage::words::words,
};
use leptos::prelude::*;

/// The reader's choices, for all lists of a page.
#[derive(Clone, Copy)]
pub struct AttemptControls {
    /// The lists are paused.
    pub is_paused: RwSignal<bool>,
    /// A part of a user's name, in lower case.
    user: RwSignal<String>,
}

/// Returns the controls, without a choice.
pub fn use_attempt_controls() -> AttemptControls {
    AttemptControls { is_paused: RwSignal::new(false), user: RwSignal::new(String::new()) }
}

impl AttemptControls {
    /// Returns whether the filter includes the attempts of this user.
    pub fn is_wanted(self, user: &str) -> bool {
        self.user.with(|wanted| wanted.is_empty() || user.to_lowercase().contains(wanted.as_str()))
    }

    /// Returns whether only some users are shown.
    pub fn is_filtered(self) -> bool {
        self.user.with(|user| !user.is_empty())
    }
}

/// Shows the button that pauses the lists.
#[component]
pub fn PauseButton(
    /// The reader's choices.
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

/// Shows the field that limits the lists to some users.
#[component]
pub fn UserFilter(
    /// The reader's choices.
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
