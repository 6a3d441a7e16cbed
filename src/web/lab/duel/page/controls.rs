//! The player's controls, and the choice of another duel.

use crate::{
    base_path::{under_base, use_navigate},
    components::{Button, CopyLinkButton, FilterSelect, Icon, QueryForm, use_page_search},
    lab::{
        duel::{player::Player, words::words},
        words::strategy_name,
    },
    playback::{Picture, PictureButton, PlaybackControls},
};
use js_sys::Math;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use model::{
    form::FormValues,
    lab::{
        duel::{LEFT, Match, NEW_SEEDS, PATH},
        trace::Play,
    },
    url::with_parameter,
};

/// `0.31`: seconds of microseconds.
fn seconds(us: f64) -> String {
    format!("{:.2}", us / 1_000_000.0)
}

/// `26`, `2.4`: at least two digits.
fn times(factor: f64) -> String {
    if factor < 10.0 { format!("{factor:.1}") } else { format!("{factor:.0}") }
}

/// Shows the controls, and how slowly the duel is shown.
#[component]
pub fn Controls(
    /// The player.
    player: Player,
) -> impl IntoView {
    let words = words();
    let Player { playback, shown, .. } = player;
    let clock = Signal::derive(move || {
        let at = shown.with(|shown| shown.at_us) as f64;
        playback.is_ready().then(|| (words.at)(seconds(at), seconds(playback.end_us())))
    });
    let speed = move || {
        let speed = playback.speed();
        let text = || if speed > 1.0 { (words.faster)(times(speed)) } else { (words.slower)(times(1.0 / speed)) };
        playback.is_ready().then(text)
    };
    view! {
        <PlaybackControls playback clock>
            <span class="speed">{speed}</span>
        </PlaybackControls>
    }
}

/// Shows the ways to another duel, and this one's link.
#[component]
pub fn Choices(
    /// The duel in the address.
    asked: Memo<Match>,
    /// A play for each strategy that can be on the left.
    plays: Vec<Play>,
    /// What came of this one.
    picture: Callback<(), Option<Picture>>,
    /// Whether there is no record of it.
    is_without: Signal<bool>,
    /// Another duel is on its way.
    is_pending: Signal<bool>,
) -> impl IntoView {
    let words = words();
    let (search, navigate) = (use_page_search(), use_navigate());
    let another = move || {
        let (first, last) = NEW_SEEDS.into_inner();
        // Any but the shown one.
        let shown = asked.with_untracked(|asked| asked.seed);
        let drawn = first + (Math::random() * (last - first) as f64) as u64;
        let seed = if shown >= first && drawn >= shown { drawn + 1 } else { drawn };
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
                <a class="button" href=under_base(href)>
                    {words.why}
                </a>
            }
        })
    };
    let url = Signal::derive(move || asked.with(Match::url));
    view! {
        <div class="duel-choices">
            <Button class="strong" pending=is_pending on_click=another>
                <Icon icon=icondata_lu::LuShuffle />
                {words.another}
            </Button>
            {why}
            <QueryForm action=PATH address instant=true>
                <FilterSelect name="left" label=words.choose options chosen=left />
                <input type="hidden" name="seed" value=move || asked.with(|asked| asked.seed.to_string()) />
            </QueryForm>
            <PictureButton picture disabled=is_without />
            <CopyLinkButton url />
        </div>
    }
}
