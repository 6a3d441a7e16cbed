//! The card beside the seat that the reader points at.

use crate::{
    components::{format::money, use_latest_answer},
    ticket::{
        api,
        page::sale::{Pointed, Sale},
        words::words,
    },
};
use leptos::prelude::*;
use leptos_use_signal_debounce_throttle::signal_debounced;
use model::{Millis, ticket::seats::SeatState};

/// How long the reader points at a held seat before the server is asked until when it is held.
const PATIENCE_MS: f64 = 120.0;
/// Right of and below these places, in thousandths of the map, the card stands on the seat's other side.
const RIGHT: i32 = 600;
const BOTTOM: i32 = 500;

/// A place over the map for the card of the seat that `sale.pointed` names; empty while it names none.
#[component]
pub fn SeatCard(
    /// The sale, which knows the seat that is pointed at.
    sale: Sale,
) -> impl IntoView {
    let pointed = Memo::new(move |_| sale.pointed.with(|pointed| pointed.map(|pointed| pointed.seat)));
    let held_until = use_held_until(sale, pointed);
    view! {
        <div class="cards" role="status" aria-atomic="false">
            {move || pointed.get().map(|seat| view! { <Card sale seat held_until /> })}
        </div>
    }
}

#[component]
fn Card(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// Its number in the hall.
    seat: u32,
    /// A seat, and until when it is held.
    held_until: RwSignal<Option<(u32, Millis)>>,
) -> impl IntoView {
    let words = words();
    let at = move || sale.pointed.get().unwrap_or(Pointed { seat, x: 0, y: 0 });
    let (is_left, is_above) = (move || at().x > RIGHT, move || at().y > BOTTOM);
    let place = move || format!("--x:{};--y:{}", at().x, at().y);
    let category = sale.category(seat);
    let name = sale.hall.with_value(|hall| hall.categories.get(category).map(|category| category.name.clone()));
    let price = format!("{} · {}", sale.category_name(&name.unwrap_or_default()), money(sale.price(seat)));
    let now = sale.follow_seat(seat);
    let state = Memo::new(move |_| {
        let is_selected = sale.selection.with(|selection| selection.contains(&seat));
        match now.get() {
            (_, true) => words.mine,
            (SeatState::Free, _) if is_selected => words.chosen,
            (state, _) => (words.state)(state),
        }
    });
    // What a press here did, in place of the state: so it is said once.
    let said = move || {
        let said = sale.announcement.with(|said| (said.on_map == Some(seat)).then(|| said.sentence.clone()));
        said.unwrap_or_else(|| state.get().to_owned())
    };
    let free_again = move || {
        let (_, until) = held_until.get().filter(|(held, _)| *held == seat)?;
        (now.get().0 == SeatState::Held).then(|| (words.free_again)(sale.time_left(until)))
    };
    view! {
        <div class="seat-card" class:left=is_left class:above=is_above style=place>
            <b>{sale.seat_name(seat)}</b>
            <span>{price}</span>
            <span>{said}</span>
            // A countdown is not announced.
            <span class="until" role="timer">
                {free_again}
            </span>
        </div>
    }
}

/// Asks until when a seat is held, if the reader goes on pointing at it.
fn use_held_until(sale: Sale, pointed: Memo<Option<u32>>) -> RwSignal<Option<(u32, Millis)>> {
    let held_until = RwSignal::new(None);
    let held = Memo::new(move |_| pointed.get().filter(|seat| sale.seat_state(*seat) == SeatState::Held));
    let asked: Signal<Option<u32>> = signal_debounced(held, PATIENCE_MS);
    use_latest_answer(
        Memo::new(move |_| asked.get()),
        move |seat| {
            let answer = seat.map(|seat| (seat, api::seat(sale.id(), sale.seat_name(seat))));
            async move {
                let (seat, answer) = answer?;
                Some((seat, answer.await.ok()?.held_until?))
            }
        },
        move |answer| held_until.set(answer),
    );
    held_until
}
