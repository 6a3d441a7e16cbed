//! The card beside the seat that somebody points at.

use super::Sale;
use crate::{
    nodes,
    sales::{
        Millis,
        ticket::{SeatInfo, api::SeatRequest, seats::SeatState, words::words},
    },
    ui::{
        ask::ask,
        format::money,
        node::{El, el, item, live, maybe},
        work::{after, effect},
    },
};
use leptos::prelude::*;
use std::time::Duration;

/// How long somebody points at a held seat before the server is asked until when.
const PATIENCE: Duration = Duration::from_millis(120);

pub fn card(sale: Sale) -> El {
    let words = words();
    let until = RwSignal::new(None::<(u32, Millis)>);
    learn(sale, until);
    let card = maybe(move || {
        let pointed = sale.pointed.get()?;
        Some(item(u64::from(pointed.seat), move || {
            let seat = pointed.seat;
            let category = sale.category(seat);
            let name = sale.hall.with_value(|hall| hall.categories.get(category).map(|category| category.name.clone()));
            let place = move || {
                let pointed = sale.pointed.get();
                let (x, y) = pointed.map_or((0, 0), |pointed| (pointed.x, pointed.y));
                ["--x:", &x.to_string(), ";--y:", &y.to_string()].concat()
            };
            let class = move || {
                let pointed = sale.pointed.get();
                let (left, above) = pointed.map_or((false, false), |pointed| (pointed.x > 600, pointed.y > 500));
                match (left, above) {
                    (false, false) => "seat-card",
                    (true, false) => "seat-card left",
                    (false, true) => "seat-card above",
                    (true, true) => "seat-card left above",
                }
            };
            let state = move || {
                sale.seats_version.track();
                let chosen = sale.selection.with(|choice| choice.contains(&seat));
                sale.my_orders.list.track();
                match sale.seat_state(seat) {
                    _ if sale.is_mine(seat) => words.mine.to_owned(),
                    SeatState::Free if chosen => words.chosen.to_owned(),
                    state => (words.state)(state).to_owned(),
                }
            };
            let held = move || {
                sale.seats_version.track();
                let due = until.get().filter(|(about, _)| *about == seat && sale.seat_state(seat) == SeatState::Held);
                due.map_or_else(String::new, |(_, due)| (words.free_again)(sale.time_left(due)))
            };
            el("div").live("class", move || class().to_owned()).live("style", place).with(nodes![
                el("b").text(sale.seat_name(seat)),
                el("span").text([name.unwrap_or_default().as_str(), " · ", &money(sale.price(seat))].concat()),
                el("span").with(nodes![live(state)]),
                el("span").class("until").with(nodes![live(held)]),
            ])
        }))
    });
    el("div").class("cards").attr("role", "status").with(nodes![card])
}

/// Asks until when a seat is held, if somebody goes on pointing at it.
fn learn(sale: Sale, until: RwSignal<Option<(u32, Millis)>>) {
    let mut was = None;
    effect(move || {
        let seat = sale.pointed.with(|pointed| pointed.map(|pointed| pointed.seat));
        sale.seats_version.track();
        let wanted = seat.filter(|seat| sale.seat_state(*seat) == SeatState::Held);
        if wanted == was {
            return;
        }
        was = wanted;
        let Some(seat) = wanted else { return };
        let still =
            move || sale.pointed.try_with_untracked(|pointed| pointed.map(|pointed| pointed.seat)) == Some(Some(seat));
        after(PATIENCE, move || {
            if still() {
                ask(SeatRequest { sale: sale.id(), seat: sale.seat_name(seat) }, move |answer| {
                    if let Ok(SeatInfo { held_until: Some(due), .. }) = answer {
                        until.try_set(Some((seat, due)));
                    }
                });
            }
        });
    });
}
