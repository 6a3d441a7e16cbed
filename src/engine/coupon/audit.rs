//! The audit of a coupon sale: coupon by coupon and user by user.
//!
//! The history in ledger and stream determines who has which coupons, the counts of every limit, and whether each claim
//! was within the limits in force at its time (`replay.rs`). The figures (`audit.lua`) are of event E. They are
//! compared with the history up to E. Coupons and counts are read in slices while the sale continues. Each slice comes
//! with the last event that it reflects, and the history is replayed up to that event before the comparison. So the
//! audit is exact under any load and lag, and it never stops or slows a sale.

use crate::{
    audit::{Auditable, read_part},
    coupon::{
        history::StoredTerms,
        replay::{Counts, OfLimits, ReplayedSale},
        scripts::{AUDIT, Basis, CouponRecord, KIND, unpack},
        service::Coupons,
        snapshot::limits,
    },
};
use ledger::replay::Replay;
use model::{
    EventId, Invariant,
    coupon::{
        LIMITS, LimitName, Lists,
        limits::{ByLimit, Table},
        outcome,
    },
    error::Result,
};
use std::collections::HashMap;
use store::{Store, fields::Fields};

/// The fields in a slice. Redis reads them in less than a millisecond.
const SLICE: usize = 500;

impl Auditable for Coupons {
    const KIND: &str = KIND;
    const OUTCOMES: &'static [&'static str] = &outcome::OF_COUPONS;
    type Figures = Figures;
    type Terms = StoredTerms;

    fn store(&self) -> &Store {
        &self.store
    }

    async fn figures(&self, sale: &str) -> Result<Figures> {
        let (event_id, mut reply) = read_part(&self.store, &AUDIT, (KIND, sale), &["figures", "0", "0"]).await?;
        let meta: Fields = reply.next_value()?;
        let stats: HashMap<String, String> = reply.next_value()?;
        let stat = |name: &str| stats.get(name).and_then(|number| number.parse().ok()).unwrap_or(0);
        Ok(Figures {
            event_id,
            basis: Basis::read(meta.text("basis"))?,
            given_back_counts: meta.text("given_back_counts") == "1",
            limits: limits(|field| meta.get(field)),
            record: meta,
            claimed: stat("won"),
            redeemed: stat("redeemed"),
            returned: stat("returned"),
            voided: stat("voided"),
            coupons: reply.next_value()?,
            pending: reply.next_value()?,
            invited: reply.next_value()?,
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
        let zone = figures.basis.zone().clone();
        let mut replay = ReplayedSale::new(zone, figures.given_back_counts, Table::new(LIMITS), ByLimit::default());
        history.visit(EventId::default(), figures.event_id, &mut replay).await?;
        let at_e = Moment::of(&replay, &figures);
        let mut audit = HashAudit { replay, at: figures.event_id, faults: Faults::default() };
        let mut upto = figures.event_id;
        let parts = ["coupons", "counts", "codes", "pending", "invited"];
        for part in &parts[..if at_e.lists.is_none() { 2 } else { parts.len() }] {
            let mut from = "0".to_owned();
            loop {
                let (event_id, mut reply) =
                    read_part(&self.store, &AUDIT, (KIND, sale), &[part, &from, &SLICE.to_string()]).await?;
                let before: usize = from.parse().unwrap_or_default();
                from = reply.next_value()?;
                let fields: Vec<Vec<u8>> = reply.next_value()?;
                history.visit(upto, event_id, &mut audit.replay).await?;
                upto = upto.max(event_id);
                if *part == "pending" {
                    audit.pending(before, &fields);
                }
                for pair in fields.chunks_exact(2).filter(|_| *part != "pending") {
                    let field = String::from_utf8_lossy(&pair[0]);
                    match *part {
                        "coupons" => audit.coupon(&field, &pair[1]),
                        "counts" => audit.count(&field, &String::from_utf8_lossy(&pair[1])),
                        "codes" => audit.own_code(&field, &String::from_utf8_lossy(&pair[1])),
                        _ => audit.invited(&field),
                    }
                }
                if from == "0" {
                    break;
                }
            }
        }
        Ok(invariants(&figures, &at_e, &audit.close()))
    }
}

/// The reply of `audit.lua`.
pub struct Figures {
    event_id: EventId,
    record: Fields,
    basis: Basis,
    given_back_counts: bool,
    limits: ByLimit,
    claimed: i64,
    redeemed: i64,
    returned: i64,
    voided: i64,
    coupons: i64,
    /// The length of `pending`, and of `invited`.
    pending: i64,
    invited: i64,
}

/// The state as of E, by the history.
struct Moment {
    claimed: i64,
    redeemed: i64,
    returned: i64,
    voided: i64,
    beyond: OfLimits,
    /// The limits in force and the latest windows that differ from the history.
    limits: i64,
    /// The lists, what is left of them, and how many users have claimed without being on theirs.
    lists: Lists,
    pending: i64,
    invited: i64,
    uninvited: i64,
    listed_twice: i64,
    doubled: i64,
    ended_twice: i64,
    strays: i64,
}

impl Moment {
    fn of(replay: &ReplayedSale, figures: &Figures) -> Self {
        let differs = |name: LimitName| {
            let window = replay.window(name).map(|window| window.to_string());
            replay.limits.get(name) != figures.limits.get(name)
                || window.as_deref() != figures.record.get(&format!("window:{}", name.name()))
        };
        Self {
            claimed: replay.claimed,
            redeemed: replay.redeemed,
            returned: replay.returned,
            voided: replay.voided,
            beyond: replay.beyond,
            limits: LIMITS.into_iter().filter(|limit| differs(limit.name)).count() as i64,
            lists: replay.lists.lists,
            pending: replay.lists.pending.len() as i64,
            invited: replay.lists.invited.len() as i64,
            uninvited: replay.uninvited,
            listed_twice: replay.lists.twice,
            doubled: (replay.doubled.len() + replay.second.len()) as i64,
            ended_twice: replay.ended_twice.len() as i64,
            strays: replay.strays,
        }
    }
}

fn invariants(figures: &Figures, at_e: &Moment, faults: &Faults) -> Vec<Invariant> {
    let none = |name: &str, found| Invariant::new(name, 0, found);
    let mut invariants = vec![
        Invariant::new("coupons", at_e.claimed, figures.coupons),
        Invariant::new("events", figures.claimed, at_e.claimed),
        Invariant::new("redeemed", figures.redeemed, at_e.redeemed),
        Invariant::new("returned", figures.returned, at_e.returned),
        Invariant::new("voided", figures.voided, at_e.voided),
        none("limits", at_e.limits),
    ];
    for (limit, (beyond, counts)) in LIMITS.into_iter().zip(at_e.beyond.iter().zip(faults.counts)) {
        invariants.push(none(&format!("beyond_{}", limit.name.name()), *beyond));
        invariants.push(none(&format!("counts_{}", limit.name.name()), counts));
    }
    if !at_e.lists.is_none() {
        invariants.extend(of_lists(figures, at_e, faults));
    }
    invariants.extend([
        none("doubled", at_e.doubled),
        none("ended_twice", at_e.ended_twice),
        none("lost", faults.lost),
        none("unexpected", faults.unexpected + at_e.strays),
        Invariant::new("ledger", faults.in_ledger.0, faults.in_ledger.1),
    ]);
    invariants
}

/// The invariants of a sale with lists.
fn of_lists(figures: &Figures, at_e: &Moment, faults: &Faults) -> [Invariant; 5] {
    let of_record = figures.record.get("lists").and_then(Lists::from_text);
    // What is given back is pending again, unless it goes on counting.
    let given = figures.claimed - if figures.given_back_counts { 0 } else { figures.returned };
    let codes = if at_e.lists.own_codes > 0 { given + figures.pending } else { figures.pending };
    let wrong = i64::from(of_record != Some(at_e.lists)) + at_e.listed_twice + faults.lists;
    [
        Invariant::new("lists", 0, wrong),
        Invariant::new("own_codes", at_e.lists.codes_uploaded.cast_signed(), codes),
        Invariant::new("codes_left", at_e.pending, figures.pending),
        Invariant::new("invited", at_e.invited, figures.invited),
        Invariant::new("uninvited", 0, at_e.uninvited),
    ]
}

/// The faults found in the slices.
#[derive(Default)]
struct Faults {
    /// The values whose count for a limit differs from the history.
    counts: OfLimits,
    /// The entries of lists that are missing, different, or not in the history.
    lists: i64,
    /// Coupons in the history that are missing or different.
    lost: i64,
    /// Coupons and counts that are not in the history.
    unexpected: i64,
    /// The coupons in the ledger, and how many of them are in Redis.
    in_ledger: (i64, i64),
}

/// The audit in progress.
struct HashAudit {
    replay: ReplayedSale,
    /// Event E.
    at: EventId,
    faults: Faults,
}

impl HashAudit {
    fn coupon(&mut self, code: &str, record: &[u8]) {
        let Some(known) = self.replay.coupons.get_mut(code) else {
            self.faults.unexpected += 1;
            return;
        };
        known.seen = true;
        known.wrong |= !unpack(record).is_ok_and(|record: CouponRecord| record == known.record(&self.replay.table));
    }

    fn count(&mut self, field: &str, stored: &str) {
        let Some(known) = self.replay.counts.get_mut(field) else {
            self.faults.unexpected += 1;
            return;
        };
        known.seen = true;
        let words: Vec<&str> = stored.split(' ').collect();
        for limit in self.replay.table.limits().filter(|limit| limit.scope == known.scope) {
            let expected = known.of_limit(limit);
            self.faults.counts[limit.name.place()] += i64::from(!words.contains(&expected.as_str()));
        }
        self.faults.lost += i64::from(words.first() != Some(&known.newest.as_str()));
    }

    fn own_code(&mut self, field: &str, id: &str) {
        match self.replay.lists.codes.get_mut(field) {
            Some(named) => {
                named.listed.seen = true;
                self.faults.lists += i64::from(named.id != id);
            }
            None => self.faults.lists += 1,
        }
    }

    /// Compares the entries of `pending` before the last `after` ones with those of the history, from the end on.
    fn pending(&mut self, after: usize, entries: &[Vec<u8>]) {
        let expected = self.replay.lists.pending.iter().rev().skip(after);
        let differ =
            entries.iter().rev().zip(expected).filter(|(entry, expected)| entry.as_slice() != expected.as_bytes());
        self.faults.lists += differ.count() as i64;
    }

    fn invited(&mut self, user: &str) {
        match self.replay.lists.invited.get_mut(user) {
            Some(listed) => listed.seen = true,
            None => self.faults.lists += 1,
        }
    }

    /// Counts the coupons, counts and entries of lists that existed at E and were not read.
    fn close(mut self) -> Faults {
        let faults = &mut self.faults;
        for coupon in self.replay.coupons.values().filter(|coupon| coupon.since <= self.at) {
            let is_lost = !coupon.seen || coupon.wrong;
            faults.lost += i64::from(is_lost);
            if coupon.in_ledger {
                faults.in_ledger.0 += 1;
                faults.in_ledger.1 += i64::from(!is_lost);
            }
        }
        let of_codes = self.replay.lists.codes.values().map(|named| named.listed);
        let listed = of_codes.chain(self.replay.lists.invited.values().copied());
        faults.lists += listed.filter(|listed| !listed.seen && listed.since <= self.at).count() as i64;
        let is_missing = |counts: &&Counts| !counts.seen && counts.since <= self.at;
        for counts in self.replay.counts.values().filter(is_missing) {
            for limit in self.replay.table.limits().filter(|limit| limit.scope == counts.scope) {
                faults.counts[limit.name.place()] += 1;
            }
        }
        self.faults
    }
}
