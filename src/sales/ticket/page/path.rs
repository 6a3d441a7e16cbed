//! The way to every seat without the map: a section, a row, and its seats as buttons. As able as the map, by keyboard
//! and by ear. Only one row's seats are in the document.

use super::{Sale, map::Handle};
use crate::{
    nodes,
    sales::ticket::{seats::SeatState, words::words},
    ui::{
        field::button,
        format::{count, money},
        node::{El, each, el, item, live},
        platform,
        ready::ready,
        work::{after, effect},
    },
};
use leptos::prelude::*;
use std::time::Duration;

const SECTION: &str = "path-section";
const ROW: &str = "path-row";

/// Where the reader is on the way.
#[derive(Clone, Copy)]
struct Way {
    sale: Sale,
    section: RwSignal<usize>,
    row: RwSignal<usize>,
    /// The seat of the row that the Tab key leads to.
    place: RwSignal<u32>,
}

impl Way {
    /// The number of a row's first seat, and how many it has.
    fn seats_of(self, section: usize, row: usize) -> (u32, u32) {
        self.sale.hall.with_value(|hall| {
            let row = hall.row(section as u16, row as u16).and_then(|row| hall.rows.get(row as usize));
            row.map_or((0, 0), |row| (row.first_seat, row.seats.into()))
        })
    }

    fn rows_of(self, section: usize) -> usize {
        self.sale.hall.with_value(|hall| hall.layout.sections.get(section).map_or(0, |section| section.rows.len()))
    }

    /// Goes to a row, and to a seat of it.
    fn go(self, row: usize, place: u32) {
        let (first, seats) = self.seats_of(self.section.get_untracked(), row);
        let place = place.min(seats.saturating_sub(1));
        platform::choose(ROW, row);
        self.row.set(row);
        self.place.set(place);
        // A moment later: the row has to be there.
        after(Duration::ZERO, move || platform::focus(&button_id(first + place)));
    }
}

fn button_id(seat: u32) -> String {
    ["seat-", &seat.to_string()].concat()
}

pub fn path(sale: Sale, map: Handle) -> El {
    let words = words();
    let ready = ready();
    let way = Way { sale, section: RwSignal::new(0), row: RwSignal::new(0), place: RwSignal::new(0) };
    let sections = sale.hall.with_value(|hall| {
        let option = |(number, section): (usize, &crate::sales::ticket::hall::Section)| {
            let place = hall.layout.categories.iter().position(|name| *name == section.category);
            let cents = sale.prices.with_value(|prices| place.and_then(|place| prices.get(place).copied()));
            let name = [section.id.as_str(), " · ", &section.category, " · ", &money(cents.unwrap_or_default()), " · "]
                .concat();
            let free = move || sale.free.with(|free| free.get(number).copied().unwrap_or_default());
            el("option")
                .with(nodes![live(move || [&name, (words.free_count)(count(free().into())).as_str()].concat())])
                .into()
        };
        hall.layout.sections.iter().enumerate().map(option).collect()
    });
    let rows = each(move || {
        let section = way.section.get();
        let option = |row: usize| {
            item((section * 1_000 + row) as u64, move || {
                let (first, seats) = way.seats_of(section, row);
                let free = move || {
                    sale.free.track();
                    (first..first + seats).filter(|seat| sale.state(*seat) == SeatState::Free).count() as u64
                };
                let name = (words.row)(row as u64 + 1);
                el("option")
                    .with(nodes![live(move || [&name, " · ", (words.free_count)(count(free())).as_str()].concat())])
            })
        };
        (0..way.rows_of(section)).map(option).collect()
    });
    let seats = each(move || {
        let (section, row) = (way.section.get(), way.row.get());
        vec![item((section * 1_000 + row) as u64, move || seats(way, section, row))]
    });
    let show = move || {
        let (first, _) = way.seats_of(way.section.get_untracked(), way.row.get_untracked());
        map.show(first + way.place.get_untracked());
    };
    effect(move || {
        if way.section.get() < usize::MAX {
            platform::choose(ROW, 0);
        }
    });
    let choose_section = move |_| {
        way.row.set(0);
        way.place.set(0);
        way.section.set(platform::chosen(SECTION));
    };
    let choose_row = move |_| {
        way.place.set(0);
        way.row.set(platform::chosen(ROW));
    };
    let off = move || !ready.get();
    el("section").class("card path").attr("aria-labelledby", "path-title").with(nodes![
        el("div").class("bar").with(nodes![
            el("h2").attr("id", "path-title").text(words.by_row),
            button("quiet", || false, show).text(words.show_on_map),
        ]),
        el("div").class("ways").with(nodes![
            el("div").class("field").with(nodes![
                el("label").attr("for", SECTION).text(words.section),
                el("select").attr("id", SECTION).when("disabled", off).on("change", choose_section).with(sections),
            ]),
            el("div").class("field").with(nodes![
                el("label").attr("for", ROW).text(words.row_label),
                el("select").attr("id", ROW).when("disabled", off).on("change", choose_row).with(nodes![rows]),
            ]),
        ]),
        el("div").class("row-of-seats").with(nodes![seats]),
        el("p").class("aside").attr("id", "path-means").text(words.by_row_hint),
    ])
}

/// The seats of a row. Arrows go from seat to seat and from row to row; the Tab key comes and goes once.
fn seats(way: Way, section: usize, row: usize) -> El {
    let words = words();
    let (first, seats) = way.seats_of(section, row);
    let name = way.sale.hall.with_value(|hall| hall.layout.sections.get(section).map(|section| section.id.clone()));
    let label = (words.seats_of)(name.unwrap_or_default(), row as u64 + 1);
    let key = move |event: leptos::ev::Event| {
        let place = way.place.get_untracked();
        let last = seats.saturating_sub(1);
        let (row, place) = match platform::word(&event, "key").as_str() {
            "ArrowLeft" => (row, place.saturating_sub(1)),
            "ArrowRight" => (row, (place + 1).min(last)),
            "Home" => (row, 0),
            "End" => (row, last),
            "ArrowUp" => (row.saturating_sub(1), place),
            "ArrowDown" => ((row + 1).min(way.rows_of(section).saturating_sub(1)), place),
            _ => return,
        };
        event.prevent_default();
        way.go(row, place);
    };
    let buttons = (0..seats).map(|place| seat(way, row, place, first + place).into()).collect();
    el("div")
        .class("seat-row")
        .attr("role", "group")
        .attr("aria-label", label)
        .attr("aria-describedby", "path-means")
        .on("keydown", key)
        .with(buttons)
}

fn seat(way: Way, row: usize, place: u32, seat: u32) -> El {
    let (words, sale) = (words(), way.sale);
    let is_chosen = move || sale.choice.with(|choice| choice.contains(&seat));
    let state = move || {
        sale.beat.track();
        sale.orders.track();
        (sale.state(seat), sale.is_mine(seat))
    };
    let class = move || {
        match (state(), is_chosen()) {
            ((_, true), _) => "seat mine",
            (_, true) => "seat chosen",
            ((SeatState::Free, _), _) => "seat free",
            ((SeatState::Held, _), _) => "seat held",
            ((SeatState::Sold, _), _) => "seat sold",
        }
        .to_owned()
    };
    let price = money(sale.price(seat));
    let label = move || {
        let (state, mine) = state();
        let state = if mine { words.mine } else { (words.state)(state) };
        (words.seat_name)(row as u64 + 1, u64::from(place) + 1, state, price.clone())
    };
    let press = move || {
        way.place.set(place);
        sale.toggle(seat);
    };
    button("", || false, press)
        .attr("id", button_id(seat))
        .live("class", class)
        .live("tabindex", move || if way.place.get() == place { "0" } else { "-1" }.to_owned())
        .live("aria-pressed", move || if is_chosen() { "true" } else { "false" }.to_owned())
        .live("aria-label", label)
        .text((place + 1).to_string())
}
