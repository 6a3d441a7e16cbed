//! `/lab/step`: any strategy or mistake, any users, any order of steps.

mod chooser;

pub use chooser::SCENES;

use crate::{
    base_path::under_base,
    components::{Badge, Loaded, PageData, Tone, use_page_search},
    i18n,
    lab::{
        player::{
            Player, Playing,
            page::{PlayError, PlayerData, load},
            use_playing,
        },
        step::chooser::Chooser,
        words::{strategy_name, words},
        write::{address::program_url, words::words as write_words},
    },
    stage::{PresentLink, use_presenting},
};
use leptos::prelude::*;
use leptos_meta::Title;
use model::{
    Verdict,
    error::{Error, Result},
    lab::{program::PREFIX, trace::Play},
    url::parameter,
};

/// The strategy of an address that names none.
const FIRST: &str = "read-check-write";

/// Returns the play in an address.
fn play_of(query: &str) -> Result<Play> {
    let number = |name: &str| {
        let wrong = |text| Error::bad(name, format!("`{name}` is \"{text}\", which is not a number."));
        parameter(query, name).map(|text| text.parse::<u32>().map_err(|_| wrong(text))).transpose()
    };
    let schedule = parameter(query, "schedule").unwrap_or_default();
    let strategy = parameter(query, "strategy").unwrap_or_else(|| FIRST.to_owned());
    Play::of(strategy, number("attempts")?, parameter(query, "users"), number("stock")?, &schedule)
}

/// Shows `/lab/step`.
#[component]
pub fn StepPage() -> impl IntoView {
    let search = use_page_search();
    let play = Memo::new(move |_| search.with(|search| play_of(search)));
    // Loaded once: afterwards, each new address is played.
    let first = PageData::new(|| (), move |()| load(play.get_untracked()));
    view! { <Loaded data=first let:first><Stepper first play /></Loaded> }
}

#[component]
fn Stepper(
    /// The data that came with the page.
    first: PlayerData,
    /// The play in the address, or the reason why it cannot be played.
    play: Memo<Result<Play>>,
) -> impl IntoView {
    let words = words();
    let PlayerData { strategies, shown } = first;
    let strategies = StoredValue::new(strategies);
    let playing = use_playing(play, shown);
    let program = move || {
        let strategy = playing.shown.with(|shown| shown.as_ref().map(|shown| shown.play.strategy.clone()));
        strategy.filter(|id| id.starts_with(PREFIX))
    };
    let name = move || playing.shown.with(|shown| shown.as_ref().map(|shown| strategy_name(&shown.play.strategy)));
    view! {
        <Title text=words.step_title />
        <main id="main" class="player-page" class:presenting=use_presenting() tabindex="-1">
            <div class="player-head">
                <h1>{words.step_title}</h1>
                <span class="aside">{name}</span>
                <a href=under_base("/learn")>{words.to_lesson}</a>
                {move || program().map(|id| view! { <a href=under_base(program_url(&id))>{write_words().edit}</a> })}
                <Chooser strategies=strategies.get_value() play />
                <PresentLink />
            </div>
            <PlayError playing />
            <Player playing strategies>
                <Outcome playing />
            </Player>
        </main>
    }
}

/// Shows the verdict, once every attempt has its answer.
#[component]
fn Outcome(playing: Playing) -> impl IntoView {
    let words = words();
    let outcome = Memo::new(move |_| playing.moment.with(|now| now.as_ref().and_then(|now| now.outcome.clone())));
    let text = move || match outcome.get() {
        None => view! { <p class="aside">{words.no_verdict}</p> }.into_any(),
        Some(anomalies) if anomalies.is_empty() => {
            let holds = (i18n::words().verdict)(Verdict::Holds);
            view! {
                <p class="play-verdict holds">
                    <Badge tone=Tone::Good icon=icondata_lu::LuCheck text=holds />
                    " "
                    {words.verdict_holds}
                </p>
            }
            .into_any()
        }
        Some(anomalies) => {
            let anomaly = |anomaly| {
                view! {
                    <li>
                        <Badge tone=Tone::Bad icon=icondata_lu::LuX text=(words.anomaly)(anomaly) />
                        " "
                        {(words.anomaly_is)(anomaly)}
                    </li>
                }
            };
            view! { <ul class="play-verdict broken">{anomalies.into_iter().map(anomaly).collect_view()}</ul> }
                .into_any()
        }
    };
    view! { <div class="play-outcome" role="status">{text}</div> }
}
