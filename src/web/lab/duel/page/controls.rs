//! The player's controls, and the choice of another duel.

use crate::{
    components::{Button, CopyButton, FilterSelect, Icon, QueryForm, use_hydrated, use_page_keys, use_page_search},
    lab::{
        duel::{
            player::{Player, STEPS, State},
            words::words,
        },
        words::strategy_name,
    },
};
use js_sys::Math;
use leptos::{ev, prelude::*};
use leptos_router::{NavigateOptions, hooks::use_navigate};
use model::{
    form::FormValues,
    lab::{
        duel::{LEFT, Match, NEW_SEEDS, PATH},
        trace::Play,
    },
    url::with_parameter,
};
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

/// `0.31`: seconds of microseconds.
fn seconds(us: f64) -> String {
    format!("{:.2}", us / 1_000_000.0)
}

/// `26`, `2.4`: at least two digits.
fn times(factor: f64) -> String {
    if factor < 10.0 { format!("{factor:.1}") } else { format!("{factor:.0}") }
}

/// Shows the buttons, the scrubber and the time. Space pauses and plays, `r` plays from the start.
#[component]
pub fn Controls(
    /// The player.
    player: Player,
) -> impl IntoView {
    let words = words();
    let Player { state, shown, scrubber, .. } = player;
    use_page_keys(move |key| {
        let is_there = state.try_get_untracked().is_some();
        match key {
            " " if is_there => player.toggle(),
            "r" if is_there => player.replay(),
            _ => return false,
        }
        true
    });
    let is_without = Signal::derive(move || matches!(state.get(), State::Gathering | State::Missing));
    let is_playing = Memo::new(move |_| state.get() == State::Playing);
    let clock = move || {
        let at = shown.with(|shown| shown.at_us) as f64;
        (!is_without.get()).then(|| (words.at)(seconds(at), seconds(player.end_us())))
    };
    let speed = move || {
        let slowness = player.slowness();
        let text = || match slowness {
            ..1.0 => (words.faster)(times(1.0 / slowness)),
            _ => (words.slower)(times(slowness)),
        };
        (!is_without.get()).then(text)
    };
    // Not while it moves: a screen reader would read every change.
    let spoken = move || if is_playing.get() { None } else { clock() };
    let seek = move |event: ev::Event| {
        if let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) {
            player.go_to(input.value_as_number());
        }
    };
    view! {
        <div class="duel-player" role="group" aria-label=words.player>
            <Button disabled=is_without on_click=move || player.toggle() {..} aria-keyshortcuts="Space">
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
            <Button disabled=is_without on_click=move || player.replay() {..} aria-keyshortcuts="r">
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
            <span class="aside">{clock} <span class="speed">{speed}</span></span>
        </div>
    }
}

/// Shows the ways to another duel, and this one's link.
#[component]
pub fn Choices(
    /// The duel in the address.
    asked: Memo<Match>,
    /// A play for each strategy that can be on the left.
    plays: Vec<Play>,
) -> impl IntoView {
    let words = words();
    let (search, navigate, hydrated) = (use_page_search(), use_navigate(), use_hydrated());
    let another = move || {
        let (first, last) = NEW_SEEDS.into_inner();
        let seed = first + (Math::random() * (last - first + 1) as f64) as u64;
        let query = with_parameter(&search.get_untracked(), "seed", Some(seed.to_string()));
        navigate(&format!("{PATH}{query}"), NavigateOptions { scroll: false, ..NavigateOptions::default() });
    };
    let options = LEFT.map(|name| (name, strategy_name(name))).into();
    let left = Signal::derive(move || asked.with(|asked| Some(asked.left.clone())));
    // All else in the address stays, such as the presentation.
    let address = move |form: &FormValues| {
        let query = with_parameter(&search.get_untracked(), "seed", form.optional("seed"));
        let query = with_parameter(query.trim_start_matches('?'), "left", form.optional("left"));
        Some(format!("{PATH}{query}"))
    };
    let why = move || {
        asked.with(|asked| plays.iter().find(|play| play.strategy == asked.left).map(Play::url)).map(|href| {
            view! {
                <a class="button" href=href>
                    {words.why}
                </a>
            }
        })
    };
    let link = move || {
        // Where the page is, only the browser knows.
        let origin = if hydrated.get() { location().origin().unwrap_or_default() } else { String::new() };
        let text = format!("{origin}{}", asked.with(Match::url));
        view! { <CopyButton label=words.copy_link text /> }
    };
    view! {
        <div class="duel-choices">
            <Button class="strong" on_click=another>
                <Icon icon=icondata_lu::LuShuffle />
                {words.another}
            </Button>
            {why}
            <QueryForm action=PATH address instant=true>
                <FilterSelect name="left" label=words.choose options chosen=left />
                <input type="hidden" name="seed" value=move || asked.with(|asked| asked.seed.to_string()) />
            </QueryForm>
            {link}
        </div>
    }
}
