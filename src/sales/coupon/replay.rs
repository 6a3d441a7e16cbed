//! The history of a coupon sale, replayed from ledger rows and events in their order: every coupon, what every limit has
//! counted, and whether a claim went beyond a limit that was in force then.

use super::{
    ByLimit, CouponState, LIMITS, Limit, LimitName,
    history::{Event, OfCoupon, StoredTerms, read_event},
    limits::{Scope, Window},
    outcome,
    windows::Zone,
};
use crate::{
    domain::{EventId, Millis},
    error::{Error, Result},
    ledger::{audit_rows::AuditRow, database::Ledger, replay::HistoryVisitor, sale::LedgerSale},
    store::stream::{Entry, number_field},
};
use std::collections::{HashMap, VecDeque};

/// Rows of the ledger read at a time, of each outcome.
const ROWS_AT_A_TIME: u32 = 5_000;

/// The outcomes that are replayed.
const OUTCOMES: [&str; 4] = [outcome::WON, outcome::REDEEMED, outcome::RETURNED, outcome::LIMITS];

/// A number for each of [`LIMITS`].
pub(super) type OfLimits = [i64; LIMITS.len()];

/// The state according to the history, as far as it has been replayed.
pub(super) struct ReplayedSale {
    zone: Zone,
    given_back_counts: bool,
    /// A coupon that ended without having been claimed is there all the same.
    pub restores_unclaimed: bool,
    /// The limits in force.
    pub limits: ByLimit,
    pub coupons: HashMap<String, ReplayedCoupon>,
    /// What is counted for the sale.
    pub sale: Counts,
    /// What is counted for each user.
    pub users: HashMap<String, Counts>,
    /// The latest day on which a coupon was claimed, and when it ends.
    day: Option<(Millis, Millis)>,
    /// Coupons claimed, redeemed and given back.
    pub claimed: i64,
    pub redeemed: i64,
    pub returned: i64,
    /// Claims beyond each limit, as it was in force then.
    pub beyond: OfLimits,
    /// The same, one by one: the coupon, and the limit.
    pub beyond_limits: Vec<(String, LimitName)>,
    /// Codes that were given out twice, and coupons that ended twice.
    pub doubled: Vec<String>,
    pub ended_twice: Vec<String>,
    /// Ends of coupons that nobody has claimed, and rows that cannot be read.
    pub strays: i64,
    /// The coupons that ended without having been claimed.
    pub unclaimed: Vec<String>,
}

/// A coupon.
#[derive(Clone, Debug)]
pub(super) struct ReplayedCoupon {
    pub user: String,
    pub claimed_at: Millis,
    /// The event in which it was claimed.
    pub since: EventId,
    /// The user's coupon before it; empty for the first.
    pub previous: String,
    /// The day that counts it.
    pub day: Millis,
    /// How, when and by which request it ended.
    pub ended: Option<(CouponState, Millis, String)>,
    /// Whether the ledger has recorded that it was claimed.
    pub in_ledger: bool,
    /// What the audit found of it in Redis: whether it was there, and whether it differs.
    pub seen: bool,
    pub wrong: bool,
}

impl ReplayedCoupon {
    /// Its state according to the history.
    pub fn state(&self) -> CouponState {
        self.ended.as_ref().map_or(CouponState::Claimed, |(state, ..)| *state)
    }

    /// The marks of the windows that count it, as stored.
    pub fn windows(&self) -> String {
        let marks = LIMITS.into_iter().filter(|limit| limit.window == Window::Day);
        let marks: Vec<String> = marks.map(|limit| mark(limit, Some(self.day))).collect();
        marks.join(" ")
    }
}

/// What is counted for one value of a scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    /// The newest coupon.
    pub newest: String,
    /// The event of the first.
    pub since: EventId,
    /// For each limit the beginning of the window, and the coupons counted in it.
    counts: [(Option<Millis>, i64); LIMITS.len()],
    /// What the audit found of it in Redis.
    pub seen: bool,
}

impl Counts {
    /// How many coupons one limit counts.
    pub fn count(&self, place: usize) -> i64 {
        self.counts[place].1
    }

    /// What is counted for one limit, as stored.
    pub fn of_limit(&self, place: usize) -> String {
        let (window, count) = self.counts[place];
        format!("{}={count}", mark(LIMITS[place], window))
    }

    /// All that is counted for a scope, as stored.
    pub fn stored(&self, scope: Scope) -> String {
        let mut text = self.newest.clone();
        for (place, _) in of_scope(scope) {
            text.push(' ');
            text.push_str(&self.of_limit(place));
        }
        text
    }
}

/// The limits that count for a scope, with their places in [`LIMITS`].
pub(super) fn of_scope(scope: Scope) -> impl Iterator<Item = (usize, Limit)> {
    LIMITS.into_iter().enumerate().filter(move |(_, limit)| limit.scope == scope)
}

fn mark(limit: Limit, window: Option<Millis>) -> String {
    let name = limit.name.name();
    window.map_or_else(|| name.to_owned(), |window| format!("{name}@{window}"))
}

impl ReplayedSale {
    pub fn new(zone: Zone, given_back_counts: bool, limits: ByLimit) -> Self {
        Self {
            zone,
            given_back_counts,
            restores_unclaimed: false,
            limits,
            coupons: HashMap::new(),
            sale: Counts::default(),
            users: HashMap::new(),
            day: None,
            claimed: 0,
            redeemed: 0,
            returned: 0,
            beyond: [0; LIMITS.len()],
            beyond_limits: Vec::new(),
            doubled: Vec::new(),
            ended_twice: Vec::new(),
            strays: 0,
            unclaimed: Vec::new(),
        }
    }

    /// The latest day on which a coupon was claimed.
    pub fn day(&self) -> Option<Millis> {
        self.day.map(|(begins, _)| begins)
    }

    /// The day that counts a claim: never an earlier one than that of the claim before.
    fn day_of(&mut self, at: Millis) -> Result<Millis> {
        match self.day {
            Some((begins, ends)) if at < ends => Ok(begins),
            _ => {
                let day = (self.zone.day_of(at)?, self.zone.day_end(at)?);
                self.day = Some(day);
                Ok(day.0)
            }
        }
    }

    fn claim(&mut self, event_id: EventId, at: Millis, coupon: OfCoupon, in_ledger: bool) -> Result<()> {
        let OfCoupon { user, code, .. } = coupon;
        if let Some(known) = self.coupons.get(&code) {
            // A code follows from its request: for the same user it is the same claim, confirmed once more after Redis had
            // lost it.
            if known.user != user {
                self.doubled.push(code);
            }
            return Ok(());
        }
        let day = self.day_of(at)?;
        let counts = self.users.entry(user.clone()).or_insert_with(|| Counts { since: event_id, ..Counts::default() });
        for (place, limit) in LIMITS.into_iter().enumerate() {
            let window = match limit.window {
                Window::Ever => None,
                Window::Day => Some(day),
            };
            let count = match limit.scope {
                Scope::Sale => &mut self.sale.counts[place],
                Scope::User => &mut counts.counts[place],
            };
            if count.0 != window {
                *count = (window, 0);
            }
            if self.limits.get(limit.name).is_some_and(|most| count.1 >= most.cast_signed()) {
                self.beyond[place] += 1;
                self.beyond_limits.push((code.clone(), limit.name));
            }
            count.1 += 1;
        }
        if self.claimed == 0 {
            self.sale.since = event_id;
        }
        self.claimed += 1;
        self.sale.newest.clone_from(&code);
        let previous = std::mem::replace(&mut counts.newest, code.clone());
        let coupon = ReplayedCoupon {
            user,
            claimed_at: at,
            since: event_id,
            previous,
            day,
            ended: None,
            in_ledger,
            seen: false,
            wrong: false,
        };
        self.coupons.insert(code, coupon);
        Ok(())
    }

    fn end(&mut self, event_id: EventId, at: Millis, coupon: OfCoupon, state: CouponState) -> Result<()> {
        if !self.coupons.contains_key(&coupon.code) {
            self.strays += 1;
            if !self.restores_unclaimed {
                return Ok(());
            }
            self.unclaimed.push(coupon.code.clone());
            self.claim(event_id, at, coupon.clone(), false)?;
        }
        let Some(known) = self.coupons.get_mut(&coupon.code) else { return Ok(()) };
        if let Some((before, _, request_id)) = &known.ended {
            // The same request once more, after Redis had lost it, changes nothing.
            if (*before, request_id) != (state, &coupon.request_id) {
                self.ended_twice.push(coupon.code);
            }
            return Ok(());
        }
        known.ended = Some((state, at, coupon.request_id));
        if state == CouponState::Redeemed {
            self.redeemed += 1;
            return Ok(());
        }
        self.returned += 1;
        if self.given_back_counts {
            return Ok(());
        }
        let day = known.day;
        let Some(user) = self.users.get_mut(&known.user) else { return Ok(()) };
        for (place, limit) in LIMITS.into_iter().enumerate() {
            let count = match limit.scope {
                Scope::Sale => &mut self.sale.counts[place],
                Scope::User => &mut user.counts[place],
            };
            if count.0.is_none_or(|window| window == day) {
                count.1 = (count.1 - 1).max(0);
            }
        }
        Ok(())
    }

    fn row(&mut self, outcome: &'static str, row: AuditRow) -> Result<()> {
        let item = row.item.unwrap_or_default();
        if outcome == outcome::LIMITS {
            match ByLimit::from_text(&item) {
                Some(limits) => self.limits = limits,
                None => self.strays += 1,
            }
            return Ok(());
        }
        let coupon =
            OfCoupon { user: row.user.unwrap_or_default(), code: item, request_id: row.request_id.unwrap_or_default() };
        match outcome {
            outcome::WON => self.claim(row.event_id, row.at, coupon, true)?,
            outcome::REDEEMED => self.end(row.event_id, row.at, coupon, CouponState::Redeemed)?,
            _ => self.end(row.event_id, row.at, coupon, CouponState::Returned)?,
        }
        Ok(())
    }
}

/// The rows of one outcome, oldest first, read as they are needed.
struct Rows {
    outcome: &'static str,
    read: VecDeque<AuditRow>,
    after: (EventId, i64),
    is_whole: bool,
}

impl Rows {
    /// When the next one happened; `None` if there is none.
    async fn next(&mut self, ledger: &Ledger, sale: i64, upto: EventId) -> Result<Option<(EventId, i64)>> {
        if self.read.is_empty() && !self.is_whole {
            let rows = ledger.order_rows_between(sale, self.outcome, self.after, upto, ROWS_AT_A_TIME).await?;
            self.is_whole = rows.len() < ROWS_AT_A_TIME as usize;
            self.after = rows.last().map_or(self.after, |row| (row.event_id, row.place));
            self.read = rows.into();
        }
        Ok(self.read.front().map(|row| (row.event_id, row.place)))
    }
}

impl HistoryVisitor for ReplayedSale {
    async fn rows(&mut self, ledger: &Ledger, known: &LedgerSale, from: EventId, upto: EventId) -> Result<()> {
        if from == EventId::default()
            && let Some(terms) = known.terms.as_deref()
        {
            self.limits = serde_json::from_str::<StoredTerms>(terms).map_err(Error::internal)?.limits;
        }
        let rows = |outcome| Rows { outcome, read: VecDeque::new(), after: (from, i64::MAX), is_whole: false };
        let mut rows = OUTCOMES.map(rows);
        loop {
            let mut first: Option<((EventId, i64), usize)> = None;
            for (place, rows) in rows.iter_mut().enumerate() {
                if let Some(next) = rows.next(ledger, known.number, upto).await?
                    && first.is_none_or(|(least, _)| next < least)
                {
                    first = Some((next, place));
                }
            }
            let Some((_, place)) = first else { return Ok(()) };
            let outcome = rows[place].outcome;
            if let Some(row) = rows[place].read.pop_front() {
                self.row(outcome, row)?;
            }
        }
    }

    fn entry(&mut self, entry: &Entry) -> Result<()> {
        let (event_id, at) = (entry.0.parse()?, number_field(entry, "at")?);
        match read_event(entry)? {
            Some(Event::Opened(terms)) => self.limits = terms.limits,
            Some(Event::Claimed(coupons)) => {
                for coupon in coupons {
                    self.claim(event_id, at, coupon, false)?;
                }
            }
            Some(Event::Redeemed(coupons)) => {
                for coupon in coupons {
                    self.end(event_id, at, coupon, CouponState::Redeemed)?;
                }
            }
            Some(Event::Returned(coupons)) => {
                for coupon in coupons {
                    self.end(event_id, at, coupon, CouponState::Returned)?;
                }
            }
            Some(Event::Limits(limits)) => self.limits = limits,
            // An unknown event becomes a dead letter in the ledger and is reported there.
            Some(Event::Closed | Event::Recovered) | None => {}
        }
        Ok(())
    }
}
