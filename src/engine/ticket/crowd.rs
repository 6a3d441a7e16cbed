//! A crowd at a ticket sale: users choose seats or take the best available, and pay, cancel, or do neither.
//!
//! A user whose seats are taken tries other seats a few times, and then takes the best available. A user who holds
//! seats thinks for a moment before paying or cancelling. The run keeps no data for users without an order, so a
//! million of them take no memory. For an order, it keeps the answers that the user got.

use crate::{
    crowd::{
        rng::UserRng,
        run::Run,
        scenario::{CrowdKind, Discrepancies, Scenario},
        supply::{Supply, end_of},
        waiting::keeps_trying,
    },
    ticket::{
        service::Tickets,
        venue::{StoredTerms, Venue},
    },
};
use futures::future::BoxFuture;
use ledger::sale::LedgerSale;
use model::{
    Millis,
    crowd::{self, KindBehavior, RunConfig},
    error::Result,
    ticket::{
        Order, OrderState, Outcome, Paid, Pick, SeatRequest,
        crowd::Behavior,
        hall::{Hall, Seat},
        outcome,
    },
};
use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use store::runtime::{blocking, locked};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

/// The number of tries for other seats of a user whose seats are taken, before taking the best available.
const TRIES: u32 = 3;
/// The longest time that a user thinks before paying or cancelling.
const THINKS: Duration = Duration::from_millis(200);
/// The orders looked up at a time when a run is verified.
const VERIFIED_AT_A_TIME: usize = 500;

/// The names by which answers are counted.
const ANSWERS: [&str; 13] = [
    "held",
    "repeat",
    "seat_taken",
    "not_enough_seats",
    "limit_reached",
    "paid",
    "refunded",
    "cancelled",
    "closed",
    "not_open",
    "paused",
    "ended",
    "not_together",
];

mod answer {
    pub const HELD: usize = 0;
    pub const REPEAT: usize = 1;
    pub const SEAT_TAKEN: usize = 2;
    pub const NOT_ENOUGH_SEATS: usize = 3;
    pub const LIMIT_REACHED: usize = 4;
    pub const PAID: usize = 5;
    pub const REFUNDED: usize = 6;
    pub const CANCELLED: usize = 7;
    pub const CLOSED: usize = 8;
    pub const NOT_OPEN: usize = 9;
    pub const PAUSED: usize = 10;
    pub const ENDED: usize = 11;
    pub const NOT_TOGETHER: usize = 12;
}

#[derive(Clone)]
struct TicketScenario(Arc<Inner>);

struct Inner {
    tickets: Tickets,
    behavior: Behavior,
    venue: Arc<Venue>,
    reported: Mutex<Vec<ReportedOrder>>,
    /// The users who never got an answer to an attempt to hold seats.
    unknown: Mutex<HashSet<u32>>,
    /// The users who got two orders.
    doubled: AtomicU64,
    /// The users who are thinking, paying or cancelling.
    thinking: TaskTracker,
}

/// An order as it was reported to its user.
struct ReportedOrder {
    order: Box<str>,
    /// The numbers of its seats.
    seats: Box<[u32]>,
    /// The last reported state; `None` if the answer to a payment or cancellation never arrived.
    state: Option<OrderState>,
}

impl ReportedOrder {
    /// Whether an order found in this state agrees with the reported state. A held order may expire, but nobody else
    /// pays or cancels it. A late payment changes nothing.
    fn agrees(&self, found: OrderState) -> bool {
        match self.state {
            None => true,
            Some(OrderState::Held) => matches!(found, OrderState::Held | OrderState::Expired),
            Some(reported) => reported == found,
        }
    }
}

impl CrowdKind for Tickets {
    fn behavior(&self, fields: &crowd::Behavior) -> Result<Option<crowd::Behavior>> {
        Behavior::complete(fields).map(Some)
    }

    fn scenario<'a>(&'a self, config: &'a RunConfig) -> BoxFuture<'a, Result<Arc<dyn Scenario>>> {
        Box::pin(async move {
            let behavior = Behavior::of_run(config)?;
            let scenario = TicketScenario::new(self.clone(), &config.sale, behavior).await?;
            Ok(Arc::new(scenario) as Arc<dyn Scenario>)
        })
    }

    fn given(&self) -> &'static str {
        outcome::HELD
    }

    fn supply<'a>(&'a self, sale: &'a LedgerSale, until: Millis) -> BoxFuture<'a, Result<Supply>> {
        Box::pin(async move {
            // Not the hall in Redis, which may be away.
            let venue = match sale.terms.as_deref().and_then(StoredTerms::read) {
                Some(terms) => Some(blocking(move || terms.venue()).await?),
                None => None,
            };
            let blocked = self.ledger.rows_before(sale.number, outcome::BLOCKED, end_of(until)).await?;
            let unblocked = self.ledger.rows_before(sale.number, outcome::UNBLOCKED, end_of(until)).await?;
            let for_sale =
                |venue: &Venue| venue.hall.categories.iter().map(|category| u64::from(category.for_sale())).sum();
            let total: Option<u64> = venue.as_ref().map(for_sale);
            Ok(Supply {
                total: total.map(|total| total.saturating_add_signed(unblocked - blocked)),
                given: self.given(),
                returned: &[outcome::CANCELLED, outcome::REFUNDED, outcome::EXPIRED],
                is_counted: false,
                place: Box::new(move |id| {
                    let hall = venue.as_ref().map(|venue| &venue.hall);
                    hall.and_then(|hall| Some(hall.number(hall.find(id)?).into())).unwrap_or(u64::MAX)
                }),
            })
        })
    }
}

impl TicketScenario {
    async fn new(tickets: Tickets, sale: &str, behavior: Behavior) -> Result<Self> {
        let venue = tickets.venue(sale).await?;
        Ok(Self(Arc::new(Inner {
            tickets,
            behavior,
            venue,
            reported: Mutex::default(),
            unknown: Mutex::default(),
            doubled: AtomicU64::new(0),
            thinking: TaskTracker::new(),
        })))
    }

    /// Attempts to hold seats; before the start of the sale, again and again. Sending the same request twice is a double
    /// click.
    async fn reserve(&self, run: &Run, place: u32, nth: u32, begun: Instant) -> Result<Outcome> {
        let mut begun = begun;
        loop {
            let outcome = self.try_to_reserve(run, place, nth, begun).await;
            match outcome {
                Ok(Outcome::NotOpen { opens_at, now }) if keeps_trying(run, place, opens_at, now).await => {
                    begun = Instant::now();
                }
                _ => return outcome,
            }
        }
    }

    /// Makes one attempt.
    async fn try_to_reserve(&self, run: &Run, place: u32, nth: u32, begun: Instant) -> Result<Outcome> {
        let Inner { tickets, behavior, venue, .. } = &*self.0;
        let seats = seat_request(behavior, &venue.hall, run.config.seed, place, nth);
        let request = run.request(place, nth);
        let outcome = tickets.reserve(&run.config.sale, run.user(place), Some(request), seats).await;
        let name = outcome.as_ref().map_err(|error| error.code).map(|outcome| match outcome {
            Outcome::Held(_) => answer::HELD,
            Outcome::Repeat(_) => answer::REPEAT,
            Outcome::SeatTaken { .. } => answer::SEAT_TAKEN,
            Outcome::NotEnoughSeats { .. } => answer::NOT_ENOUGH_SEATS,
            Outcome::NotTogether { .. } => answer::NOT_TOGETHER,
            Outcome::LimitReached { .. } => answer::LIMIT_REACHED,
            Outcome::Closed { .. } => answer::CLOSED,
            Outcome::NotOpen { .. } => answer::NOT_OPEN,
            Outcome::Paused { .. } => answer::PAUSED,
            Outcome::Ended { .. } => answer::ENDED,
        });
        run.note(name, begun.elapsed());
        outcome
    }

    /// Records an order, and lets its user think about it.
    fn hold(&self, run: &Arc<Run>, place: u32, order: Order) {
        let hall = &self.0.venue.hall;
        let seats = order.seats.iter().filter_map(|id| hall.find(id)).map(|seat| hall.number(seat)).collect();
        let mut reported = locked(&self.0.reported);
        let at = reported.len();
        reported.push(ReportedOrder { order: order.order.as_str().into(), seats, state: Some(order.state) });
        drop(reported);
        let mut rng = UserRng::stream(run.config.seed, place, u32::MAX);
        let what = rng.unit();
        let Behavior { pay, cancel, .. } = self.0.behavior;
        if what < pay + cancel {
            let pays = what < pay;
            run.one_more();
            let (this, run) = (self.clone(), run.clone());
            self.0.thinking.spawn(async move {
                tokio::time::sleep(THINKS.mul_f64(rng.unit())).await;
                this.go_on(&run, at, order.order, pays).await;
            });
        }
    }

    /// Pays or cancels an order. If the crowd was stopped, the order expires instead.
    async fn go_on(&self, run: &Run, at: usize, order: String, pays: bool) {
        if run.is_stopped() {
            return;
        }
        let (tickets, sale, begun) = (&self.0.tickets, &run.config.sale, Instant::now());
        let (name, state) = if pays {
            match tickets.pay(sale, order, None).await {
                Ok(Paid::Paid(order) | Paid::Repeat(order)) => (Ok(answer::PAID), Some(order.state)),
                Ok(Paid::Refunded(order)) => (Ok(answer::REFUNDED), Some(order.state)),
                Err(error) => (Err(error.code), None),
            }
        } else {
            match tickets.cancel(sale, order, String::new(), None).await {
                Ok(cancelled) => (Ok(answer::CANCELLED), Some(cancelled.order().state)),
                Err(error) => (Err(error.code), None),
            }
        };
        locked(&self.0.reported)[at].state = state;
        run.note(name, begun.elapsed());
    }

    async fn visit(&self, run: &Arc<Run>, place: u32, begun: Instant) {
        let (mut nth, mut begun) = (0, begun);
        loop {
            let twice = nth == 0 && run.clicks_again(place);
            let (first, second) = if twice {
                // This is a double click: the second click does not wait for the first.
                let both = futures::join!(self.reserve(run, place, 0, begun), self.reserve(run, place, 0, begun));
                (both.0, Some(both.1))
            } else {
                (self.reserve(run, place, nth, begun).await, None)
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
                return self.hold(run, place, order);
            }
            if !is_taken || nth == TRIES || run.is_stopped() {
                return;
            }
            run.one_more();
            (nth, begun) = (nth + 1, Instant::now());
        }
    }

    async fn compare(&self, run: &Run) -> Result<Discrepancies> {
        // Nothing is added to these any more.
        let reported = std::mem::take(&mut *locked(&self.0.reported));
        let unknown = std::mem::take(&mut *locked(&self.0.unknown));
        let compared = self.compare_with(run, &reported, &unknown).await;
        // The data is compared again if Redis went away meanwhile, or before the audit.
        *locked(&self.0.reported) = reported;
        *locked(&self.0.unknown) = unknown;
        compared
    }

    async fn compare_with(
        &self,
        run: &Run,
        reported: &[ReportedOrder],
        unknown: &HashSet<u32>,
    ) -> Result<Discrepancies> {
        let Inner { tickets, venue, doubled, .. } = &*self.0;
        let sale = &run.config.sale;
        let mut found = Discrepancies { doubled: doubled.load(Relaxed), ..Discrepancies::default() };

        let mut taken = HashSet::new();
        for chunk in reported.chunks(VERIFIED_AT_A_TIME) {
            let orders: Vec<&str> = chunk.iter().map(|reported| &*reported.order).collect();
            let seats: Vec<u32> = chunk.iter().flat_map(|reported| reported.seats.iter().copied()).collect();
            // Holders are read first. An order that is held or paid afterwards was already held then.
            let mut holders = tickets.holders(sale, &seats).await?.into_iter();
            for (reported, record) in chunk.iter().zip(tickets.records(sale, &orders).await?) {
                let holders: Vec<Option<String>> = holders.by_ref().take(reported.seats.len()).collect();
                let Some(record) = record.filter(|record| reported.agrees(record.state)) else {
                    found.lost += 1;
                    continue;
                };
                if matches!(record.state, OrderState::Held | OrderState::Paid) {
                    let has_all = holders.iter().all(|holder| holder.as_deref() == Some(&*reported.order));
                    found.lost += u64::from(!has_all);
                    found.doubled += reported.seats.iter().filter(|seat| !taken.insert(**seat)).count() as u64;
                }
            }
        }

        let known: HashSet<&str> = reported.iter().map(|reported| &*reported.order).collect();
        let mut unexpected = HashSet::new();
        for (request, order) in tickets.requests(sale, &run.id).await? {
            let excused = run.place_of(&request).is_some_and(|place| unknown.contains(&place));
            if !excused && !known.contains(order.as_str()) {
                unexpected.insert(order);
            }
        }
        found.unexpected = unexpected.len() as u64;

        let snapshot = tickets.snapshot(sale).await?;
        for category in &venue.hall.categories {
            let count =
                |seats: &std::collections::BTreeMap<String, u32>| seats.get(&category.name).copied().unwrap_or(0);
            let capacity = (category.seats.len() as u32).saturating_sub(count(&snapshot.blocked));
            found.oversold += u64::from((count(&snapshot.held) + count(&snapshot.sold)).saturating_sub(capacity));
        }
        Ok(found)
    }
}

impl Scenario for TicketScenario {
    fn answers(&self) -> &'static [&'static str] {
        &ANSWERS
    }

    fn visit<'a>(&'a self, run: &'a Arc<Run>, place: u32, begun: Instant) -> BoxFuture<'a, ()> {
        Box::pin(self.visit(run, place, begun))
    }

    fn settle(&self) -> BoxFuture<'_, ()> {
        self.0.thinking.close();
        Box::pin(async { self.0.thinking.wait().await })
    }

    fn compare<'a>(&'a self, run: &'a Run) -> BoxFuture<'a, Result<Discrepancies>> {
        Box::pin(self.compare(run))
    }
}

/// One in this many rows, the best of the hall, is in high demand.
const HOT_ROWS: u32 = 50;

/// The seats that this user wants at the `nth` try. Choosers try other seats each time, and finally take the best
/// available. The others want the same at every try.
pub fn seat_request(behavior: &Behavior, hall: &Hall, seed: u64, place: u32, nth: u32) -> SeatRequest {
    let mut rng = UserRng::stream(seed, place, 1);
    let count = rng.weighted(&behavior.groups) as u32 + 1;
    let chooses = rng.chance(behavior.choosers);
    let adjacent = rng.chance(behavior.adjacent);
    let hot = rng.chance(behavior.hot);
    // A category is chosen in proportion to its size.
    let seat = hall.seat(rng.below(hall.seats())).unwrap_or(Seat { row: 0, place: 0 });
    if !chooses || nth >= TRIES {
        return SeatRequest {
            pick: vec![Pick { category: hall.category(seat).name.clone(), count, adjacent, strict: false }],
            ..SeatRequest::default()
        };
    }
    let mut rng = UserRng::stream(seed, place, 2 + nth);
    let seat = if hot && nth == 0 {
        let rows = (hall.rows.len() as u32 / HOT_ROWS).max(1);
        Seat { row: rng.below(rows), place: 0 }
    } else if nth == 0 {
        seat
    } else {
        hall.seat(rng.below(hall.seats())).unwrap_or(seat)
    };
    let length = u32::from(hall.rows[seat.row as usize].seats);
    let count = count.min(length);
    let first = rng.below(length - count + 1);
    let seats = (first..first + count).map(|place| hall.id(Seat { row: seat.row, place: place as u16 }));
    SeatRequest { seats: seats.collect(), ..SeatRequest::default() }
}
