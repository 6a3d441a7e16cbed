//! Every seat without the map: a section, a row, and the row's seats as buttons. It can do what the map can, by
//! keyboard and screen reader. Only one row's seats are in the document.

use super::{Sale, map::Handle};
use crate::{
    components::{
        Button,
        format::{count, money},
        keep_in_tab, use_hydrated,
    },
    sales::ticket::{
        hall::{Row, Section},
        seats::SeatState,
        words::words,
    },
};
use leptos::{
    ev::{Event, KeyboardEvent},
    html,
    prelude::*,
};
use std::ops::Range;

const SECTION: &str = "seat-list-section";
const ROW: &str = "seat-list-row";

/// The row whose seats are listed, and the reader's place in it.
#[derive(Clone, Copy)]
struct SeatCursor {
    sale: Sale,
    section: RwSignal<usize>,
    row: RwSignal<usize>,
    /// The seat of the row, from 0, that the Tab key leads to.
    place: RwSignal<u32>,
    /// The seat that a key has gone to and that is to have the focus.
    focus: RwSignal<Option<u32>>,
}

impl SeatCursor {
    /// The numbers of a row's seats.
    fn seats(self, section: usize, row: usize) -> Range<u32> {
        self.sale.hall.with_value(|hall| {
            let row = hall.row(section as u16, row as u16).and_then(|row| hall.rows.get(row as usize));
            row.map_or(0..0, |Row { first_seat, seats, .. }| *first_seat..first_seat + u32::from(*seats))
        })
    }

    /// How many rows a section has.
    fn rows(self, section: usize) -> usize {
        self.sale.hall.with_value(|hall| hall.layout.sections.get(section).map_or(0, |section| section.rows.len()))
    }

    fn choose_section(self, section: usize) {
        self.section.set(section);
        self.choose_row(0);
    }

    fn choose_row(self, row: usize) {
        self.row.set(row);
        self.place.set(0);
        self.focus.set(None);
    }

    /// Moves the focus to a seat of the section.
    fn focus_seat(self, row: usize, place: u32) {
        let seats = self.seats(self.section.get_untracked(), row);
        let place = place.min((seats.len() as u32).saturating_sub(1));
        self.row.set(row);
        self.place.set(place);
        self.focus.set(Some(seats.start + place));
    }

    /// Arrows go from seat to seat and from row to row.
    fn on_key(self, event: &KeyboardEvent) {
        let (section, row, place) =
            (self.section.get_untracked(), self.row.get_untracked(), self.place.get_untracked());
        let last = (self.seats(section, row).len() as u32).saturating_sub(1);
        let (row, place) = match event.key().as_str() {
            "ArrowLeft" => (row, place.saturating_sub(1)),
            "ArrowRight" => (row, (place + 1).min(last)),
            "Home" => (row, 0),
            "End" => (row, last),
            "ArrowUp" => (row.saturating_sub(1), place),
            "ArrowDown" => ((row + 1).min(self.rows(section).saturating_sub(1)), place),
            _ => return,
        };
        event.prevent_default();
        self.focus_seat(row, place);
    }
}

/// Choices of a section and a row, and the seats of that row.
#[component]
pub fn SeatList(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// Shows a seat on the map.
    map: Handle,
) -> impl IntoView {
    let words = words();
    let hydrated = use_hydrated();
    let cursor = SeatCursor {
        sale,
        section: RwSignal::new(0),
        row: RwSignal::new(0),
        place: RwSignal::new(0),
        focus: RwSignal::new(None),
    };
    let SeatCursor { section, row, place, .. } = cursor;
    keep_in_tab(
        format!("row:{}", sale.id()),
        move || (section.get(), row.get()),
        move |(section, row)| {
            if row < cursor.rows(section) {
                cursor.choose_section(section);
                cursor.choose_row(row);
            }
        },
    );
    // A section that is filtered out gives way to the first that is not.
    Effect::new(move || {
        let is_shown = move |section: &usize| sale.shows_section(*section);
        let sections = sale.hall.with_value(|hall| hall.layout.sections.len());
        if !is_shown(&section.get_untracked())
            && let Some(shown) = (0..sections).find(is_shown)
        {
            cursor.choose_section(shown);
        }
    });
    let row_seats = move || {
        let row = row.get();
        cursor
            .seats(section.get(), row)
            .zip(0..)
            .map(|(seat, place)| SeatPlace { row, place, seat })
            .collect::<Vec<_>>()
    };
    let sections = sale.hall.with_value(|hall| hall.layout.sections.clone());
    let section_option = move |(number, spec): (usize, Section)| {
        let cents = sale.hall.with_value(|hall| {
            let category = hall.layout.categories.iter().position(|name| *name == spec.category);
            category.and_then(|category| sale.prices.with_value(|prices| prices.get(category).copied()))
        });
        let terms =
            format!("{} · {} · {}", spec.id, sale.category_name(&spec.category), money(cents.unwrap_or_default()));
        let free = Memo::new(move |_| sale.free_by_section.with(|free| free.get(number).copied().unwrap_or_default()));
        view! {
            <option value=number hidden=move || !sale.shows_section(number)>
                {move || format!("{terms} · {}", (words.free_count)(count(free.get().into())))}
            </option>
        }
    };
    let row_option = move |(section, row): (usize, usize)| {
        let seats = cursor.seats(section, row);
        let free = move || {
            // About once a second is often enough.
            sale.free_by_section.track();
            seats.clone().filter(|seat| sale.seat_state(*seat) == SeatState::Free).count() as u64
        };
        let name = (words.row)(row as u64 + 1);
        let is_chosen = move || cursor.row.get() == row;
        view! { <option value=row prop:selected=is_chosen>{move || format!("{name} · {}", (words.free_count)(count(free())))}</option> }
    };
    let rows = move || {
        let section = section.get();
        (0..cursor.rows(section)).map(|row| (section, row)).collect::<Vec<_>>()
    };
    let row_name = move || {
        let name = sale.hall.with_value(|hall| hall.layout.sections.get(section.get()).map(|spec| spec.id.clone()));
        (words.seats_of)(name.unwrap_or_default(), row.get() as u64 + 1)
    };
    let show_on_map = move || {
        let seats = cursor.seats(section.get_untracked(), row.get_untracked());
        map.show(vec![seats.start + place.get_untracked()]);
    };
    view! {
        <section class="card seat-list" aria-labelledby="seat-list-title">
            <div class="bar">
                <h2 id="seat-list-title">{words.by_row}</h2>
                <Button class="quiet" on_click=show_on_map>
                    {words.show_on_map}
                </Button>
            </div>
            <div class="row-choice">
                <div class="field">
                    <label for=SECTION>{words.section}</label>
                    <select
                        id=SECTION
                        disabled=move || !hydrated.get()
                        prop:value=move || section.get().to_string()
                        on:change=move |event| cursor.choose_section(chosen(&event))
                    >
                        {sections.into_iter().enumerate().map(section_option).collect_view()}
                    </select>
                </div>
                <div class="field">
                    <label for=ROW>{words.row_label}</label>
                    <select
                        id=ROW
                        disabled=move || !hydrated.get()
                        on:change=move |event| cursor.choose_row(chosen(&event))
                    >
                        <For each=rows key=|row| *row children=row_option />
                    </select>
                </div>
            </div>
            <div class="row-of-seats">
                <div
                    class="seat-row"
                    role="group"
                    aria-label=row_name
                    aria-describedby="seat-list-hint"
                    on:keydown=move |event| cursor.on_key(&event)
                >
                    <For
                        each=row_seats
                        key=|at| at.seat
                        children=move |at| view! { <SeatButton cursor at /> }
                    />
                </div>
            </div>
            <p class="aside" id="seat-list-hint">
                {words.by_row_hint}
            </p>
        </section>
    }
}

/// The place of a select's chosen option.
fn chosen(event: &Event) -> usize {
    event_target_value(event).parse().unwrap_or_default()
}

/// A seat, and where it is in its section. Rows and places count from 0.
#[derive(Clone, Copy)]
struct SeatPlace {
    row: usize,
    place: u32,
    seat: u32,
}

#[component]
fn SeatButton(
    /// Where the reader is in the list.
    cursor: SeatCursor,
    /// The seat, by its row, its place there and its number in the hall.
    at: SeatPlace,
) -> impl IntoView {
    let words = words();
    let hydrated = use_hydrated();
    let sale = cursor.sale;
    let SeatPlace { row, place, seat } = at;
    let is_selected = Memo::new(move |_| sale.selection.with(|selection| selection.contains(&seat)));
    let state = Memo::new(move |_| {
        sale.seats_version.track();
        sale.my_orders.list.track();
        (sale.seat_state(seat), sale.is_mine(seat))
    });
    let class = move || match (state.get(), is_selected.get()) {
        ((_, true), _) => "seat mine",
        (_, true) => "seat chosen",
        ((SeatState::Free, _), _) => "seat free",
        ((SeatState::Held, _), _) => "seat held",
        ((SeatState::Sold, _), _) => "seat sold",
    };
    let label = move || {
        let (state, is_mine) = state.get();
        let state = if is_mine { words.mine } else { (words.state)(state) };
        (words.seat_name)(row as u64 + 1, u64::from(place) + 1, state, money(sale.price(seat)))
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
            {place + 1}
        </button>
    }
}
