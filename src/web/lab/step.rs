//! `/lab/step`: attempts that stop before every call. The whole state is in the address, and every choice is a link.
//! The browser's back therefore undoes a step, and nothing needs JavaScript.

mod chooser;
mod gallery;
mod source;
mod steps;

use crate::{
    components::{Badge, LoadAlert, Loaded, Notice, PageData, Tone, use_latest_answer, use_page_search},
    i18n::{self, Lang},
    lab::{
        api,
        step::{chooser::Chooser, gallery::Gallery, source::Source, steps::Steps},
        words::{strategy_name, words},
    },
    status::set_status,
};
use leptos::{ev::MouseEvent, html, prelude::*};
use leptos_meta::Title;
use model::{
    Verdict,
    error::{Code, Error, Result},
    lab::{
        registry::{Strategies, StrategyInfo},
        trace::{Participant, Play, Trace},
    },
    url::parameter,
};
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsCast;
use web_sys::{HtmlDivElement, HtmlElement};

/// Returns the play in an address: the first of the gallery unless it names a strategy.
fn play_of(query: &str) -> Result<Play> {
    let number = |name: &str| {
        let wrong = |text| Error::bad(name, format!("`{name}` is \"{text}\", which is not a number."));
        parameter(query, name).map(|text| text.parse::<u32>().map_err(|_| wrong(text))).transpose()
    };
    let schedule = parameter(query, "schedule").unwrap_or_default();
    let strategy = parameter(query, "strategy").unwrap_or_else(|| gallery::FIRST.to_owned());
    Play::of(strategy, number("attempts")?, parameter(query, "users"), number("stock")?, &schedule)
}

/// The data of the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct First {
    /// The strategies, and the mistakes after them.
    strategies: Vec<StrategyInfo>,
    shown: Result<Shown>,
}

/// A play, and its trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Shown {
    play: Play,
    trace: Trace,
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

async fn replay(play: Result<Play>) -> Result<Shown> {
    let play = play?;
    let Play { strategy, stock, users, schedule } = play.clone();
    let trace = api::step(strategy, None, Some(users), Some(stock), Some(schedule)).await?;
    Ok(Shown { play, trace })
}

/// Shows `/lab/step`.
#[component]
pub fn StepPage() -> impl IntoView {
    let search = use_page_search();
    let play = Memo::new(move |_| search.with(|search| play_of(search)));
    // Loaded once: afterwards, `follow` plays each new address.
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
    let error = RwSignal::new(shown.as_ref().err().cloned());
    let shown = RwSignal::new(shown.ok());
    let is_pending = follow(play, shown, error);
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
    view! {
        <Title text=words.step_title />
        <main id="main" class="step-page" tabindex="-1">
            <div class="intro">
                <p>
                    <a href="/lab">{words.back_to_lab}</a>
                </p>
                <h1>{words.step_title}</h1>
                <p>{words.step_intro}</p>
            </div>
            <Gallery strategies=strategies.get_value() play />
            <section class="card stepper" aria-labelledby="play-title">
                <h2 id="play-title">
                    {move || shown.with(|shown| shown.as_ref().map(|shown| strategy_name(&shown.play.strategy)))}
                </h2>
                <Chooser strategies=strategies.get_value() play />
                <div role="alert">
                    {bad_play}
                </div>
                <LoadAlert error=other_error />
                <Moves shown is_pending />
                <Outcome shown />
            </section>
            <div class="play">
                <Steps shown />
                <Source shown strategies />
            </div>
        </main>
    }
}

/// Plays each new address. The shown play stays until the answer arrives. Returns whether an answer is on its way.
fn follow(play: Memo<Result<Play>>, shown: RwSignal<Option<Shown>>, error: RwSignal<Option<Error>>) -> Signal<bool> {
    let latest = use_latest_answer(play, replay, move |answer| match answer {
        Ok(news) => {
            error.set(None);
            shown.set(Some(news));
        }
        Err(why) => error.set(Some(why)),
    });
    Signal::derive(move || latest.is_pending())
}

/// Shows the links for the next step, for undo, and to start over. Those without a target stay links.
#[component]
fn Moves(
    /// The play on the page and its trace; `None` while there is none.
    shown: RwSignal<Option<Shown>>,
    /// Another play is on its way: these links still continue the previous one, so following one would lose a step.
    is_pending: Signal<bool>,
) -> impl IntoView {
    let words = words();
    // All participants, including finished ones, so that a link keeps its place and the focus.
    let letters = Memo::new(move |_| {
        shown.with(|shown| {
            let letters = |shown: &Shown| shown.trace.participants.iter().map(|one| one.letter).collect::<Vec<char>>();
            shown.as_ref().map(letters).unwrap_or_default()
        })
    });
    let back = move |kept: fn(&str) -> String| {
        move || {
            shown.with(|shown| {
                let play = &shown.as_ref()?.play;
                let schedule = kept(&play.schedule);
                (!play.schedule.is_empty()).then(|| Play { schedule, ..play.clone() }.url())
            })
        }
    };
    let undo = back(|schedule| {
        let mut shorter = schedule.to_owned();
        shorter.pop();
        shorter
    });
    let start_over = back(|_| String::new());
    let moves = NodeRef::<html::Div>::new();
    let was_used = StoredValue::new(false);
    // A link without a target loses the focus, which moves to one with a target.
    Effect::watch(
        move || shown.track(),
        move |(), _, _| {
            if !was_used.try_update_value(std::mem::take).unwrap_or_default() {
                return;
            }
            request_animation_frame(move || {
                if let Some(moves) = moves.try_get_untracked().flatten() {
                    keep_focus(&moves);
                }
            });
        },
        false,
    );
    let on_click = move |event: MouseEvent| {
        was_used.set_value(true);
        if is_pending.get_untracked() {
            event.prevent_default();
        }
    };
    view! {
        <div class="moves" role="group" aria-label=words.next aria-busy=move || is_pending.get().to_string() node_ref=moves on:click=on_click>
            <For each=move || letters.get() key=|letter| *letter let:letter>
                <Move shown letter />
            </For>
            <a
                class="button quiet"
                role="link"
                data-noscroll
                href=undo
                aria-disabled=move || undo().is_none().then_some("true")
            >
                {words.undo}
            </a>
            <a
                class="button quiet"
                role="link"
                data-noscroll
                href=start_over
                aria-disabled=move || start_over().is_none().then_some("true")
            >
                {words.start_over}
            </a>
        </div>
    }
}

/// Moves the focus to the first of these links with a target, unless a focusable element has it. Browsers take the
/// focus from a link without an address only some time after the address is removed.
fn keep_focus(moves: &HtmlDivElement) {
    let is_lost = document().active_element().is_none_or(|element| {
        element.tag_name() == "BODY" || (moves.contains(Some(&element)) && !element.has_attribute("href"))
    });
    let next = moves.query_selector("a[href]").ok().flatten().filter(|_| is_lost);
    if let Some(link) = next.and_then(|link| link.dyn_into::<HtmlElement>().ok()) {
        _ = link.focus();
    }
}

/// Shows the link by which a participant takes a step, and the step itself.
#[component]
fn Move(
    /// The play on the page and its trace; `None` while there is none.
    shown: RwSignal<Option<Shown>>,
    /// The letter of the participant in schedules: the number of an attempt, `w` for the worker, `t` for time.
    letter: char,
) -> impl IntoView {
    let words = words();
    let participant = Memo::new(move |_| {
        shown.with(|shown| shown.as_ref()?.trace.participants.iter().find(|one| one.letter == letter).cloned())
    });
    let href = move || {
        let can_go = participant.with(|one| one.as_ref().is_some_and(|one| one.can_go));
        shown.with(|shown| {
            let play = &shown.as_ref().filter(|_| can_go)?.play;
            Some(Play { schedule: format!("{}{letter}", play.schedule), ..play.clone() }.url())
        })
    };
    let state = move || participant.with(|one| one.as_ref().map(state_of));
    let locals = move || {
        participant
            .with(|one| one.as_ref().filter(|one| !one.locals.is_empty()).map(|one| steps::locals_text(&one.locals)))
    };
    view! {
        <div class=format!("move player-{letter}")>
            <a
                class="button"
                role="link"
                data-noscroll
                href=href
                aria-disabled=move || href().is_none().then_some("true")
                aria-describedby=format!("state-{letter}")
            >
                {(words.goes_next)(letter)}
            </a>
            <span class="aside" id=format!("state-{letter}")>
                {state}
            </span>
            {move || locals().map(|locals| view! { <span class="local">{locals}</span> })}
        </div>
    }
}

/// Returns the participant's next call, its waiting state, or the answer to its attempt.
fn state_of(participant: &Participant) -> String {
    let words = words();
    match (&participant.next, participant.told) {
        (_, Some(told)) => (words.told)(told).to_owned(),
        (Some(call), None) => {
            let text = steps::call_text(call);
            if participant.can_go { text } else { format!("{text} ({})", words.waits) }
        }
        (None, None) => String::new(),
    }
}

/// Shows the verdict, once every attempt has its answer.
#[component]
fn Outcome(
    /// The play on the page and its trace; `None` while there is none.
    shown: RwSignal<Option<Shown>>,
) -> impl IntoView {
    let words = words();
    let outcome = Memo::new(move |_| shown.with(|shown| shown.as_ref().and_then(|shown| shown.trace.outcome.clone())));
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
    view! {
        <div class="play-outcome" role="status">
            {text}
        </div>
    }
}
