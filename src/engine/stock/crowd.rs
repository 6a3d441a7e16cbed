//! A crowd at a sale of stock: users want one to three units. Some orders fail, and their units are given back. If the sale
//! holds deductions, all other users confirm theirs.

use crate::{
    crowd::{
        rng::UserRng,
        run::Run,
        scenario::{CrowdKind, Discrepancies, Scenario},
        supply::{Supply, end_of},
        waiting::keeps_trying,
    },
    stock::{history::StoredTerms, scripts::RequestState, service::Stock},
};
use futures::future::BoxFuture;
use ledger::sale::LedgerSale;
use model::{
    Audit, Millis,
    crowd::{self, KindBehavior, RunConfig},
    error::Result,
    stock::{
        Confirmed, GivenBack, Outcome, Return,
        crowd::{Behavior, MOST_WANTED},
        outcome,
    },
};
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};
use store::runtime::locked;
use tokio::time::Instant;

/// The users whose requests are looked up at a time when a run is verified.
const VERIFIED_AT_A_TIME: u32 = 500;
/// Each user orders once.
const ORDER: u32 = 1;

/// The names by which answers are counted.
const ANSWERS: [&str; 12] = [
    "won",
    "repeat",
    "not_enough",
    "limit_reached",
    "returned",
    "confirmed",
    "late",
    "refused",
    "closed",
    "not_open",
    "paused",
    "ended",
];

mod answer {
    pub const WON: usize = 0;
    pub const REPEAT: usize = 1;
    pub const NOT_ENOUGH: usize = 2;
    pub const LIMIT_REACHED: usize = 3;
    pub const RETURNED: usize = 4;
    pub const CONFIRMED: usize = 5;
    pub const LATE: usize = 6;
    pub const REFUSED: usize = 7;
    pub const CLOSED: usize = 8;
    pub const NOT_OPEN: usize = 9;
    pub const PAUSED: usize = 10;
    pub const ENDED: usize = 11;
}

/// What a user was told about a deduction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reported {
    Won,
    Confirmed,
    Returned,
}

struct StockScenario {
    stock: Stock,
    behavior: Behavior,
    /// The latest answer that users whose attempt was won were given about it. Anybody with the request's id can give
    /// the units back.
    reported: Mutex<HashMap<u32, Reported>>,
    /// The users who never got an answer to an attempt.
    unknown: Mutex<HashSet<u32>>,
    /// The users who got two different answers to the same request.
    doubled: AtomicU64,
}

impl CrowdKind for Stock {
    fn behavior(&self, fields: &crowd::Behavior) -> Result<Option<crowd::Behavior>> {
        Behavior::complete(fields).map(Some)
    }

    fn scenario<'a>(&'a self, config: &'a RunConfig) -> BoxFuture<'a, Result<Arc<dyn Scenario>>> {
        Box::pin(async move {
            let behavior = Behavior::of_run(config)?;
            let scenario = StockScenario {
                stock: self.clone(),
                behavior,
                reported: Mutex::default(),
                unknown: Mutex::default(),
                doubled: AtomicU64::new(0),
            };
            Ok(Arc::new(scenario) as Arc<dyn Scenario>)
        })
    }

    fn given(&self) -> &'static str {
        outcome::WON
    }

    fn supply<'a>(&'a self, sale: &'a LedgerSale, until: Millis) -> BoxFuture<'a, Result<Supply>> {
        Box::pin(async move {
            let terms = sale.terms.as_deref().and_then(|json| serde_json::from_str::<StoredTerms>(json).ok());
            let mut total = terms.map_or(0, |terms| terms.quantity);
            for added in [outcome::RESTOCKED, outcome::CORRECTED] {
                total += self.ledger.quantity_before(sale.number, added, end_of(until)).await?;
            }
            Ok(Supply {
                total: Some(u64::try_from(total).unwrap_or_default()),
                given: self.given(),
                returned: &[outcome::RETURNED, outcome::EXPIRED],
                is_counted: true,
                place: Box::new(|_| 0),
            })
        })
    }
}

impl StockScenario {
    /// The quantity that a user wants.
    fn wanted(&self, run: &Run, place: u32) -> u64 {
        let share = UserRng::stream(run.config.seed, place, 1).unit();
        if share >= self.behavior.several {
            return 1;
        }
        if share < self.behavior.several / 2.0 { 2 } else { MOST_WANTED.into() }
    }

    /// Makes one attempt. If it won, returns the quantity left after it, and whether it is a reservation.
    async fn deduct(&self, run: &Run, place: u32, begun: Instant) -> Option<(u64, bool)> {
        let (sale, wanted) = (&run.config.sale, self.wanted(run, place));
        let mut begun = begun;
        loop {
            let mut start = None;
            let request_id = Some(run.request(place, ORDER));
            let (name, left) = match self.stock.deduct(sale, run.user(place), wanted, request_id).await {
                Ok(Outcome::Won { left }) => (Ok(answer::WON), Some((left, false))),
                Ok(Outcome::Held { left, .. }) => (Ok(answer::WON), Some((left, true))),
                Ok(Outcome::Repeat { left, due, .. }) => (Ok(answer::REPEAT), Some((left, due.is_some()))),
                Ok(Outcome::NotEnough { .. }) => (Ok(answer::NOT_ENOUGH), None),
                Ok(Outcome::LimitReached { .. }) => (Ok(answer::LIMIT_REACHED), None),
                Ok(Outcome::Closed { .. }) => (Ok(answer::CLOSED), None),
                Ok(Outcome::NotOpen { opens_at, now }) => {
                    start = Some((opens_at, now));
                    (Ok(answer::NOT_OPEN), None)
                }
                Ok(Outcome::Paused { .. }) => (Ok(answer::PAUSED), None),
                Ok(Outcome::Ended { .. }) => (Ok(answer::ENDED), None),
                Err(error) => {
                    locked(&self.unknown).insert(place);
                    (Err(error.code), None)
                }
            };
            run.note(name, begun.elapsed());
            match start {
                Some((opens_at, now)) if keeps_trying(run, place, opens_at, now).await => begun = Instant::now(),
                _ => return left,
            }
        }
    }

    async fn visit(&self, run: &Run, place: u32, begun: Instant) {
        let answers = if run.clicks_again(place) {
            // This is a double click: the second click does not wait for the first.
            let both = futures::join!(self.deduct(run, place, begun), self.deduct(run, place, begun));
            [both.0, both.1]
        } else {
            [self.deduct(run, place, begun).await, None]
        };
        if let [Some(one), Some(other)] = answers
            && one != other
        {
            self.doubled.fetch_add(1, Relaxed);
        }
        let Some((_, is_held)) = answers.into_iter().flatten().next() else { return };
        locked(&self.reported).insert(place, Reported::Won);
        let fails = UserRng::stream(run.config.seed, place, 2).chance(self.behavior.fail);
        if !(fails || is_held) || run.is_stopped() {
            return;
        }
        run.one_more();
        let begun = Instant::now();
        if !fails {
            self.confirm(run, place, begun).await;
            return;
        }
        let given = self.stock.give_back(&run.config.sale, Return::of_all(run.request(place, ORDER))).await;
        let name = match given {
            Ok(GivenBack::Returned { .. } | GivenBack::Repeat { .. }) => {
                locked(&self.reported).insert(place, Reported::Returned);
                Ok(answer::RETURNED)
            }
            Ok(GivenBack::NotEnough { .. } | GivenBack::Expired { .. } | GivenBack::UnknownRequest) => {
                Ok(answer::REFUSED)
            }
            Err(error) => Err(error.code),
        };
        run.note(name, begun.elapsed());
    }

    async fn confirm(&self, run: &Run, place: u32, begun: Instant) {
        let name = match self.stock.confirm(&run.config.sale, String::new(), run.request(place, ORDER)).await {
            Ok(Confirmed::Confirmed { .. } | Confirmed::Repeat { .. }) => {
                locked(&self.reported).insert(place, Reported::Confirmed);
                Ok(answer::CONFIRMED)
            }
            Ok(Confirmed::Late { .. }) => Ok(answer::LATE),
            Ok(Confirmed::Returned { .. } | Confirmed::UnknownRequest) => Ok(answer::REFUSED),
            Err(error) => Err(error.code),
        };
        run.note(name, begun.elapsed());
    }

    async fn compare(&self, run: &Run) -> Result<Discrepancies> {
        // The comparison may run again, after Redis was unreachable and before the audit.
        let (reported, unknown) = (locked(&self.reported).clone(), locked(&self.unknown).clone());
        let mut found = Discrepancies { doubled: self.doubled.load(Relaxed), ..Discrepancies::default() };
        for first in (0..run.config.users).step_by(VERIFIED_AT_A_TIME as usize) {
            let places = first..run.config.users.min(first + VERIFIED_AT_A_TIME);
            let requests: Vec<String> = places.clone().map(|place| run.request(place, ORDER)).collect();
            let records = self.stock.records(&run.config.sale, &requests).await?;
            for (place, record) in places.zip(records) {
                match (reported.get(&place), record) {
                    (None, None) => {}
                    (None, Some(_)) => found.unexpected += u64::from(!unknown.contains(&place)),
                    (Some(_), None) => found.lost += 1,
                    (Some(reported), Some(record)) => {
                        let agrees = match reported {
                            Reported::Won => true,
                            // The sale may have no reservations, and the units may have come back since.
                            Reported::Confirmed => !matches!(record.state, RequestState::Held | RequestState::Expired),
                            Reported::Returned => record.state == RequestState::Returned,
                        };
                        let is_theirs = record.user == run.user(place)
                            && record.quantity.cast_unsigned() == self.wanted(run, place);
                        found.lost += u64::from(!agrees || !is_theirs);
                    }
                }
            }
        }
        Ok(found)
    }
}

impl Scenario for StockScenario {
    fn answers(&self) -> &'static [&'static str] {
        &ANSWERS
    }

    fn visit<'a>(&'a self, run: &'a Arc<Run>, place: u32, begun: Instant) -> BoxFuture<'a, ()> {
        Box::pin(self.visit(run, place, begun))
    }

    fn compare<'a>(&'a self, run: &'a Run) -> BoxFuture<'a, Result<Discrepancies>> {
        Box::pin(self.compare(run))
    }

    fn audited(&self, audit: &Audit) -> Discrepancies {
        let found = Discrepancies::of_audit(audit);
        Discrepancies {
            oversold: audit.excess("negative"),
            doubled: found.doubled + audit.excess("returned_twice"),
            ..found
        }
    }
}
