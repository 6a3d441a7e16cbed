//! The audit of a stock sale: the quantity in Redis, the quantity in the ledger, and every request.
//!
//! The history in ledger and stream determines the quantity left: opened + restocked − deducted + given back +
//! corrections, plus reservations that expired. The figures (`audit.lua`) are of event E, and are compared with the history up to E. The ledger's
//! quantity is compared with the history up to the last entry in it, which is in the same row. Requests are read in
//! slices while the sale continues. Each slice comes with the last event that it reflects, and the history is replayed
//! up to that event before the comparison. So the audit is exact under any load and lag, and it never stops or slows a
//! sale.

use crate::{
    audit::{Auditable, read_part},
    stock::{
        history::StoredTerms,
        replay::ReplayedSale,
        scripts::{AUDIT, KIND, RequestRecord, RequestState, unpack},
        service::Stock,
    },
};
use ledger::replay::Replay;
use model::{EventId, Invariant, error::Result, stock::outcome};
use store::{Store, fields::Fields};

/// The fields in a slice. Redis reads them in less than a millisecond.
const SLICE: usize = 500;

impl Auditable for Stock {
    const KIND: &str = KIND;
    const OUTCOMES: &'static [&'static str] = &outcome::OF_REQUESTS;
    type Figures = Figures;
    type Terms = StoredTerms;

    fn store(&self) -> &Store {
        &self.store
    }

    async fn figures(&self, sale: &str) -> Result<Figures> {
        let (event_id, mut reply) = read_part(&self.store, &AUDIT, (KIND, sale), &["figures", "0", "0"]).await?;
        let (meta, stats): (Fields, Fields) = (reply.next_value()?, reply.next_value()?);
        Ok(Figures {
            event_id,
            sum: meta.number("sum"),
            won: stats.number("won"),
            units: UNITS.map(|name| stats.number(name)),
            requests: reply.next_value()?,
            cached: reply.next_value()?,
            users: reply.next_value()?,
            deadlines: reply.next_value()?,
            held: meta.number("held"),
            confirmed: stats.number("confirmed"),
            expired: stats.number("expired"),
            record: meta,
        })
    }

    fn event_id(figures: &Figures) -> EventId {
        figures.event_id
    }

    fn record(figures: &Figures) -> &Fields {
        &figures.record
    }

    async fn compare(&self, sale: &str, figures: Figures) -> Result<Vec<Invariant>> {
        let Self { store, ledger, .. } = self;
        let history = Replay { store, ledger, kind: KIND, sale };
        let known = ledger.sale(KIND, sale).await?;
        let recorded = known.as_ref().map_or_else(EventId::default, |known| known.position.event_id);
        // One pass through the history stops at the ledger's last entry and at E, in their order.
        let mut replay = ReplayedSale::default();
        history.visit(EventId::default(), recorded.min(figures.event_id), &mut replay).await?;
        let (at_e, left);
        if recorded <= figures.event_id {
            left = replay.left;
            history.visit(recorded, figures.event_id, &mut replay).await?;
            at_e = Moment::of(&replay);
        } else {
            at_e = Moment::of(&replay);
            history.visit(figures.event_id, recorded, &mut replay).await?;
            left = replay.left;
        }
        let in_ledger = (left, known.map_or(0, |known| known.quantity));
        let mut audit = RequestAudit { replay, at: figures.event_id, faults: Faults::default() };
        let (mut upto, mut from) = (figures.event_id.max(recorded), "0".to_owned());
        loop {
            let (event_id, mut reply) =
                read_part(&self.store, &AUDIT, (KIND, sale), &["requests", &from, &SLICE.to_string()]).await?;
            from = reply.next_value()?;
            let fields: Vec<Vec<u8>> = reply.next_value()?;
            // In a sale that does not hold, there are none.
            let deadlines: Vec<Option<f64>> = reply.next_value()?;
            history.visit(upto, event_id, &mut audit.replay).await?;
            upto = upto.max(event_id);
            for (at, pair) in fields.chunks_exact(2).enumerate() {
                let deadline = deadlines.get(at).copied().flatten();
                audit.request(&String::from_utf8_lossy(&pair[0]), &pair[1], deadline);
            }
            if from == "0" {
                break;
            }
        }
        while figures.has_limit() {
            let (event_id, mut reply) =
                read_part(&self.store, &AUDIT, (KIND, sale), &["users", &from, &SLICE.to_string()]).await?;
            from = reply.next_value()?;
            let fields: Vec<Vec<u8>> = reply.next_value()?;
            history.visit(upto, event_id, &mut audit.replay).await?;
            upto = upto.max(event_id);
            for pair in fields.chunks_exact(2) {
                audit.user(&String::from_utf8_lossy(&pair[0]), &pair[1]);
            }
            if from == "0" {
                break;
            }
        }
        Ok(invariants(&figures, &at_e, in_ledger, &audit.close()))
    }
}

/// The kinds of units that are counted, by their names in `stats` and among the invariants.
const UNITS: [&str; 4] = ["deducted", "returned", "restocked", "corrected"];

/// The reply of `audit.lua`.
pub struct Figures {
    event_id: EventId,
    record: Fields,
    /// The sum of all changes.
    sum: i64,
    /// The cached quantity.
    cached: Option<i64>,
    won: i64,
    units: [i64; UNITS.len()],
    requests: i64,
    /// The users of a sale with a limit, and the deadlines of one that holds.
    users: i64,
    deadlines: i64,
    /// The units held now, confirmed and expired.
    held: i64,
    confirmed: i64,
    expired: i64,
}

impl Figures {
    fn has_limit(&self) -> bool {
        self.record.get("limit_per_user").is_some()
    }

    fn holds(&self) -> bool {
        self.record.get("hold_ms").is_some()
    }
}

/// The state as of E, by the history.
struct Moment {
    left: i64,
    won: i64,
    units: [i64; UNITS.len()],
    requests: i64,
    negative: i64,
    doubled: i64,
    returned_twice: i64,
    strays: i64,
    users: i64,
    over_limit: i64,
    held: i64,
    held_requests: i64,
    confirmed: i64,
    expired: i64,
}

impl Moment {
    fn of(replay: &ReplayedSale) -> Self {
        Self {
            left: replay.left,
            won: replay.won,
            units: [replay.deducted, replay.returned, replay.restocked, replay.corrected],
            requests: replay.requests.len() as i64,
            negative: replay.negative,
            doubled: replay.doubled.len() as i64,
            returned_twice: replay.returned_twice.len() as i64,
            strays: replay.strays + replay.settled_twice.len() as i64,
            users: replay.users.len() as i64,
            over_limit: replay.over_limit.len() as i64,
            held: replay.held,
            held_requests: replay.held_requests,
            confirmed: replay.confirmed,
            expired: replay.expired,
        }
    }
}

fn invariants(figures: &Figures, at_e: &Moment, (recorded, in_ledger): (i64, i64), faults: &Faults) -> Vec<Invariant> {
    let none = |name: &str, found| Invariant::new(name, 0, found);
    let mut invariants = vec![
        Invariant::new("quantity", at_e.left, figures.sum),
        // A quantity that is not cached cannot be wrong.
        Invariant::new("cached", at_e.left, figures.cached.unwrap_or(at_e.left)),
        Invariant::new("ledger_quantity", recorded, in_ledger),
        Invariant::new("events", figures.won, at_e.won),
    ];
    for (name, (counted, replayed)) in UNITS.into_iter().zip(figures.units.iter().zip(at_e.units)) {
        invariants.push(Invariant::new(name, *counted, replayed));
    }
    // Only of sales that have such terms.
    if figures.holds() {
        invariants.extend([
            Invariant::new("confirmed", figures.confirmed, at_e.confirmed),
            Invariant::new("expired", figures.expired, at_e.expired),
            Invariant::new("held", at_e.held, figures.held),
            Invariant::new("deadlines", at_e.held_requests, figures.deadlines),
        ]);
    }
    if figures.has_limit() {
        invariants.extend([
            none("users", (figures.users - at_e.users).abs() + faults.users),
            none("limits", at_e.over_limit),
        ]);
    }
    invariants.extend([
        Invariant::new("requests", at_e.requests, figures.requests),
        none("negative", at_e.negative),
        none("doubled", at_e.doubled),
        none("returned_twice", at_e.returned_twice),
        none("lost", faults.lost),
        none("unexpected", faults.unexpected + at_e.strays),
        Invariant::new("ledger", faults.in_ledger.0, faults.in_ledger.1),
    ]);
    invariants
}

/// The faults found in the slices.
#[derive(Default)]
struct Faults {
    /// Requests in the history that are missing or different.
    lost: i64,
    /// Requests that are not in the history.
    unexpected: i64,
    /// The requests in the ledger, and how many of them are in Redis.
    in_ledger: (i64, i64),
    /// Users whose units differ, or who are not in the history.
    users: i64,
}

/// The audit in progress.
struct RequestAudit {
    replay: ReplayedSale,
    /// Event E.
    at: EventId,
    faults: Faults,
}

impl RequestAudit {
    /// Compares a user's units.
    fn user(&mut self, user: &str, units: &[u8]) {
        let units = std::str::from_utf8(units).ok().and_then(|units| units.parse::<i64>().ok());
        match self.replay.users.get_mut(user) {
            Some(known) => known.wrong |= units != Some(known.units),
            None => self.faults.users += 1,
        }
    }

    /// Compares a request, and the deadline that it has in the index.
    fn request(&mut self, request_id: &str, record: &[u8], deadline: Option<f64>) {
        let Some(known) = self.replay.requests.get_mut(request_id) else {
            self.faults.unexpected += 1;
            return;
        };
        known.seen = true;
        known.wrong |= !unpack::<RequestRecord>(record).is_ok_and(|record| record == known.record);
        let is_held = known.record.state == RequestState::Held;
        known.wrong |= deadline != is_held.then_some(known.record.due as f64);
    }

    /// Counts the requests that existed at E and were not read.
    fn close(mut self) -> Faults {
        let faults = &mut self.faults;
        for request in self.replay.requests.values().filter(|request| request.since <= self.at) {
            let is_lost = !request.seen || request.wrong;
            faults.lost += i64::from(is_lost);
            if request.in_ledger {
                faults.in_ledger.0 += 1;
                faults.in_ledger.1 += i64::from(!is_lost);
            }
        }
        faults.users += self.replay.users.values().filter(|user| user.wrong).count() as i64;
        self.faults
    }
}
