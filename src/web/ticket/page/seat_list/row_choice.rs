//! The choice of a row.

use crate::{
    components::{Field, format::count, use_hydrated},
    ticket::{page::seat_list::SeatCursor, words::words},
};
use leptos::{ev::Event, prelude::*};
use model::ticket::{hall::Section, seats::SeatState};

const SECTION: &str = "seat-list-section";
const ROW: &str = "seat-list-row";

/// Shows the choices of a section and of one of its rows.
#[component]
pub fn RowChoice(
    /// The reader's position in the list.
    cursor: SeatCursor,
) -> impl IntoView {
    let words = words();
    let hydrated = use_hydrated();
    let SeatCursor { sale, section, .. } = cursor;
    let sections = sale.hall.with_value(|hall| hall.layout.sections.clone());
    let section_option = move |(number, section): (usize, Section)| view! { <SectionOption cursor number section /> };
    let rows = move || {
        let section = section.get();
        (0..cursor.rows(section)).map(|row| (section, row)).collect::<Vec<_>>()
    };
    view! {
        <div class="row-choice">
            <Field id=SECTION label=words.section>
                <select
                    id=SECTION
                    disabled=move || !hydrated.get()
                    prop:value=move || section.get().to_string()
                    on:change=move |event| cursor.choose_section(chosen(&event))
                >
                    {sections.into_iter().enumerate().map(section_option).collect_view()}
                </select>
            </Field>
            <Field id=ROW label=words.row_label>
                <select
                    id=ROW
                    disabled=move || !hydrated.get()
                    on:change=move |event| cursor.choose_row(chosen(&event))
                >
                    <For
                        each=rows
                        key=|row| *row
                        children=move |(section, row)| view! { <RowOption cursor section row /> }
                    />
                </select>
            </Field>
        </div>
    }
}

/// Returns the index of a select's chosen option.
fn chosen(event: &Event) -> usize {
    event_target_value(event).parse().unwrap_or_default()
}

/// Shows a section with its category, its price and its number of free seats; hidden while it is filtered out.
#[component]
fn SectionOption(
    /// The reader's position in the list.
    cursor: SeatCursor,
    /// The index of the section in the hall.
    number: usize,
    /// The section.
    section: Section,
) -> impl IntoView {
    let words = words();
    let sale = cursor.sale;
    let Section { id, category, .. } = section;
    let cents = sale.hall.with_value(|hall| {
        let place = hall.layout.categories.iter().position(|name| *name == category);
        place.and_then(|place| sale.prices.with_value(|prices| prices.get(place).copied()))
    });
    let terms = [Some(id), Some(sale.category_name(&category)), sale.shown_price(cents.unwrap_or_default())];
    let terms = terms.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let free = Memo::new(move |_| sale.free_by_section.with(|free| free.get(number).copied().unwrap_or_default()));
    view! {
        <option value=number hidden=move || !sale.shows_section(number)>
            {move || format!("{terms} · {}", (words.free_count)(count(free.get().into())))}
        </option>
    }
}

/// Shows a row with its number of free seats.
#[component]
fn RowOption(
    /// The reader's position in the list.
    cursor: SeatCursor,
    /// The index of its section.
    section: usize,
    /// Its index in the section.
    row: usize,
) -> impl IntoView {
    let words = words();
    let sale = cursor.sale;
    let seats = cursor.seats(section, row);
    let free = move || {
        // About once a second is often enough.
        sale.free_by_section.track();
        seats.iter().filter(|seat| sale.seat_state_untracked(**seat) == SeatState::Free).count() as u64
    };
    let name = (words.row)(cursor.row_label(section, row));
    let is_chosen = move || cursor.row.get() == row;
    view! {
        <option value=row prop:selected=is_chosen>
            {move || format!("{name} · {}", (words.free_count)(count(free())))}
        </option>
    }
}
