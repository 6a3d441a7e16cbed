//! The controls of a record that is played.

use crate::{
    components::{Button, Icon, shortcut, use_page_keys},
    playback::{
        clock::{Playback, STEPS, State},
        words::words,
    },
};
use leptos::{ev, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

/// Shows the buttons, the scrubber and the time. Space pauses and plays, `r` plays from the start.
#[component]
pub fn PlaybackControls(
    /// The clock.
    playback: Playback,
    /// The time as text; `None` without a record.
    #[prop(into)]
    clock: Signal<Option<String>>,
    /// What stands behind the time.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let words = words();
    let Playback { state, scrubber, .. } = playback;
    use_page_keys(move |key| {
        let is_there = state.try_get_untracked().is_some();
        match key {
            " " if is_there => playback.toggle(),
            "r" if is_there => playback.again(),
            _ => return false,
        }
        true
    });
    let is_without = Signal::derive(move || !playback.is_ready());
    let is_playing = Memo::new(move |_| state.get() == State::Playing);
    // Not while it moves: a screen reader would read every change.
    let spoken = move || if is_playing.get() { None } else { clock.get() };
    let seek = move |event: ev::Event| {
        if let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) {
            playback.go_to_step(input.value_as_number());
        }
    };
    view! {
        // As HTML: a browser with JavaScript parses the contents as text, where hydration would look for elements.
        <noscript inner_html=format!("<p class=\"empty\">{}</p>", words.without_script) />
        <div class="playback" role="group" aria-label=words.player>
            <Button disabled=is_without on_click=move || playback.toggle() {..} aria-keyshortcuts=shortcut("Space")>
                {move || {
                    let (icon, text) = match is_playing.get() {
                        true => (icondata_lu::LuPause, words.pause),
                        false => (icondata_lu::LuPlay, words.play),
                    };
                    view! {
                        <Icon icon />
                        {text}
                    }
                }}
            </Button>
            <Button disabled=is_without on_click=move || playback.again() {..} aria-keyshortcuts=shortcut("r")>
                <Icon icon=icondata_lu::LuRotateCcw />
                {words.again}
            </Button>
            <input
                type="range"
                aria-label=words.time
                aria-valuetext=spoken
                min="0"
                max=STEPS
                value="0"
                disabled=is_without
                node_ref=scrubber
                on:input=seek
            />
            <span class="aside">{move || clock.get()} {children.map(|children| children())}</span>
        </div>
    }
}
