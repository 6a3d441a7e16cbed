//! A sale on its page: its state, and the reader's choices.

use crate::{
    components::{OwnAttempts, format::countdown, server_now, use_now, use_own_attempts},
    i18n,
    stage::LiveSale,
    ticket::{
        api::{OpenTicketsRequest, ReserveRequest},
        page::{
            SaleData,
            categories::CategoryFilter,
            demand::Demand,
            my_orders::{MyOrders, use_my_orders},
            open,
        },
        words::words,
    },
};
use leptos::prelude::*;
use model::{
    Cents, EventId, Millis,
    form::{FormValues, USER},
    life::{HoldClock, Life, Pause},
    ticket::{
        Outcome, Outcomes, PREVIEW, Pick, Price, Snapshot, State,
        hall::{Category, Hall, Section, marks::Mark},
        halls::HallName,
        index::LARGEST_GROUP,
        seats::{SeatState, Seats},
    },
};
use std::{collections::BTreeMap, mem};

/// A seat under the pointer, and its position in the map's view, in thousandths of its width and height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointed {
    pub seat: u32,
    pub x: i32,
    pub y: i32,
}

/// The last event of the reader's selection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Announcement {
    /// Empty if there was none, or if it is no longer true.
    pub sentence: String,
    /// The seat of the event if it happened on the map, where it is announced.
    pub on_map: Option<u32>,
}

/// The user and the wanted seats: as long as these are the same, it is the same attempt.
#[derive(Clone, PartialEq)]
pub struct Attempt {
    pub user: String,
    pub seats: Vec<String>,
    pub pick: Option<Pick>,
}

impl Attempt {
    /// Returns the attempt of the form for the best available seats.
    fn of_form(form: &FormValues) -> Option<Self> {
        Some(Self { user: form.text(USER), seats: Vec::new(), pick: Some(Pick::of_form(form).ok()?) })
    }
}

/// A sale on the page: its state, and the reader's actions.
#[derive(Clone, Copy)]
pub struct Sale {
    pub hall: StoredValue<Hall>,
    /// The hall is built in, and its categories have names in each language.
    pub is_built_in: bool,
    /// The prices, by category.
    pub prices: StoredValue<Vec<Cents>>,
    /// Everything but the seats.
    pub live: LiveSale<Snapshot>,
    /// The states of the seats, by number. They are too many for signals; `seats_version` signals changes.
    pub seats: StoredValue<Vec<SeatState>>,
    /// The number of changes to `seats`.
    pub seats_version: RwSignal<u32>,
    /// The number of free seats by section, in the order of the layout, updated about once a second.
    pub free_by_section: RwSignal<Vec<u32>>,
    pub demand: RwSignal<Demand>,
    /// The map shows the demand.
    pub shows_demand: RwSignal<bool>,
    /// The server's clock, once a second while the tab is visible; zero before hydration.
    pub now: Signal<Millis>,
    /// The sale is paused, and what is held does not expire meanwhile.
    pub holds_stand: Memo<bool>,
    /// The reader's chosen seats, in order of choice.
    pub selection: RwSignal<Vec<u32>>,
    pub my_orders: MyOrders,
    /// Tries to reserve seats for the reader.
    pub reserve: ServerAction<ReserveRequest>,
    /// The reader's attempts. While the outcome of one is unknown, the chosen seats may already be the reader's.
    pub attempts: OwnAttempts<Attempt, Outcome>,
    pub announcement: RwSignal<Announcement>,
    /// The categories that the reader wants to see.
    pub filter: RwSignal<CategoryFilter>,
    /// The seat of the map's card.
    pub pointed: RwSignal<Option<Pointed>>,
    /// It is the preview of a layout: nothing can be chosen.
    pub is_preview: bool,
}

impl Sale {
    /// Makes the sale of a page.
    pub fn new(SaleData { snapshot, plan }: SaleData) -> Self {
        Self::of_hall(Hall::laid_out(plan.layout), plan.prices, snapshot, false)
    }

    /// Makes the sale that shows a hall before any sale is opened.
    pub fn preview(hall: Hall) -> Self {
        let prices = vec![0; hall.categories.len()];
        let snapshot = preview_snapshot(&hall, &prices);
        Self::of_hall(hall, prices, snapshot, true)
    }

    fn of_hall(hall: Hall, prices: Vec<Cents>, mut snapshot: Snapshot, is_preview: bool) -> Self {
        let mut seats = vec![SeatState::Free; hall.seats() as usize];
        take_seats(&mut snapshot).apply(&mut seats, |_| {});
        let free = free_by_section(&hall, &seats);
        let demand = RwSignal::new(Demand::new(&snapshot.demand, hall.layout.sections.iter().map(Section::seats)));
        let is_built_in = HallName::of(&hall.layout).is_some();
        let live = LiveSale::new(snapshot);
        let reserve = ServerAction::new();
        let is_suspended = Memo::new(move |_| live.read(|sale| sale.state == State::Suspended));
        let sale = Self {
            live,
            demand,
            shows_demand: RwSignal::new(false),
            my_orders: use_my_orders(&live.id(), is_suspended),
            hall: StoredValue::new(hall),
            is_built_in,
            prices: StoredValue::new(prices),
            seats: StoredValue::new(seats),
            seats_version: RwSignal::new(0),
            free_by_section: RwSignal::new(free),
            now: use_now(),
            holds_stand: Memo::new(move |_| {
                let stops = |pause: &Pause| pause.hold_clock == HoldClock::Stops;
                live.read(|sale| sale.life.pause.as_ref().is_some_and(stops))
            }),
            selection: RwSignal::new(Vec::new()),
            reserve,
            attempts: use_own_attempts(reserve.into(), Attempt::of_form),
            announcement: RwSignal::default(),
            filter: RwSignal::default(),
            pointed: RwSignal::new(None),
            is_preview,
        };
        if let Some(order) = sale.attempts.answer.get_untracked().and_then(|answer| answer.outcome.order()) {
            sale.announce((words().you_hold)(order.seats.join(", ")));
            sale.my_orders.list.set(vec![order]);
        }
        sale.refresh_every_second();
        // A pause has moved the time until which orders are held.
        Effect::watch(
            move || sale.holds_stand.get(),
            move |_, _, _| {
                let orders = sale.my_orders.list.get_untracked();
                orders.into_iter().filter(|order| !order.state.is_over()).for_each(|order| {
                    sale.my_orders.look_up(order.order);
                });
            },
            false,
        );
        sale.retract_announcements();
        sale.keep_selection();
        sale.keep_filter();
        sale
    }

    /// Returns a request that opens another sale of the same hall on the same terms.
    pub fn copy(self) -> OpenTicketsRequest {
        let layout = self.hall.with_value(|hall| hall.layout.clone());
        let request = self.live.snapshot.with_untracked(open::copy);
        OpenTicketsRequest { hall: None, layout: Some(layout), ..request }
    }

    /// Returns the id of the sale.
    pub fn id(self) -> String {
        self.live.id()
    }

    /// Returns the event id of the shown state.
    pub fn event_id(self) -> EventId {
        self.live.snapshot.with_untracked(|sale| sale.event_id)
    }

    /// Shows a message of the event stream. Messages come in order and the newest is right, whatever its event id: a
    /// suspended or recovered sale keeps its event id.
    pub fn show(self, mut snapshot: Snapshot) {
        let seats = take_seats(&mut snapshot);
        let mut changed = Vec::new();
        let is_ours = self.seats.try_update_value(|known| seats.apply(known, |number| changed.push(number as u32)));
        match is_ours {
            Some(true) => {}
            // Another hall under the same id: the page must be reloaded.
            Some(false) => {
                _ = window().location().reload();
                return;
            }
            // The page is disposed.
            None => return,
        }
        self.demand.update_untracked(|demand| demand.add(&snapshot.demand, server_now() as f64));
        self.live.show(snapshot);
        if !changed.is_empty() {
            self.look_up_orders(&changed);
            self.seats_version.update(|version| *version += 1);
            self.deselect_taken();
        }
    }

    /// Refreshes the parts that would change too often if they followed each message.
    fn refresh_every_second(self) {
        let counted = StoredValue::new(0);
        Effect::new(move || {
            self.now.track();
            self.demand.update(|demand| demand.cool(server_now() as f64));
            let version = self.seats_version.get_untracked();
            if counted.get_value() != version {
                counted.set_value(version);
                let free = self.hall.with_value(|hall| self.seats.with_value(|seats| free_by_section(hall, seats)));
                self.free_by_section.set(free);
            }
        });
    }

    /// Looks up orders whose seats have changed to another state than theirs: another tab has paid or cancelled them,
    /// or their time ran out.
    fn look_up_orders(self, changed: &[u32]) {
        let contradicts = |name: &String, state: SeatState| {
            let seat = self.seat_number(name).filter(|seat| changed.contains(seat));
            seat.is_some_and(|seat| self.seat_state_untracked(seat) != state)
        };
        for order in self.my_orders.list.get_untracked() {
            if order.state.seat_state().is_some_and(|state| order.seats.iter().any(|name| contradicts(name, state))) {
                self.my_orders.look_up(order.order);
            }
        }
    }

    /// Returns the state of a seat, by its number in the hall.
    pub fn seat_state(self, seat: u32) -> SeatState {
        self.seats_version.track();
        self.seat_state_untracked(seat)
    }

    /// Returns the current state of a seat.
    pub fn seat_state_untracked(self, seat: u32) -> SeatState {
        self.seats.with_value(|seats| seats.get(seat as usize).copied().unwrap_or_default())
    }

    /// `A-12-07`
    pub fn seat_name(self, seat: u32) -> String {
        self.hall.with_value(|hall| hall.seat(seat).map(|seat| hall.id(seat)).unwrap_or_default())
    }

    /// Returns the number of a seat in the hall, by its name.
    pub fn seat_number(self, name: &str) -> Option<u32> {
        self.hall.with_value(|hall| hall.find(name).map(|seat| hall.number(seat)))
    }

    /// Returns the names of a seat's marks, and its note.
    pub fn marks_of(self, seat: u32) -> Vec<String> {
        let words = words();
        self.hall.with_value(|hall| {
            let of_seat = hall.marks.get(&seat);
            // Whether it is blocked now, its state says.
            let marks = of_seat.into_iter().flat_map(|of_seat| &of_seat.marks).filter(|mark| **mark != Mark::Blocked);
            let note = of_seat.and_then(|of_seat| of_seat.note.clone());
            marks.map(|mark| (words.mark)(*mark).to_owned()).chain(note).collect()
        })
    }

    /// Returns the index of a seat's category.
    pub fn category(self, seat: u32) -> usize {
        self.hall.with_value(|hall| {
            hall.categories.iter().position(|category| category.seats.contains(&seat)).unwrap_or_default()
        })
    }

    /// Returns the price of a seat, in cents.
    pub fn price(self, seat: u32) -> Cents {
        let category = self.category(seat);
        self.prices.with_value(|prices| prices.get(category).copied().unwrap_or_default())
    }

    /// Returns an amount as a text; nothing in a preview, which has no prices.
    pub fn shown_price(self, cents: Cents) -> Option<String> {
        (!self.is_preview).then(|| self.live.money(cents))
    }

    /// Returns whether a seat is currently in one of the reader's orders.
    pub fn is_mine_untracked(self, seat: u32) -> bool {
        self.my_orders.has_untracked(&self.seat_name(seat))
    }

    /// Returns the state of a seat, and whether it is in one of the reader's orders.
    pub fn follow_seat(self, seat: u32) -> Memo<(SeatState, bool)> {
        Memo::new(move |_| {
            self.my_orders.list.track();
            (self.seat_state(seat), self.is_mine_untracked(seat))
        })
    }

    /// Returns the maximum number of chosen seats.
    pub fn max_selected(self) -> usize {
        (self.live.snapshot.with_untracked(|sale| sale.limit_per_user) as usize).min(LARGEST_GROUP)
    }

    /// Returns the remaining time until an instant, as `00:09:58`.
    pub fn time_left(self, until: Millis) -> String {
        countdown(u64::try_from(until - self.now.get()).unwrap_or_default(), i18n::words().days)
    }
}

/// Returns the state in which a sale of this hall would open.
fn preview_snapshot(hall: &Hall, prices: &[Cents]) -> Snapshot {
    let by_category = |count: &dyn Fn(&Category) -> u32| -> BTreeMap<String, u32> {
        hall.categories.iter().map(|category| (category.name.clone(), count(category))).collect()
    };
    Snapshot {
        sale: PREVIEW.to_owned(),
        state: State::Open,
        life: Life::default(),
        event_id: EventId::default(),
        opened_at: 0,
        hold_s: 0,
        limit_per_user: 0,
        extendable: false,
        categories: Price::of_hall(hall, prices),
        remaining: by_category(&|category| category.for_sale()),
        held: by_category(&|_| 0),
        sold: by_category(&|_| 0),
        blocked: by_category(&|category| category.blocked),
        outcomes: Outcomes::default(),
        calls: 0,
        demand: vec![0; hall.layout.sections.len()],
        declined: Vec::new(),
        crowd: None,
        seats: Seats::whole(&hall.opening_states()),
    }
}

/// Takes the seats out of a snapshot.
fn take_seats(snapshot: &mut Snapshot) -> Seats {
    mem::replace(&mut snapshot.seats, Seats::Changed(Vec::new()))
}

/// Returns the number of free seats of each section, in the order of the layout.
pub fn free_by_section(hall: &Hall, seats: &[SeatState]) -> Vec<u32> {
    let mut free = vec![0; hall.layout.sections.len()];
    for row in &hall.rows {
        let first = row.first_seat as usize;
        let row_seats = &seats[first..first + usize::from(row.seats)];
        free[usize::from(row.section)] += row_seats.iter().filter(|state| **state == SeatState::Free).count() as u32;
    }
    free
}
