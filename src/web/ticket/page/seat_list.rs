//! All seats without the map: a section, a row, and the row's seats as buttons. The list offers the same actions as the
//! map, by keyboard and screen reader. Only one row's seats are in the document.

mod cursor;
mod row_choice;
mod seat_row;

use crate::{
    components::Button,
    ticket::{
        page::{
            Sale,
            map::Handle,
            seat_list::{
                cursor::{SeatCursor, use_seat_cursor},
                row_choice::RowChoice,
                seat_row::SeatRow,
            },
        },
        words::words,
    },
};
use leptos::prelude::*;

/// Shows the choices of a section and a row, and the seats of that row.
#[component]
pub fn SeatList(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// Shows a seat on the map.
    map: Handle,
) -> impl IntoView {
    let words = words();
    let cursor = use_seat_cursor(sale);
    let show_on_map = move || map.show(vec![cursor.seat_untracked()]);
    view! {
        <section class="card seat-list" aria-labelledby="seat-list-title">
            <div class="bar">
                <h2 id="seat-list-title">{words.by_row}</h2>
                <Button class="quiet" on_click=show_on_map>
                    {words.show_on_map}
                </Button>
            </div>
            <RowChoice cursor />
            <SeatRow cursor />
            <p class="aside" id="seat-list-hint">
                {words.by_row_hint}
            </p>
        </section>
    }
}
