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
use model::{
    Millis,
    ticket::{SeatInfo, seats::SeatState},
};

/// The time that the reader points at a held or a blocked seat before the server is asked about it.
const PATIENCE_MS: f64 = 120.0;
/// The position, in thousandths of the map, right of or below which the card is on the seat's other side.
const RIGHT: i32 = 500;
const BOTTOM: i32 = 500;

/// What only the server knows about a seat.
#[derive(Clone, PartialEq)]
struct Details {
    /// Its number in the hall.
    seat: u32,
    /// The end of its hold.
    held_until: Option<Millis>,
    /// Why it is blocked.
    reason: Option<String>,
}

/// Shows the card of the seat in `sale.pointed`, over the map; empty if there is none.
#[component]
pub fn SeatCard(
    /// The sale, which has the seat under the pointer.
    sale: Sale,
) -> impl IntoView {
    let pointed = Memo::new(move |_| sale.pointed.with(|pointed| pointed.map(|pointed| pointed.seat)));
    let details = use_details(sale, pointed);
    view! {
        <div class="cards" role="status" aria-atomic="false">
            {move || pointed.get().map(|seat| view! { <Card sale seat details /> })}
        </div>
    }
}

#[component]
fn Card(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// Its number in the hall.
    seat: u32,
    /// What the server has said about a seat.
    details: RwSignal<Option<Details>>,
) -> impl IntoView {
    let words = words();
    let at = move || sale.pointed.get().unwrap_or(Pointed { seat, x: 0, y: 0 });
    let (is_left, is_above) = (move || at().x > RIGHT, move || at().y > BOTTOM);
    let place = move || format!("--x:{};--y:{}", at().x, at().y);
    let price = [Some(sale.category_name_of(seat)), sale.shown_price(sale.price(seat))];
    let price = price.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let marks = sale.marks_of(seat);
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
    let details = Memo::new(move |_| details.get().filter(|details| details.seat == seat));
    let reason = move || details.get().filter(|_| now.get().0 == SeatState::Blocked)?.reason;
    let free_again = move || {
        let until = details.get()?.held_until?;
        let counts = now.get().0 == SeatState::Held && !sale.holds_stand.get();
        counts.then(|| (words.free_again)(sale.time_left(until)))
    };
    view! {
        <div class="seat-card" class:left=is_left class:above=is_above style=place>
            <b>{sale.seat_name(seat)}</b>
            <span>{price}</span>
            {(!marks.is_empty()).then(|| view! { <span>{marks.join(", ")}</span> })}
            <span>{said}</span>
            {move || reason().map(|reason| view! { <span translate="no">{reason}</span> })}
            // A countdown is not announced.
            <span class="until" role="timer">
                {free_again}
            </span>
        </div>
    }
}

/// Asks for the end of a seat's hold, or for the reason of its block, if the reader keeps pointing at it.
fn use_details(sale: Sale, pointed: Memo<Option<u32>>) -> RwSignal<Option<Details>> {
    let details = RwSignal::new(None);
    let has_details = move |seat: &u32| matches!(sale.seat_state(*seat), SeatState::Held | SeatState::Blocked);
    // A preview's seats are in no sale.
    let to_ask = Memo::new(move |_| pointed.get().filter(|_| !sale.is_preview).filter(has_details));
    let asked: Signal<Option<u32>> = signal_debounced(to_ask, PATIENCE_MS);
    use_latest_answer(
        Memo::new(move |_| asked.get()),
        move |seat| {
            let answer = seat.map(|seat| (seat, api::seat(sale.id(), sale.seat_name(seat))));
            async move {
                let (seat, answer) = answer?;
                let SeatInfo { held_until, reason, .. } = answer.await.ok()?;
                Some(Details { seat, held_until, reason })
            }
        },
        move |answer| details.set(answer),
    );
    details
}
