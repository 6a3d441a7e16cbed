//! `/lab/step`: any strategy or mistake, any users, any order of steps.

mod chooser;

pub use chooser::SCENES;

use crate::{
    components::{Badge, LoadAlert, Loaded, Notice, PageData, Tone, use_page_search},
    i18n::{self, Lang},
    lab::{
        api,
        player::{Player, Playing, Shown, replay, use_playing},
        step::chooser::Chooser,
        words::{strategy_name, words},
        write::{address::program_url, words::words as write_words},
    },
    stage::{PresentLink, use_presenting},
    status::set_status,
};
use leptos::prelude::*;
use leptos_meta::Title;
use model::{
    Verdict,
    error::{Code, Error, Result},
    lab::{
        program::PREFIX,
        registry::{Strategies, StrategyInfo},
        trace::Play,
    },
    url::parameter,
};
use serde::{Deserialize, Serialize};

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

/// The data of the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct First {
    /// The strategies, and the mistakes after them.
    strategies: Vec<StrategyInfo>,
    shown: Result<Shown>,
}

async fn load(play: Result<Play>) -> Result<First> {
    let Strategies { mut strategies, mistakes } = api::strategies().await?;
    strategies.extend(mistakes);
    let shown = replay(play).await;
    if let Err(error) = &shown {
        set_status(error.code);
    }
    Ok(First { strategies, shown })
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
    first: First,
    /// The play in the address, or the reason why it cannot be played.
    play: Memo<Result<Play>>,
) -> impl IntoView {
    let words = words();
    let First { strategies, shown } = first;
    let strategies = StoredValue::new(strategies);
    let playing = use_playing(play, shown);
    let error = playing.error;
    let cause = Memo::new(move |_| {
        error.with(|error| {
            error.as_ref().filter(|error| error.code == Code::BadRequest).map(|error| error.message.clone())
        })
    });
    let bad_play = move || {
        cause.get().map(|cause| {
            view! {
                <Notice>
                    {words.bad_play} " " <span lang=Lang::En.tag()>{cause}</span>
                </Notice>
            }
        })
    };
    let other_error = Signal::derive(move || error.get().filter(|error| error.code != Code::BadRequest));
    let program = move || {
        let strategy = playing.shown.with(|shown| shown.as_ref().map(|shown| shown.play.strategy.clone()));
        strategy.filter(|id| id.starts_with(PREFIX))
    };
    let name = move || playing.shown.with(|shown| shown.as_ref().map(|shown| strategy_name(&shown.play.strategy)));
    view! {
        <Title text=words.step_title />
        <main id="main" class="player-page" class:presenting=use_presenting() tabindex="-1">
            <div class="player-head">
                <h1>{words.step_title} <span class="aside">{name}</span></h1>
                <a href="/learn">{words.to_lesson}</a>
                {move || program().map(|id| view! { <a href=program_url(&id)>{write_words().edit}</a> })}
                <Chooser strategies=strategies.get_value() play />
                <PresentLink />
            </div>
            <div role="alert">{bad_play}</div>
            <LoadAlert error=other_error />
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
