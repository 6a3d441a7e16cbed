//! A side: its people, its hall, its figures, and who bought a seat.

use crate::{
    components::{Definition, Figure, format::count},
    lab::{
        duel::{
            player::{Player, Twice},
            replay::Replay,
            words::words,
        },
        words::strategy_name,
    },
    playback::State,
};
use leptos::{ev::PointerEvent, prelude::*};
use model::lab::duel::ITEMS;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// The number of buyers of a seat that are named.
const NAMED: usize = 2;

/// Who bought a seat so far, as a sentence.
fn buyers(replay: &Replay, seat: u32) -> String {
    let users = replay.users(seat);
    if users.is_empty() {
        return (words().free)(seat);
    }
    let names: Vec<String> = users.iter().take(NAMED).map(|user| format!("user-{user}")).collect();
    (words().bought)(seat, &names, users.len().saturating_sub(NAMED))
}

/// Shows a side.
#[component]
pub fn SideView(
    /// 0 is on the left, 1 on the right.
    nth: usize,
    /// The id of its strategy.
    #[prop(into)]
    name: Signal<String>,
    /// The player, which fills the hall.
    player: Player,
    /// The number of attempts of the crowd, once there is a record.
    attempts: Memo<Option<u64>>,
) -> impl IntoView {
    let words = words();
    let Player { playback, shown, nodes, .. } = player;
    let name = move || strategy_name(&name.read());
    let pointed = RwSignal::new(None::<u32>);
    let point = move |event: PointerEvent| {
        let seat = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if let Some(seat) = seat.and_then(|seat| nodes[nth].seat_of(&seat)) {
            pointed.set(Some(seat));
        }
    };
    let figures = Memo::new(move |_| shown.with(|shown| shown.sides[nth]));
    let readout = move || {
        shown.track();
        let pointed = pointed.get().and_then(|seat| player.with_side(nth, |replay| buyers(replay, seat)));
        pointed.unwrap_or_else(|| words.point.to_owned())
    };
    let is_gathering = Memo::new(move |_| playback.state.get() == State::Loading);
    let (title, seats) = (["left-title", "right-title"][nth], "<i></i>".repeat(ITEMS as usize));
    view! {
        <section class="side" class:right=nth == 1 aria-labelledby=title>
            <h2 id=title>{name}</h2>
            <div
                class="people"
                class:gathering=move || is_gathering.get()
                node_ref=nodes[nth].people
                aria-hidden="true"
            ></div>
            <div
                class="duel-hall"
                role="img"
                aria-label=move || (words.hall)(name(), ITEMS.into())
                node_ref=nodes[nth].hall
                on:pointerover=point
                on:pointerdown=point
                inner_html=seats
            ></div>
            <dl class="duel-figures">
                <Definition term=words.sold class="given">
                    <b>
                        <Figure value=Signal::derive(move || figures.get().given) />
                    </b>
                </Definition>
                <Definition term=words.twice class="again">
                    <b>
                        <Figure value=Signal::derive(move || figures.get().twice) />
                    </b>
                </Definition>
                <Definition term=words.answered>
                    <Figure value=Signal::derive(move || figures.get().answered) />
                    {move || attempts.get().map(|attempts| {
                        view! { <span class="aside">" / " {count(attempts)}</span> }
                    })}
                </Definition>
                <Definition term=words.refused>
                    <Figure value=Signal::derive(move || figures.get().refused()) />
                </Definition>
            </dl>
            <p class="aside readout">
                {move || if is_gathering.get() { words.gathering.to_owned() } else { readout() }}
            </p>
        </section>
    }
}

/// Shows the seats that were sold twice last, and all of them while the play stands still.
#[component]
pub fn Latest(
    /// The player.
    player: Player,
) -> impl IntoView {
    let words = words();
    let latest = Memo::new(move |_| player.shown.with(|shown| shown.latest.clone()));
    let line = move |Twice { seat, users }: Twice| {
        let names = users.map(|user| format!("user-{user}"));
        view! { <li>{(words.bought)(seat, &names, 0)}</li> }
    };
    let all = Memo::new(move |_| {
        player.shown.track();
        let stands = matches!(player.playback.state.get(), State::Paused | State::Over);
        stands.then(|| player.with_side(0, every_seat)).flatten().unwrap_or_default()
    });
    view! {
        <div class="latest">
            <h3>{words.latest}</h3>
            <ul>{move || latest.get().into_iter().map(line).collect_view()}</ul>
        </div>
        <div class="all-twice">
            <details hidden=move || all.with(Vec::is_empty)>
                <summary>{move || (words.all_twice)(all.with(Vec::len) as u64)}</summary>
                <ul tabindex="0" aria-label=words.twice>
                    {move || all.get().into_iter().map(|seat| view! { <li>{seat}</li> }).collect_view()}
                </ul>
            </details>
        </div>
    }
}

/// A line for each seat that was sold more than once, in the order of their numbers.
fn every_seat(replay: &Replay) -> Vec<String> {
    let mut seats = replay.twice().to_vec();
    seats.sort_unstable();
    seats.into_iter().map(|seat| buyers(replay, seat)).collect()
}
