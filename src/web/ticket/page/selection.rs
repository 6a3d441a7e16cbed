//! The selection of seats, one by one.

use crate::{
    components::keep_in_tab,
    ticket::{
        page::sale::{Announcement, Sale},
        words::words,
    },
};
use leptos::prelude::*;
use model::ticket::seats::SeatState;

impl Sale {
    /// Keeps the selection as long as the tab is open: after a reload, as for another language, it is restored, except
    /// seats that are no longer free.
    pub fn keep_selection(self) {
        keep_in_tab(
            format!("seats:{}", self.id()),
            move || self.selection.get(),
            move |seats: Vec<u32>| {
                let is_free = |seat: &u32| {
                    self.hall.with_value(|hall| *seat < hall.seats())
                        && self.seat_state_untracked(*seat) == SeatState::Free
                };
                self.selection.set(seats.into_iter().filter(is_free).take(self.max_selected()).collect());
            },
        );
    }

    /// Selects a seat, or deselects it, and announces the result.
    pub fn toggle(self, seat: u32) {
        self.toggle_at(seat, None);
    }

    /// Does the same on the map, where the result is announced.
    pub fn toggle_on_map(self, seat: u32) {
        self.toggle_at(seat, Some(seat));
    }

    fn toggle_at(self, seat: u32, on_map: Option<u32>) {
        if self.is_preview || self.attempts.pending.get_untracked() {
            return;
        }
        let words = words();
        let name = self.seat_name(seat);
        let (is_selected, selected) =
            self.selection.with_untracked(|selection| (selection.contains(&seat), selection.len()));
        let sentence = if is_selected {
            self.selection.update(|selection| selection.retain(|other| *other != seat));
            (words.deselected)(name)
        } else if self.is_mine_untracked(seat) {
            (words.is_mine)(name)
        } else if self.seat_state_untracked(seat) != SeatState::Free {
            (words.is_not_free)(name, self.seat_state_untracked(seat))
        } else if selected >= self.max_selected() {
            (words.no_more)(self.max_selected() as u64)
        } else {
            self.selection.update(|selection| selection.push(seat));
            (words.selected)(name, self.live.money(self.price(seat)))
        };
        self.announcement.set(Announcement { sentence, on_map });
        self.deselect_taken();
    }

    /// Announces an event of the selection; an empty sentence retracts the last one.
    pub fn announce(self, sentence: String) {
        self.announcement.set(Announcement { sentence, on_map: None });
    }

    /// Announces the result of a key on the map, at the seat where it was pressed.
    pub fn announce_on_map(self, sentence: String, seat: u32) {
        self.announcement.set(Announcement { sentence, on_map: Some(seat) });
    }

    /// Retracts the last announcement when an order ends: its seats are no longer held for the reader.
    pub fn retract_announcements(self) {
        Effect::new(move |before: Option<usize>| {
            let now = self.my_orders.list.with(|orders| orders.iter().filter(|order| !order.state.is_over()).count());
            if before.is_some_and(|before| now < before) {
                self.announce(String::new());
            }
            now
        });
    }

    /// Deselects seats that are not free any more, and announces it. While an attempt is pending, or was never
    /// answered, their owner is unknown; the answer to the next attempt names the taken ones.
    pub fn deselect_taken(self) {
        if untrack(|| self.attempts.is_unknown()) {
            return;
        }
        let is_taken = |seat: &u32| self.seat_state_untracked(*seat) != SeatState::Free;
        let taken: Vec<u32> =
            self.selection.with_untracked(|selection| selection.iter().copied().filter(is_taken).collect());
        if !taken.is_empty() {
            self.selection.update(|selection| selection.retain(|seat| !taken.contains(seat)));
            let is_blocked = |seat: &u32| self.seat_state_untracked(*seat) == SeatState::Blocked;
            let (blocked, others): (Vec<u32>, Vec<u32>) = taken.iter().copied().partition(is_blocked);
            let said = [(others, words().taken_now), (blocked, words().off_sale_now)].map(|(seats, say)| {
                let names: Vec<String> = seats.iter().map(|seat| self.seat_name(*seat)).collect();
                if names.is_empty() { String::new() } else { say(names.join(", "), names.len() as u64) }
            });
            self.announce(said.join(" ").trim().to_owned());
        }
    }
}
