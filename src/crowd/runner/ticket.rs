//! A crowd at a ticket sale: users choose seats or let the program choose, and pay, cancel, or do neither.
//!
//! Who finds its seats taken tries elsewhere a few times and then lets the program choose. Who holds seats
//! thinks for a moment before it goes on. Nothing is kept of users who got nothing, so a million of them take
//! no memory; of an order what was told of it.

use super::{
    game::{Found, Game},
    run::Run,
};
use crate::{
    crowd::{Taste, dice::Dice},
    error::Result,
    sales::ticket::{Cancelled, Order, OrderState, Outcome, Paid, floor::Floor, service::Tickets},
};
use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

/// How often a user whose seats are taken looks elsewhere before it lets the program choose.
pub(in crate::crowd) const TRIES: u32 = 3;
/// The longest that a user thinks before it pays or cancels.
const THINKS: Duration = Duration::from_millis(200);
/// Orders that are looked up at a time when a run is judged.
const JUDGED_AT_A_TIME: usize = 500;

/// Places of answers among their names.
mod answer {
    pub const HELD: usize = 0;
    pub const REPEAT: usize = 1;
    pub const SEAT_TAKEN: usize = 2;
    pub const NOT_ENOUGH_SEATS: usize = 3;
    pub const LIMIT_REACHED: usize = 4;
    pub const PAID: usize = 5;
    pub const REFUNDED: usize = 6;
    pub const CANCELLED: usize = 7;
}

#[derive(Clone)]
pub(super) struct Fight(Arc<Inner>);

struct Inner {
    tickets: Tickets,
    taste: Taste,
    floor: Arc<Floor>,
    told: Mutex<Vec<Told>>,
    /// Users who never heard what became of an attempt to get seats.
    unknown: Mutex<HashSet<u32>>,
    /// Users who were told of two orders.
    doubled: AtomicU64,
    /// Users who think, pay or cancel.
    thinking: TaskTracker,
}

/// What a user was told of its order.
struct Told {
    order: Box<str>,
    /// By their numbers.
    seats: Box<[u32]>,
    /// The state that was told last; none where the answer to a payment or cancellation never came.
    state: Option<OrderState>,
}

impl Told {
    /// Whether an order that is in this state is as was told. What is held may lapse; nobody else pays or
    /// cancels it. A payment that came too late changes nothing.
    fn agrees(&self, found: OrderState) -> bool {
        match self.state {
            None => true,
            Some(OrderState::Held) => matches!(found, OrderState::Held | OrderState::Expired),
            Some(told) => told == found,
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Fight {
    /// # Errors
    /// `unknown_sale`, `unavailable`.
    pub async fn new(tickets: Tickets, sale: &str, taste: Taste) -> Result<Self> {
        let floor = tickets.floor(sale).await?;
        Ok(Self(Arc::new(Inner {
            tickets,
            taste,
            floor,
            told: Mutex::default(),
            unknown: Mutex::default(),
            doubled: AtomicU64::new(0),
            thinking: TaskTracker::new(),
        })))
    }

    /// One attempt to get seats. The same request sent twice is a double click.
    async fn reserve(&self, crowd: &Run, place: u32, nth: u32, begun: Instant) -> Result<Outcome> {
        let Inner { tickets, taste, floor, .. } = &*self.0;
        let wish = taste.wish(&floor.hall, crowd.orders.seed, place, nth);
        let request = crowd.request(place, nth);
        let outcome = tickets.reserve(&crowd.orders.sale, crowd.user(place), Some(request), wish).await;
        let name = outcome.as_ref().ok().map(|outcome| match outcome {
            Outcome::Held(_) => answer::HELD,
            Outcome::Repeat(_) => answer::REPEAT,
            Outcome::SeatTaken { .. } => answer::SEAT_TAKEN,
            Outcome::NotEnoughSeats { .. } => answer::NOT_ENOUGH_SEATS,
            Outcome::LimitReached { .. } => answer::LIMIT_REACHED,
        });
        crowd.note(name, begun.elapsed());
        outcome
    }

    /// Remembers an order, and lets its user think about it.
    fn hold(&self, crowd: &Arc<Run>, place: u32, order: Order) {
        let hall = &self.0.floor.hall;
        let seats = order.seats.iter().filter_map(|id| hall.find(id)).map(|seat| hall.number(seat)).collect();
        let mut told = locked(&self.0.told);
        let at = told.len();
        told.push(Told { order: order.order.as_str().into(), seats, state: Some(order.state) });
        drop(told);
        let mut dice = Dice::aside(crowd.orders.seed, place, u32::MAX);
        let what = dice.share();
        let Taste { pay, cancel, .. } = self.0.taste;
        if what < pay + cancel {
            let (this, crowd) = (self.clone(), crowd.clone());
            let pays = what < pay;
            crowd.one_more();
            self.0.thinking.spawn(async move {
                tokio::time::sleep(THINKS.mul_f64(dice.share())).await;
                this.go_on(&crowd, at, order.order, pays).await;
            });
        }
    }

    /// Pays or cancels an order. A crowd that was stopped lets it lapse.
    async fn go_on(&self, crowd: &Run, at: usize, order: String, pays: bool) {
        if crowd.is_stopped() {
            return;
        }
        let (tickets, sale, begun) = (&self.0.tickets, &crowd.orders.sale, Instant::now());
        let (name, state) = if pays {
            match tickets.pay(sale, order, None).await {
                Ok(Paid::Paid(order) | Paid::Repeat(order)) => (Some(answer::PAID), Some(order.state)),
                Ok(Paid::Refunded(order)) => (Some(answer::REFUNDED), Some(order.state)),
                Err(_) => (None, None),
            }
        } else {
            match tickets.cancel(sale, order, None).await {
                Ok(Cancelled::Cancelled(order) | Cancelled::Refunded(order) | Cancelled::Repeat(order)) => {
                    (Some(answer::CANCELLED), Some(order.state))
                }
                Err(_) => (None, None),
            }
        };
        locked(&self.0.told)[at].state = state;
        crowd.note(name, begun.elapsed());
    }
}

impl Game for Fight {
    const ANSWERS: &'static [&'static str] =
        &["held", "repeat", "seat_taken", "not_enough_seats", "limit_reached", "paid", "refunded", "cancelled"];

    async fn come(&self, crowd: &Arc<Run>, place: u32, begun: Instant) {
        let (mut nth, mut begun) = (0, begun);
        loop {
            let twice = nth == 0 && crowd.clicks_again(place);
            let (first, second) = if twice {
                // A double click: the second does not wait for the first.
                let both = futures::join!(self.reserve(crowd, place, 0, begun), self.reserve(crowd, place, 0, begun));
                (both.0, Some(both.1))
            } else {
                (self.reserve(crowd, place, nth, begun).await, None)
            };
            let is_taken = matches!(first, Ok(Outcome::SeatTaken { .. }));
            let mut held: Option<Order> = None;
            for outcome in [Some(first), second].into_iter().flatten() {
                match outcome {
                    Ok(Outcome::Held(order) | Outcome::Repeat(order)) => match &held {
                        None => held = Some(order),
                        Some(known) if known.order == order.order && known.seats == order.seats => {}
                        Some(_) => _ = self.0.doubled.fetch_add(1, Relaxed),
                    },
                    Ok(_) => {}
                    Err(_) => _ = locked(&self.0.unknown).insert(place),
                }
            }
            if let Some(order) = held {
                return self.hold(crowd, place, order);
            }
            if !is_taken || nth == TRIES || crowd.is_stopped() {
                return;
            }
            crowd.one_more();
            (nth, begun) = (nth + 1, Instant::now());
        }
    }

    async fn settle(&self) {
        self.0.thinking.close();
        self.0.thinking.wait().await;
    }

    async fn compare(&self, crowd: &Run) -> Result<Found> {
        let Inner { tickets, floor, unknown, doubled, .. } = &*self.0;
        // Nobody tells anything any more.
        let told = std::mem::take(&mut *locked(&self.0.told));
        let unknown = std::mem::take(&mut *locked(unknown));
        let sale = &crowd.orders.sale;
        let mut found = Found { doubled: doubled.load(Relaxed), ..Found::default() };

        let mut taken = HashSet::new();
        for chunk in told.chunks(JUDGED_AT_A_TIME) {
            let orders: Vec<&str> = chunk.iter().map(|told| &*told.order).collect();
            let seats: Vec<u32> = chunk.iter().flat_map(|told| told.seats.iter().copied()).collect();
            // Holders first: whatever is held or paid after that was held before.
            let mut holders = tickets.holders(sale, &seats).await?.into_iter();
            for (told, record) in chunk.iter().zip(tickets.records(sale, &orders).await?) {
                let holders: Vec<Option<String>> = holders.by_ref().take(told.seats.len()).collect();
                let Some(record) = record.filter(|record| told.agrees(record.state)) else {
                    found.lost += 1;
                    continue;
                };
                if matches!(record.state, OrderState::Held | OrderState::Paid) {
                    let has_all = holders.iter().all(|holder| holder.as_deref() == Some(&*told.order));
                    found.lost += u64::from(!has_all);
                    found.doubled += told.seats.iter().filter(|seat| !taken.insert(**seat)).count() as u64;
                }
            }
        }

        let known: HashSet<&str> = told.iter().map(|told| &*told.order).collect();
        let mut unexpected = HashSet::new();
        for (request, order) in tickets.requests(sale, &crowd.run).await? {
            let excused = crowd.place_of(&request).is_some_and(|place| unknown.contains(&place));
            if !excused && !known.contains(order.as_str()) {
                unexpected.insert(order);
            }
        }
        found.unexpected = unexpected.len() as u64;

        let snapshot = tickets.snapshot(sale).await?;
        for category in &floor.hall.categories {
            let count =
                |seats: &std::collections::BTreeMap<String, u32>| seats.get(&category.name).copied().unwrap_or(0);
            let capacity = category.seats.len() as u32;
            found.oversold += u64::from((count(&snapshot.held) + count(&snapshot.sold)).saturating_sub(capacity));
        }
        Ok(found)
    }
}
