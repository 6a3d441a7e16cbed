//! The page of one ticket sale: its first paint comes from the server whole; then every frame of the live view says
//! which seats changed, and replaces the figures that all parts read from.

mod attempts;
mod basket;
mod card;
mod choose;
mod head;
mod heat;
mod map;
mod mine;
mod path;
mod source;
mod stock;

use super::{
    Order, SeatingPlan, Snapshot,
    api::{HallRequest, TicketAuditRequest, TicketSnapshotRequest},
    hall::Hall,
    index::LARGEST_GROUP,
    seats::{SeatState, Seats},
};
use crate::{
    crowd::{self, panel::ticket_panel},
    error::Result,
    live::browser::{Link, follow},
    nodes,
    sales::{Cents, Millis},
    ui::{
        ask::asked,
        audit::audit,
        format::{money, segment},
        node::{El, Node, el},
        notice::fault,
        page::page,
        platform,
        title::set_title,
        work::{effect, every},
    },
    wire,
    words::{ticket::ticket_words, words},
};
pub use head::{Standing, badge};
use heat::Warmth;
use leptos::prelude::*;
use leptos_router::{hooks::use_location, location::Url};
use map::Pointed;
use serde::{Deserialize, Serialize};
use std::{mem, time::Duration};

/// What the page needs before anything can be shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Loaded {
    snapshot: Snapshot,
    plan: SeatingPlan,
}

async fn load(sale: String) -> Result<Loaded> {
    let plan = asked(HallRequest { sale: sale.clone() }).await?;
    Ok(Loaded { snapshot: asked(TicketSnapshotRequest { sale }).await?, plan })
}

/// `/tickets/<id>`
pub fn ticket_page() -> Node {
    // Not from the route's parameters: they are decoded twice, and an id may have a percent sign.
    let path = use_location().pathname;
    let id = move || path.with(|path| path.strip_prefix("/tickets/").map(Url::unescape));
    page(
        id,
        |sale| Box::pin(load(sale)),
        |loaded| match loaded {
            Ok(loaded) => house(loaded),
            Err(error) => {
                set_title((words().error_title)(error.code));
                fault(error.code)
            }
        },
    )
}

/// A sale on the page: what is known of it, and what the reader does there.
#[derive(Clone, Copy)]
pub struct Sale {
    id: StoredValue<String>,
    hall: StoredValue<Hall>,
    /// By category.
    prices: StoredValue<Vec<Cents>>,
    /// All but the seats and the crowd.
    snapshot: RwSignal<Snapshot>,
    /// By number. Not a signal: there are too many, and `beat` tells when some changed.
    seats: StoredValue<Vec<SeatState>>,
    /// Counts frames in which seats changed.
    beat: RwSignal<u32>,
    /// Seats that changed since the map looked.
    fresh: StoredValue<Vec<u32>>,
    /// Free seats by section, in the order of the layout, about once a second.
    free: RwSignal<Vec<u32>>,
    /// The snapshot's crowd, apart: it changes at times of its own.
    crowd: RwSignal<Option<crowd::Status>>,
    warmth: RwSignal<Warmth>,
    shows_heat: RwSignal<bool>,
    link: RwSignal<Link>,
    /// The browser's clock, once a second while somebody looks; zero before there is a browser.
    now: RwSignal<Millis>,
    /// Seats that the reader has chosen, in that order.
    choice: RwSignal<Vec<u32>>,
    /// The reader's orders, newest first.
    orders: RwSignal<Vec<Order>>,
    /// An attempt of the reader's is on its way.
    waiting: RwSignal<bool>,
    /// An attempt of the reader's was never answered: the chosen seats may be the reader's already.
    unsure: RwSignal<bool>,
    /// What happened to the reader's choice last.
    said: RwSignal<String>,
    /// The seat that the map's card is about.
    pointed: RwSignal<Option<Pointed>>,
}

impl Sale {
    fn new(Loaded { mut snapshot, plan }: Loaded) -> Self {
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

    fn id(self) -> String {
        self.id.with_value(Clone::clone)
    }

    fn event_id(self) -> String {
        self.snapshot.with_untracked(|sale| sale.event_id.to_string())
    }

    /// Part of the snapshot. `fn` and not `Fn`: one piece of machine code serves all parts of a type.
    fn read<T>(self, read: fn(&Snapshot) -> T) -> T {
        self.snapshot.with(read)
    }

    /// Takes over a frame. The page may be gone by then.
    fn show(self, mut snapshot: Snapshot) {
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

    fn state(self, number: u32) -> SeatState {
        self.seats.with_value(|seats| seats.get(number as usize).copied().unwrap_or_default())
    }

    /// `A-12-07`
    fn name(self, number: u32) -> String {
        self.hall.with_value(|hall| hall.seat(number).map(|seat| hall.id(seat)).unwrap_or_default())
    }

    fn number(self, name: &str) -> Option<u32> {
        self.hall.with_value(|hall| hall.find(name).map(|seat| hall.number(seat)))
    }

    /// The place of a seat's category.
    fn category(self, number: u32) -> usize {
        self.hall.with_value(|hall| {
            hall.categories.iter().position(|category| category.seats.contains(&number)).unwrap_or_default()
        })
    }

    fn price(self, number: u32) -> Cents {
        let category = self.category(number);
        self.prices.with_value(|prices| prices.get(category).copied().unwrap_or_default())
    }

    /// How many seats may be chosen at once.
    fn most(self) -> usize {
        (self.snapshot.with_untracked(|sale| sale.limit_per_user) as usize).min(LARGEST_GROUP)
    }

    /// Chooses a seat, or lets it go, and says what came of it.
    fn toggle(self, number: u32) {
        let words = ticket_words();
        let name = self.name(number);
        let (chosen, count) = self.choice.with_untracked(|choice| (choice.contains(&number), choice.len()));
        let said = if self.waiting.get_untracked() {
            return;
        } else if chosen {
            self.choice.update(|choice| choice.retain(|other| *other != number));
            (words.let_go)(name)
        } else if self.is_mine(number) {
            (words.is_mine)(name)
        } else if self.state(number) != SeatState::Free {
            (words.is_not_free)(name, self.state(number))
        } else if count >= self.most() {
            (words.no_more)(self.most())
        } else {
            self.choice.update(|choice| choice.push(number));
            (words.now_chosen)(name, money(self.price(number)))
        };
        self.said.set(said);
        // Another wish is another attempt.
        self.unsure.set(false);
        self.let_go();
    }

    fn is_mine(self, number: u32) -> bool {
        let name = self.name(number);
        self.orders
            .with_untracked(|orders| orders.iter().any(|order| mine::is_alive(order) && order.seats.contains(&name)))
    }

    /// Lets go of chosen seats that somebody else has by now, and says so. While an attempt is on its way, or was never
    /// answered, nobody knows who that is.
    fn let_go(self) {
        if self.waiting.get_untracked() || self.unsure.get_untracked() {
            return;
        }
        let gone: Vec<u32> = self.choice.with_untracked(|choice| {
            choice.iter().copied().filter(|number| self.state(*number) != SeatState::Free).collect()
        });
        if !gone.is_empty() {
            self.choice.update(|choice| choice.retain(|number| !gone.contains(number)));
            let names: Vec<String> = gone.iter().map(|number| self.name(*number)).collect();
            self.said.set((ticket_words().taken_now)(names.join(", "), names.len() as u64));
        }
    }
}

fn free_by_section(hall: &Hall, seats: &[SeatState]) -> Vec<u32> {
    let mut free = vec![0; hall.layout.sections.len()];
    for row in &hall.rows {
        let first = row.first_seat as usize;
        let row_seats = &seats[first..first + usize::from(row.seats)];
        free[usize::from(row.section)] += row_seats.iter().filter(|state| **state == SeatState::Free).count() as u32;
    }
    free
}

fn house(loaded: Loaded) -> El {
    let words = ticket_words();
    set_title([words.tickets, " ", &loaded.snapshot.sale].concat());
    let sale = Sale::new(loaded);
    keep_time(sale);
    mine::restore(sale);
    let (map, attempt) = (map::Handle::new(), choose::Try::new(sale));
    let event_id = move || sale.read(|sale| sale.event_id.to_string());
    let main = el("main").attr("id", "main").class("house").attr("tabindex", "-1").live("data-event-id", event_id);
    main.with(nodes![
        head::head(sale),
        map::map(sale, map),
        el("div").class("buy").with(nodes![choose::choose(attempt), basket::basket(sale)]),
        path::path(sale, map),
        stock::stock(sale),
        heat::heat(sale),
        ticket_panel(sale.id(), sale.crowd),
        attempts::attempts(sale),
        audit(sale.id(), sale.crowd, words.audit_none, |sale| TicketAuditRequest { sale }),
        source::source(sale),
        choose::bar(attempt),
    ])
}

/// Ticks once a second.
fn keep_time(sale: Sale) {
    const TICK: Duration = Duration::from_secs(1);
    effect(move || {
        let seen = StoredValue::new(0);
        let tick = move || {
            if platform::hidden() {
                return;
            }
            sale.now.set(platform::now());
            sale.warmth.update(|warmth| warmth.cool(platform::ticks()));
            let beat = sale.beat.get_untracked();
            if seen.get_value() != beat {
                seen.set_value(beat);
                sale.free.set(sale.hall.with_value(|hall| sale.seats.with_value(|seats| free_by_section(hall, seats))));
            }
        };
        tick();
        every(TICK, tick);
    });
}
