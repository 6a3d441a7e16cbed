//! The reader's position in the list of seats.

use crate::{
    components::keep_in_tab,
    ticket::page::{Sale, categories::row_label},
};
use leptos::{ev::KeyboardEvent, prelude::*};
use model::ticket::hall::Hall;

/// The listed row, and the reader's position in it.
#[derive(Clone, Copy)]
pub struct SeatCursor {
    /// The sale on the page.
    pub sale: Sale,
    /// The index of the section in the hall.
    pub section: RwSignal<usize>,
    /// The index of the row in the section.
    pub row: RwSignal<usize>,
    /// The index of the row's seat that the Tab key leads to.
    pub place: RwSignal<u32>,
    /// The seat that gets the focus after a key press, by its number in the hall.
    pub focus: RwSignal<Option<u32>>,
}

impl SeatCursor {
    /// Starts at the first seat of the first section.
    fn new(sale: Sale) -> Self {
        Self {
            sale,
            section: RwSignal::new(0),
            row: RwSignal::new(0),
            place: RwSignal::new(0),
            focus: RwSignal::new(None),
        }
    }

    /// Returns the numbers of a row's seats in the hall, from left to right.
    pub fn seats(self, section: usize, row: usize) -> Vec<u32> {
        self.sale.hall.with_value(|hall| hall.seats_of(section as u16, row as u16).collect())
    }

    /// Returns what a row is called.
    pub fn row_label(self, section: usize, row: usize) -> String {
        let sections = |hall: &Hall| hall.layout.sections.get(section).map(|section| row_label(section, row as u16));
        self.sale.hall.with_value(sections).unwrap_or_default()
    }

    /// Returns the number of a section's rows.
    pub fn rows(self, section: usize) -> usize {
        self.sale.hall.with_value(|hall| hall.layout.sections.get(section).map_or(0, |section| section.rows.len()))
    }

    /// Returns the seat that the Tab key currently leads to, by its number in the hall.
    pub fn seat_untracked(self) -> u32 {
        let seats = self.seats(self.section.get_untracked(), self.row.get_untracked());
        seats.get(self.place.get_untracked() as usize).copied().unwrap_or_default()
    }

    /// Goes to the first row of a section.
    pub fn choose_section(self, section: usize) {
        self.section.set(section);
        self.choose_row(0);
    }

    /// Goes to the first seat of a row.
    pub fn choose_row(self, row: usize) {
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
        self.focus.set(seats.get(place as usize).copied());
    }

    /// Handles arrow keys, which go from seat to seat and from row to row.
    pub fn on_key(self, event: &KeyboardEvent) {
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

/// Returns the reader's position in the list; the row is kept as long as the tab is open.
pub fn use_seat_cursor(sale: Sale) -> SeatCursor {
    let cursor = SeatCursor::new(sale);
    let SeatCursor { section, row, .. } = cursor;
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
    // A section that is filtered out is replaced by the first that is not.
    Effect::new(move || {
        let is_shown = move |section: &usize| sale.shows_section(*section);
        let sections = sale.hall.with_value(|hall| hall.layout.sections.len());
        if !is_shown(&section.get_untracked())
            && let Some(shown) = (0..sections).find(is_shown)
        {
            cursor.choose_section(shown);
        }
    });
    cursor
}
