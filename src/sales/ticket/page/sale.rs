//! A sale on its page: what is known of it, and what the reader chose.

use super::{Loaded, heat::Warmth, map::Pointed, mine};
use crate::{
    crowd,
    live::browser::{Link, follow},
    sales::{
        Cents, Millis,
        ticket::{
            Order, Snapshot,
            hall::Hall,
            index::LARGEST_GROUP,
            seats::{SeatState, Seats},
            words::words,
        },
    },
    ui::{
        format::{money, segment},
        platform,
    },
    wire,
};
use leptos::prelude::*;
use std::mem;

/// A sale on the page: what is known of it, and what the reader does there.
#[derive(Clone, Copy)]
pub struct Sale {
    id: StoredValue<String>,
    pub hall: StoredValue<Hall>,
    /// By category.
    pub prices: StoredValue<Vec<Cents>>,
    /// All but the seats and the crowd.
    pub snapshot: RwSignal<Snapshot>,
    /// By number. Not a signal: there are too many, and `beat` tells when some changed.
    pub seats: StoredValue<Vec<SeatState>>,
    /// Counts frames in which seats changed.
    pub beat: RwSignal<u32>,
    /// Seats that changed since the map looked.
    pub fresh: StoredValue<Vec<u32>>,
    /// Free seats by section, in the order of the layout, about once a second.
    pub free: RwSignal<Vec<u32>>,
    /// The snapshot's crowd, apart: it changes at times of its own.
    pub crowd: RwSignal<Option<crowd::Status>>,
    pub warmth: RwSignal<Warmth>,
    pub shows_heat: RwSignal<bool>,
    pub link: RwSignal<Link>,
    /// The browser's clock, once a second while somebody looks; zero before there is a browser.
    pub now: RwSignal<Millis>,
    /// Seats that the reader has chosen, in that order.
    pub choice: RwSignal<Vec<u32>>,
    /// The reader's orders, newest first.
    pub orders: RwSignal<Vec<Order>>,
    /// An attempt of the reader's is on its way.
    pub waiting: RwSignal<bool>,
    /// An attempt of the reader's was never answered: the chosen seats may be the reader's already.
    pub unsure: RwSignal<bool>,
    /// What happened to the reader's choice last.
    pub said: RwSignal<String>,
    /// The seat that the map's card is about.
    pub pointed: RwSignal<Option<Pointed>>,
}

impl Sale {
    pub fn new(Loaded { mut snapshot, plan }: Loaded) -> Self {
        let hall = Hall::laid_out(plan.layout);
        let mut seats = vec![SeatState::Free; hall.seats() as usize];
        let told = mem::replace(&mut snapshot.seats, Seats::Changed(Vec::new()));
        told.apply(&mut seats, |_| {});
        let free = free_by_section(&hall, &seats);
        let sale = Self {
            id: StoredValue::new(snapshot.sale.clone()),
            crowd: RwSignal::new(snapshot.crowd.take()),
            warmth: RwSignal::new(Warmth::new(&snapshot.heat)),
            snapshot: RwSignal::new(snapshot),
            hall: StoredValue::new(hall),
            prices: StoredValue::new(plan.prices),
            seats: StoredValue::new(seats),
            beat: RwSignal::new(0),
            fresh: StoredValue::new(Vec::new()),
            free: RwSignal::new(free),
            shows_heat: RwSignal::new(false),
            link: RwSignal::new(Link::Connecting),
            now: RwSignal::new(0),
            choice: RwSignal::new(Vec::new()),
            orders: RwSignal::new(Vec::new()),
            waiting: RwSignal::new(false),
            unsure: RwSignal::new(false),
            said: RwSignal::new(String::new()),
            pointed: RwSignal::new(None),
        };
        let address = move || ["/live/ticket/", &segment(&sale.id()), "?after=", &sale.event_id()].concat();
        follow(sale.link, address, move |frame| {
            if let Ok(frame) = wire::read(frame.as_bytes()) {
                sale.show(frame);
            }
        });
        sale
    }

    pub fn id(self) -> String {
        self.id.with_value(Clone::clone)
    }

    pub fn event_id(self) -> String {
        self.snapshot.with_untracked(|sale| sale.event_id.to_string())
    }

    /// Part of the snapshot. `fn` and not `Fn`: one piece of machine code serves all parts of a type.
    pub fn read<T>(self, read: fn(&Snapshot) -> T) -> T {
        self.snapshot.with(read)
    }

    /// Takes over a frame. The page may be gone by then.
    pub fn show(self, mut snapshot: Snapshot) {
        let told = mem::replace(&mut snapshot.seats, Seats::Changed(Vec::new()));
        let mut changed = Vec::new();
        let is_ours = self.seats.try_update_value(|seats| told.apply(seats, |number| changed.push(number as u32)));
        match is_ours {
            Some(true) => {}
            // Another hall under the same id: everything has to come anew.
            Some(false) => return platform::reload(),
            None => return,
        }
        let crowd = snapshot.crowd.take();
        if self.crowd.with_untracked(|shown| *shown != crowd) {
            self.crowd.set(crowd);
        }
        self.warmth.update_untracked(|warmth| warmth.add(&snapshot.heat, platform::ticks()));
        self.snapshot.set(snapshot);
        if !changed.is_empty() {
            self.fresh.update_value(|fresh| fresh.append(&mut changed));
            self.beat.update(|beat| *beat += 1);
            self.let_go();
        }
    }

    pub fn state(self, number: u32) -> SeatState {
        self.seats.with_value(|seats| seats.get(number as usize).copied().unwrap_or_default())
    }

    /// `A-12-07`
    pub fn name(self, number: u32) -> String {
        self.hall.with_value(|hall| hall.seat(number).map(|seat| hall.id(seat)).unwrap_or_default())
    }

    pub fn number(self, name: &str) -> Option<u32> {
        self.hall.with_value(|hall| hall.find(name).map(|seat| hall.number(seat)))
    }

    /// The place of a seat's category.
    pub fn category(self, number: u32) -> usize {
        self.hall.with_value(|hall| {
            hall.categories.iter().position(|category| category.seats.contains(&number)).unwrap_or_default()
        })
    }

    pub fn price(self, number: u32) -> Cents {
        let category = self.category(number);
        self.prices.with_value(|prices| prices.get(category).copied().unwrap_or_default())
    }

    /// How many seats may be chosen at once.
    pub fn most(self) -> usize {
        (self.snapshot.with_untracked(|sale| sale.limit_per_user) as usize).min(LARGEST_GROUP)
    }

    /// Chooses a seat, or lets it go, and says what came of it.
    pub fn toggle(self, number: u32) {
        let words = words();
        let name = self.name(number);
        let (chosen, count) = self.choice.with_untracked(|choice| (choice.contains(&number), choice.len()));
        let said = if self.waiting.get_untracked() {
            return;
        } else if chosen {
            self.choice.update(|choice| choice.retain(|other| *other != number));
            (words.deselected)(name)
        } else if self.is_mine(number) {
            (words.is_mine)(name)
        } else if self.state(number) != SeatState::Free {
            (words.is_not_free)(name, self.state(number))
        } else if count >= self.most() {
            (words.no_more)(self.most())
        } else {
            self.choice.update(|choice| choice.push(number));
            (words.selected)(name, money(self.price(number)))
        };
        self.said.set(said);
        // Another wish is another attempt.
        self.unsure.set(false);
        self.let_go();
    }

    pub fn is_mine(self, number: u32) -> bool {
        let name = self.name(number);
        self.orders
            .with_untracked(|orders| orders.iter().any(|order| mine::is_alive(order) && order.seats.contains(&name)))
    }

    /// Lets go of chosen seats that somebody else has by now, and says so. While an attempt is on its way, or was never
    /// answered, nobody knows who that is.
    pub fn let_go(self) {
        if self.waiting.get_untracked() || self.unsure.get_untracked() {
            return;
        }
        let gone: Vec<u32> = self.choice.with_untracked(|choice| {
            choice.iter().copied().filter(|number| self.state(*number) != SeatState::Free).collect()
        });
        if !gone.is_empty() {
            self.choice.update(|choice| choice.retain(|number| !gone.contains(number)));
            let names: Vec<String> = gone.iter().map(|number| self.name(*number)).collect();
            self.said.set((words().taken_now)(names.join(", "), names.len() as u64));
        }
    }
}

/// Free seats of each section, in the order of the layout.
pub fn free_by_section(hall: &Hall, seats: &[SeatState]) -> Vec<u32> {
    let mut free = vec![0; hall.layout.sections.len()];
    for row in &hall.rows {
        let first = row.first_seat as usize;
        let row_seats = &seats[first..first + usize::from(row.seats)];
        free[usize::from(row.section)] += row_seats.iter().filter(|state| **state == SeatState::Free).count() as u32;
    }
    free
}
