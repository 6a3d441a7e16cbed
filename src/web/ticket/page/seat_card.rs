//! The card beside the seat under the reader's pointer.

use crate::{
    components::use_latest_answer,
    ticket::{
        api,
        page::sale::{Pointed, Sale},
        words::words,
    },
};
use leptos::prelude::*;
use leptos_use_signal_debounce_throttle::signal_debounced;
use model::{Millis, ticket::seats::SeatState};

/// The time that the reader points at a held seat before the server is asked for the end of its hold.
const PATIENCE_MS: f64 = 120.0;
/// The position, in thousandths of the map, right of or below which the card is on the seat's other side.
const RIGHT: i32 = 500;
const BOTTOM: i32 = 500;

/// Shows the card of the seat in `sale.pointed`, over the map; empty if there is none.
#[component]
pub fn SeatCard(
    /// The sale, which has the seat under the pointer.
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
    /// A seat, and the end of its hold.
    held_until: RwSignal<Option<(u32, Millis)>>,
) -> impl IntoView {
    let words = words();
    let at = move || sale.pointed.get().unwrap_or(Pointed { seat, x: 0, y: 0 });
    let (is_left, is_above) = (move || at().x > RIGHT, move || at().y > BOTTOM);
    let place = move || format!("--x:{};--y:{}", at().x, at().y);
    let category = sale.category(seat);
    let name = sale.hall.with_value(|hall| hall.categories.get(category).map(|category| category.name.clone()));
    let price = format!("{} · {}", sale.category_name(&name.unwrap_or_default()), sale.live.money(sale.price(seat)));
    let now = sale.follow_seat(seat);
    let state = Memo::new(move |_| {
        let is_selected = sale.selection.with(|selection| selection.contains(&seat));
        match now.get() {
            (_, true) => words.mine,
            (SeatState::Free, _) if is_selected => words.chosen,
            (state, _) => (words.state)(state),
        }
    });
    // The result of a press here replaces the state, so that it is announced once.
    let said = move || {
        let said = sale.announcement.with(|said| (said.on_map == Some(seat)).then(|| said.sentence.clone()));
        said.unwrap_or_else(|| state.get().to_owned())
    };
    let free_again = move || {
        let (_, until) = held_until.get().filter(|(held, _)| *held == seat)?;
        let counts = now.get().0 == SeatState::Held && !sale.holds_stand.get();
        counts.then(|| (words.free_again)(sale.time_left(until)))
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

/// Asks for the end of a seat's hold, if the reader keeps pointing at it.
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
