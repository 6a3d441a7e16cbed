//! The seats of a row.

use crate::{
    components::use_hydrated,
    ticket::{page::seat_list::SeatCursor, words::words},
};
use leptos::{html, prelude::*};
use model::ticket::seats::SeatState;

/// Shows the seats of the reader's row, as buttons.
#[component]
pub fn SeatRow(
    /// The reader's position in the list.
    cursor: SeatCursor,
) -> impl IntoView {
    let words = words();
    let SeatCursor { sale, section, row, .. } = cursor;
    let seats = move || {
        let row = row.get();
        cursor
            .seats(section.get(), row)
            .into_iter()
            .zip(0..)
            .map(|(seat, place)| SeatPlace { row, place, seat })
            .collect::<Vec<_>>()
    };
    let name = move || {
        let name = sale.hall.with_value(|hall| hall.layout.sections.get(section.get()).map(|spec| spec.id.clone()));
        (words.seats_of)(name.unwrap_or_default(), cursor.row_label(section.get(), row.get()))
    };
    view! {
        <div class="row-of-seats">
            <div
                class="seat-row"
                role="group"
                aria-label=name
                aria-describedby="seat-list-hint"
                on:keydown=move |event| cursor.on_key(&event)
            >
                <For each=seats key=|at| at.seat children=move |at| view! { <SeatButton cursor at /> } />
            </div>
        </div>
    }
}

/// A seat, and its position in its section. Rows and places count from 0.
#[derive(Clone, Copy)]
struct SeatPlace {
    row: usize,
    place: u32,
    seat: u32,
}

#[component]
fn SeatButton(
    /// The reader's position in the list.
    cursor: SeatCursor,
    /// The seat, by its row, its place there and its number in the hall.
    at: SeatPlace,
) -> impl IntoView {
    let words = words();
    let hydrated = use_hydrated();
    let sale = cursor.sale;
    let SeatPlace { row, place, seat } = at;
    let number = sale.hall.with_value(|hall| hall.seat(seat).map(|seat| hall.seat_number(seat)).unwrap_or_default());
    let row_label = cursor.row_label(cursor.section.get_untracked(), row);
    let marks = sale.marks_of(seat);
    let is_selected = Memo::new(move |_| sale.selection.with(|selection| selection.contains(&seat)));
    let state = sale.follow_seat(seat);
    let class = move || match (state.get(), is_selected.get()) {
        ((_, true), _) => "seat mine",
        (_, true) => "seat chosen",
        ((SeatState::Free, _), _) => "seat free",
        ((SeatState::Held, _), _) => "seat held",
        ((SeatState::Sold, _), _) => "seat sold",
        ((SeatState::Blocked, _), _) => "seat blocked",
    };
    let label = move || {
        let (state, is_mine) = state.get();
        let state = if is_mine { words.mine } else { (words.state)(state) };
        // A preview has no prices, so the category says what kind of seat it is.
        let price = sale.shown_price(sale.price(seat)).unwrap_or_else(|| sale.category_name_of(seat));
        let name = (words.seat_name)(row_label.clone(), number.into(), state, price);
        [vec![name], marks.clone()].concat().join(", ")
    };
    let button = NodeRef::<html::Button>::new();
    Effect::new(move || {
        if cursor.focus.get() == Some(seat)
            && let Some(button) = button.get()
        {
            _ = button.focus();
        }
    });
    view! {
        <button
            type="button"
            node_ref=button
            class=class
            tabindex=move || if cursor.place.get() == place { "0" } else { "-1" }
            aria-pressed=move || is_selected.get().to_string()
            aria-label=label
            disabled=move || !hydrated.get()
            on:click=move |_| {
                cursor.place.set(place);
                sale.toggle(seat);
            }
        >
            {number}
        </button>
    }
}
