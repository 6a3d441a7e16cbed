//! A play on one screen: the code of all who take part side by side, the records as pictures, what everybody was told,
//! and who goes next.
//!
//! The whole state is in the address: the schedule, and the place in it (`at`), which is its end if left out. A step is
//! a link, so the browser's back undoes it, and the page works without JavaScript.

mod call;
mod caption;
mod code;
mod event;
mod flight;
mod moves;
pub mod page;
mod picture;
pub mod pseudo;
pub mod pseudo_zh;
mod words;

use crate::{
    components::{use_latest_answer, use_page_search},
    lab::{
        api,
        player::{
            caption::caption,
            code::{Code, full_name},
            flight::Flights,
            moves::Moves,
            picture::Keys,
            words::words,
        },
    },
};
use leptos::prelude::*;
use model::{
    error::{Error, Result},
    lab::{
        registry::StrategyInfo,
        trace::{Moment, Participant, Play, TIME, Trace},
    },
    url::parameter,
};
use serde::{Deserialize, Serialize};

/// A play, and its trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    pub play: Play,
    pub trace: Trace,
}

/// Plays a play on the server.
pub async fn replay(play: Result<Play>) -> Result<Shown> {
    let play = play?;
    let Play { strategy, stock, users, schedule } = play.clone();
    let trace = api::step(strategy, None, Some(users), Some(stock), Some(schedule)).await?;
    Ok(Shown { play, trace })
}

/// The play on a page, and the place in it.
#[derive(Clone, Copy)]
pub struct Playing {
    /// The play and its trace; `None` while there is none.
    pub shown: RwSignal<Option<Shown>>,
    /// The reason why the play in the address is not shown.
    pub error: RwSignal<Option<Error>>,
    /// The number of steps that have been taken.
    pub at: Memo<usize>,
    /// The situation after these steps.
    pub moment: Memo<Option<Moment>>,
    /// Another play is on its way.
    pub is_pending: Signal<bool>,
    /// How often the reader has moved through the play.
    pub moves: StoredValue<usize>,
    /// Plays the play of the address again, after an error.
    pub retry: Callback<()>,
}

/// Follows the play in the address. The shown play stays until the answer for another one arrives.
pub fn use_playing(play: Memo<Result<Play>>, first: Result<Shown>) -> Playing {
    let error = RwSignal::new(first.as_ref().err().cloned());
    let shown = RwSignal::new(first.ok());
    let show = move |answer: Result<Shown>| match answer {
        Ok(news) => {
            error.set(None);
            shown.set(Some(news));
        }
        Err(why) => error.set(Some(why)),
    };
    let latest = use_latest_answer(play, replay, show);
    let retry = Callback::new(move |()| latest.ask(move || replay(play.get_untracked()), show));
    let search = use_page_search();
    let at = Memo::new(move |last: Option<&usize>| {
        let (length, is_shown) = shown.with(|shown| {
            let Some(shown) = shown else { return (0, false) };
            (shown.trace.steps.len(), play.with(|play| play.as_ref() == Ok(&shown.play)))
        });
        let named = search.with(|search| parameter(search, "at")).and_then(|at| at.parse().ok());
        // While another play is on its way, its place says nothing about the one that is shown.
        let place = if is_shown { named } else { last.copied().or(named) };
        length.min(place.unwrap_or(length))
    });
    let moment = Memo::new(move |_| shown.with(|shown| shown.as_ref().map(|shown| shown.trace.at(at.get()))));
    let is_pending = Signal::derive(move || latest.is_pending());
    Playing { shown, error, at, moment, is_pending, moves: StoredValue::new(0), retry }
}

impl Playing {
    /// Reads a participant as it is now.
    fn participant<T>(self, letter: char, read: impl FnOnce(&Participant) -> T) -> Option<T> {
        self.moment.with(|now| now.as_ref()?.participants.iter().find(|one| one.letter == letter).map(read))
    }

    /// Whether a participant cannot go on until another has taken a step.
    fn waits(self, letter: char) -> bool {
        self.participant(letter, |one| one.next.is_some() && !one.can_go).unwrap_or_default()
    }

    /// Whether somebody is at work at times, so that time can pass.
    fn can_work(self) -> bool {
        self.shown.with(|shown| shown.as_ref().is_some_and(|shown| pseudo::has_work(&shown.play.strategy)))
    }
}

/// Shows a play.
#[component]
pub fn Player(
    playing: Playing,
    /// All strategies of the lab.
    strategies: StoredValue<Vec<StrategyInfo>>,
    /// What stands below the sentence about the last step, such as a verdict.
    children: Children,
) -> impl IntoView {
    view! {
        <div class="player">
            <Code playing strategies />
            <div class="player-side">
                <Keys playing />
                <Phones playing />
            </div>
            <div class="player-news">
                <div role="status">
                    <Caption playing />
                </div>
                {children()}
            </div>
            <Moves playing />
            <Flights playing />
        </div>
    }
}

/// Shows what everybody was told.
#[component]
fn Phones(playing: Playing) -> impl IntoView {
    let words = words();
    let owners = Memo::new(move |_| {
        playing.shown.with(|shown| {
            let Some(shown) = shown else { return Vec::new() };
            let attempts = shown.trace.participants.iter().map(|one| one.letter).filter(char::is_ascii_digit);
            attempts.map(|letter| (letter, full_name(&shown.play.users, letter))).collect::<Vec<(char, String)>>()
        })
    });
    let phone = move |(letter, owner): (char, String)| {
        let told = Memo::new(move |_| playing.participant(letter, |one| one.told).flatten());
        let class = move || match told.get() {
            Some(model::lab::Told::Won) => format!("phone won player-{letter}"),
            Some(_) => format!("phone told player-{letter}"),
            None => format!("phone player-{letter}"),
        };
        view! {
            <li class=class>
                <b>{owner}</b>
                <span>{move || told.get().map_or(words.no_answer, words.phone)}</span>
            </li>
        }
    };
    view! {
        <ul class="phones" aria-label=words.phones>
            <For each=move || owners.get() key=|owner| owner.clone() children=phone />
        </ul>
    }
}

/// Shows what the last step means.
#[component]
fn Caption(playing: Playing) -> impl IntoView {
    let words = words();
    let caption = Memo::new(move |_| {
        let at = playing.at.get();
        playing.shown.with(|shown| shown.as_ref().and_then(|shown| caption(&shown.play, &shown.trace, at)))
    });
    move || match caption.get() {
        Some(caption) => {
            let class = if caption.letter == TIME {
                "caption time".to_owned()
            } else {
                format!("caption player-{}", caption.letter)
            };
            view! { <p class=class class:harm=caption.is_harm>{caption.text}</p> }
        }
        None => view! { <p class="caption".to_owned() class:harm=false>{words.begin.to_owned()}</p> },
    }
}
