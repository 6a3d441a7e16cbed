//! The history of a coupon sale, replayed from ledger rows and events in their order: every coupon, the counts of every
//! limit, and the claims beyond a limit that was in force at the time.

use crate::coupon::{
    history::{Event, LimitsEvent, OfCoupon, StoredTerms, read_event},
    lists::ReplayedLists,
    scripts::CouponRecord,
    windows::Zone,
};
use ledger::{
    audit_rows::{AuditRow, MergedRows},
    database::Ledger,
    lists::RecordedPart,
    replay::HistoryVisitor,
    sale::LedgerSale,
};
use model::{
    EventId, Millis,
    coupon::{
        ByLimit, CouponState, LIMITS, Limit, LimitName, List, Part,
        limits::{Edit, Scope, Table, USER, Window, edit_from_text},
        outcome,
    },
    error::{Error, Result},
};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    hash::{BuildHasher, RandomState},
};
use store::stream::{Entry, number_field};

/// The outcomes that are replayed.
const OUTCOMES: [&str; 5] = [outcome::WON, outcome::REDEEMED, outcome::RETURNED, outcome::VOIDED, outcome::LIMITS];

/// One number for each of [`LIMITS`].
pub(super) type OfLimits = [i64; LIMITS.len()];

/// The newest edits of limits that a sale keeps, as in `set_limits.lua`.
const EDITS: usize = 64;

/// An edit of limits: its request, its changes, and the limits in force after it.
pub(super) type KeptEdit = (String, Edit, ByLimit);

/// The state according to the history that has been replayed so far.
pub(super) struct ReplayedSale {
    zone: Zone,
    /// The limits that the sale has.
    pub table: Table,
    given_back_counts: bool,
    /// Whether a coupon that ended without having been claimed is restored all the same.
    pub restores_unclaimed: bool,
    /// The limits in force.
    pub limits: ByLimit,
    /// The newest edits, newest first.
    pub edits: VecDeque<KeptEdit>,
    /// The coupons, by their keys in `coupons`.
    pub coupons: HashMap<String, ReplayedCoupon>,
    /// The own codes and the users who may claim.
    pub lists: ReplayedLists,
    /// Claims of users who may not claim.
    pub uninvited: i64,
    /// The counts, by field of `counts`.
    pub counts: HashMap<String, Counts>,
    /// The latest windows in which a coupon was claimed.
    latest: Windows<(Millis, Millis)>,
    /// Coupons claimed, redeemed (without those whose redemption was taken back) and given back.
    pub claimed: i64,
    pub redeemed: i64,
    pub returned: i64,
    /// Redemptions taken back.
    pub voided: i64,
    /// The claims beyond each limit in force at the time.
    pub beyond: OfLimits,
    /// The same claims one by one: the coupon and the limit.
    pub beyond_limits: Vec<(String, LimitName)>,
    /// The requests that have a coupon, as hashes. For a million requests, their texts would take 60 MB.
    requests: HashSet<u64>,
    hasher: RandomState,
    /// The coupons of requests that already had one under another code.
    pub second: Vec<String>,
    /// Codes that were given out twice, and coupons that ended twice.
    pub doubled: Vec<String>,
    pub ended_twice: Vec<String>,
    /// The ends of coupons that nobody has claimed, redemptions taken back that were none, and the rows that cannot be
    /// read.
    pub strays: i64,
    /// The coupons that ended without having been claimed.
    pub unclaimed: Vec<String>,
}

#[derive(Clone, Debug)]
pub(super) struct ReplayedCoupon {
    pub user: String,
    /// The code as it is spelled, in a sale with own codes.
    pub own: Option<String>,
    pub claimed_at: Millis,
    /// The event of the claim.
    pub since: EventId,
    /// The user's previous coupon; empty for the first.
    pub previous: String,
    /// The windows in which it counts, by limit.
    windows: Windows<Millis>,
    /// Its values of the further scopes.
    further: Vec<String>,
    /// The state, time and request of its end.
    pub ended: Option<(CouponState, Millis, String)>,
    /// The redemptions that were taken back: the request of each, and when it was taken back.
    pub voided: Vec<(String, Millis)>,
    /// Whether the ledger has recorded that it was claimed.
    pub in_ledger: bool,
    /// The result of the audit in Redis: whether the coupon exists, and whether it differs.
    pub seen: bool,
    pub wrong: bool,
}

impl ReplayedCoupon {
    /// The state according to the history.
    pub fn state(&self) -> CouponState {
        self.ended.as_ref().map_or(CouponState::Claimed, |(state, ..)| *state)
    }

    /// The marks of the windows in which the coupon counts, as stored.
    pub fn windows(&self, table: &Table) -> String {
        let marks = table.limits().filter(|limit| limit.window != Window::Ever);
        let marks: Vec<String> = marks.map(|limit| mark(limit, self.windows[limit.name.place()])).collect();
        marks.join(" ")
    }

    /// The fields of `counts` in which the coupon counts, besides the sale and the user, as stored.
    pub fn others(&self, table: &Table) -> Vec<String> {
        scopes(table).into_iter().filter(|scope| scope.place > USER.place).map(|scope| self.field(scope)).collect()
    }

    /// The coupon as it is stored.
    pub fn record(&self, table: &Table) -> CouponRecord {
        let (ended_at, ended_by) = match (&self.ended, self.voided.last()) {
            (Some((_, at, by)), _) => (Some(*at), Some(by.clone())),
            (None, Some((_, at))) => (Some(*at), Some(String::new())),
            (None, None) if self.own.is_some() => (Some(0), Some(String::new())),
            (None, None) => (None, None),
        };
        CouponRecord {
            user: self.user.clone(),
            state: self.state(),
            claimed_at: self.claimed_at,
            previous: self.previous.clone(),
            windows: self.windows(table),
            others: self.others(table),
            ended_at,
            ended_by,
            voided: self.voided.clone(),
            own: self.own.clone(),
        }
    }

    /// Whether a redemption by this request was taken back.
    fn is_voided(&self, request_id: &str) -> bool {
        self.voided.iter().any(|(by, _)| by == request_id)
    }

    fn field(&self, scope: Scope) -> String {
        let coupon = OfCoupon { user: self.user.clone(), further: self.further.clone(), ..OfCoupon::default() };
        scope.field(coupon.value_of(scope))
    }
}

/// One value for each of [`LIMITS`] that has windows.
type Windows<T> = [Option<T>; LIMITS.len()];

/// The counts for one value of a scope.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    /// The scope.
    pub scope: Scope,
    /// The newest coupon.
    pub newest: String,
    /// The event of the first coupon.
    pub since: EventId,
    /// For each limit, the beginning of the window and the coupons counted in it.
    counts: [(Option<Millis>, i64); LIMITS.len()],
    /// Whether the audit found the counts in Redis.
    pub seen: bool,
}

impl Counts {
    fn new(scope: Scope, since: EventId) -> Self {
        Self { scope, newest: String::new(), since, counts: [(None, 0); LIMITS.len()], seen: false }
    }

    /// The number of coupons that a limit counts.
    pub fn count(&self, limit: LimitName) -> i64 {
        self.counts[limit.place()].1
    }

    /// The count of one limit, as stored.
    pub fn of_limit(&self, limit: Limit) -> String {
        let (window, count) = self.counts[limit.name.place()];
        format!("{}={count}", mark(limit, window))
    }

    /// All counts, as stored.
    pub fn stored(&self, table: &Table) -> String {
        let mut text = self.newest.clone();
        for limit in table.limits().filter(|limit| limit.scope == self.scope) {
            text.push(' ');
            text.push_str(&self.of_limit(limit));
        }
        text
    }
}

/// The scopes of the limits of a table, in the order of their first limits.
fn scopes(table: &Table) -> Vec<Scope> {
    let mut scopes: Vec<Scope> = Vec::new();
    for limit in table.limits() {
        if !scopes.contains(&limit.scope) {
            scopes.push(limit.scope);
        }
    }
    scopes
}

fn mark(limit: Limit, window: Option<Millis>) -> String {
    let name = limit.name.name();
    window.map_or_else(|| name.to_owned(), |window| format!("{name}@{window}"))
}

impl ReplayedSale {
    pub fn new(zone: Zone, given_back_counts: bool, table: Table, limits: ByLimit) -> Self {
        Self {
            zone,
            given_back_counts,
            restores_unclaimed: false,
            table,
            limits,
            edits: VecDeque::new(),
            coupons: HashMap::new(),
            lists: ReplayedLists::default(),
            uninvited: 0,
            counts: HashMap::new(),
            latest: [None; LIMITS.len()],
            claimed: 0,
            redeemed: 0,
            returned: 0,
            voided: 0,
            beyond: [0; LIMITS.len()],
            beyond_limits: Vec::new(),
            requests: HashSet::new(),
            hasher: RandomState::new(),
            second: Vec::new(),
            doubled: Vec::new(),
            ended_twice: Vec::new(),
            strays: 0,
            unclaimed: Vec::new(),
        }
    }

    fn open(&mut self, terms: StoredTerms) {
        self.lists = ReplayedLists::of(&terms);
        (self.table, self.limits) = (terms.table, terms.limits);
    }

    /// The latest window of a limit in which a coupon was claimed.
    pub fn window(&self, limit: LimitName) -> Option<Millis> {
        self.latest[limit.place()].map(|(begins, _)| begins)
    }

    /// The windows in which a claim counts. They are never earlier than the windows of the claim before.
    fn windows_at(&mut self, at: Millis) -> Result<Windows<Millis>> {
        for limit in self.table.limits() {
            let latest = &mut self.latest[limit.name.place()];
            if latest.is_none_or(|(_, ends)| at >= ends) {
                *latest = self.zone.window(limit.window, at)?;
            }
        }
        Ok(self.latest.map(|latest| latest.map(|(begins, _)| begins)))
    }

    fn claim(&mut self, event_id: EventId, at: Millis, coupon: OfCoupon, in_ledger: bool) -> Result<()> {
        let has_own = self.lists.has_own();
        let id = if has_own { self.lists.id_of(&coupon.request_id) } else { coupon.code.clone() };
        if let Some(known) = self.coupons.get(&id) {
            // The key follows from the request. For the same user, this is the same claim, confirmed again after Redis
            // had lost it. Its own code may be another one.
            if known.user != coupon.user || known.own.as_ref().is_some_and(|own| *own != coupon.code) {
                self.doubled.push(id);
            }
            return Ok(());
        }
        if has_own && !self.lists.give(&coupon.code, &id) {
            match self.lists.named(&coupon.code, "") {
                Some(holder) => self.doubled.push(holder),
                None => self.strays += 1,
            }
            return Ok(());
        }
        if !self.requests.insert(self.hasher.hash_one(&coupon.request_id)) {
            self.second.push(id.clone());
        }
        self.uninvited += i64::from(!self.lists.is_invited(&coupon.user));
        let windows = self.windows_at(at)?;
        let mut previous = String::new();
        for scope in scopes(&self.table) {
            let counts = self.counts.entry(scope.field(coupon.value_of(scope)));
            let counts = counts.or_insert_with(|| Counts::new(scope, event_id));
            for limit in self.table.limits().filter(|limit| limit.scope == scope) {
                let (place, window) = (limit.name.place(), windows[limit.name.place()]);
                let count = &mut counts.counts[place];
                if count.0 != window {
                    *count = (window, 0);
                }
                if self.limits.get(limit.name).is_some_and(|most| count.1 >= most.cast_signed()) {
                    self.beyond[place] += 1;
                    self.beyond_limits.push((id.clone(), limit.name));
                }
                count.1 += 1;
            }
            let before = std::mem::replace(&mut counts.newest, id.clone());
            if scope == USER {
                previous = before;
            }
        }
        self.claimed += 1;
        let OfCoupon { user, code, further, .. } = coupon;
        let coupon = ReplayedCoupon {
            user,
            own: has_own.then_some(code),
            claimed_at: at,
            since: event_id,
            previous,
            windows,
            further,
            ended: None,
            voided: Vec::new(),
            in_ledger,
            seen: false,
            wrong: false,
        };
        self.coupons.insert(id, coupon);
        Ok(())
    }

    /// The key in `coupons` of a coupon that something has happened to, and whether nobody had claimed it. It is claimed
    /// then if such coupons are restored: with own codes by this request, as the one that had claimed is not known.
    fn known(&mut self, event_id: EventId, at: Millis, coupon: &OfCoupon) -> Result<(Option<String>, bool)> {
        let id_of = |sale: &Self| match sale.lists.has_own() {
            true => sale.lists.named(&coupon.code, &coupon.request_id),
            false => Some(coupon.code.clone()),
        };
        if let Some(id) = id_of(self).filter(|id| self.coupons.contains_key(id)) {
            return Ok((Some(id), false));
        }
        if !self.restores_unclaimed {
            return Ok((None, true));
        }
        self.claim(event_id, at, coupon.clone(), false)?;
        let id = id_of(self).filter(|id| self.coupons.contains_key(id));
        self.unclaimed.extend(id.clone());
        Ok((id, true))
    }

    fn end(&mut self, event_id: EventId, at: Millis, coupon: OfCoupon, state: CouponState) -> Result<()> {
        let (id, is_unclaimed) = self.known(event_id, at, &coupon)?;
        self.strays += i64::from(is_unclaimed);
        let Some((id, known)) = id.and_then(|id| Some((id.clone(), self.coupons.get_mut(&id)?))) else { return Ok(()) };
        if known.is_voided(&coupon.request_id) {
            self.ended_twice.push(id);
            return Ok(());
        }
        if let Some((before, _, request_id)) = &known.ended {
            // A repeat of the same request, after Redis had lost it, changes nothing.
            if (*before, request_id) != (state, &coupon.request_id) {
                self.ended_twice.push(id);
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
        let known = known.clone();
        if let Some(own) = &known.own {
            let ended_by = known.ended.as_ref().map(|(.., by)| by.as_str());
            let requests = ended_by.into_iter().chain(known.voided.iter().map(|(by, _)| by.as_str()));
            self.lists.take_back(event_id, own, &id, requests);
        }
        for scope in scopes(&self.table) {
            let Some(counts) = self.counts.get_mut(&known.field(scope)) else { continue };
            for limit in self.table.limits().filter(|limit| limit.scope == scope) {
                let count = &mut counts.counts[limit.name.place()];
                if count.0 == known.windows[limit.name.place()] {
                    count.1 = (count.1 - 1).max(0);
                }
            }
        }
        Ok(())
    }

    /// Takes a redemption back: the coupon is claimed again. It has counted all the while.
    fn void(&mut self, event_id: EventId, at: Millis, coupon: OfCoupon) -> Result<()> {
        let (id, is_unclaimed) = self.known(event_id, at, &coupon)?;
        let known = id.and_then(|id| self.coupons.get_mut(&id));
        // A repeat, after Redis had lost it, changes nothing.
        let Some(known) = known.filter(|known| !known.is_voided(&coupon.request_id)) else {
            self.strays += i64::from(is_unclaimed);
            return Ok(());
        };
        match &known.ended {
            Some((CouponState::Redeemed, _, by)) if *by == coupon.request_id => {
                known.ended = None;
                self.redeemed -= 1;
            }
            _ => self.strays += 1,
        }
        known.voided.push((coupon.request_id, at));
        self.voided += 1;
        Ok(())
    }

    fn edit(&mut self, LimitsEvent { limits, request }: LimitsEvent) {
        let (request_id, edit) = request;
        self.limits = limits;
        self.edits.push_front((request_id, edit, limits));
        self.edits.truncate(EDITS);
    }

    fn row(&mut self, outcome: &'static str, row: AuditRow) -> Result<()> {
        let item = row.item.unwrap_or_default();
        if outcome == outcome::LIMITS {
            let edit = row.requested.as_deref().and_then(edit_from_text);
            match ByLimit::from_text(&item).zip(row.request_id.zip(edit)) {
                Some((limits, request)) => self.edit(LimitsEvent { limits, request }),
                None => self.strays += 1,
            }
            return Ok(());
        }
        let coupon = OfCoupon {
            user: row.user.unwrap_or_default(),
            code: item,
            request_id: row.request_id.unwrap_or_default(),
            further: OfCoupon::further_from_text(row.requested.as_deref()),
        };
        match outcome {
            outcome::WON => self.claim(row.event_id, row.at, coupon, true)?,
            outcome::REDEEMED => self.end(row.event_id, row.at, coupon, CouponState::Redeemed)?,
            outcome::VOIDED => self.void(row.event_id, row.at, coupon)?,
            _ => self.end(row.event_id, row.at, coupon, CouponState::Returned)?,
        }
        Ok(())
    }
}

impl HistoryVisitor for ReplayedSale {
    async fn rows(&mut self, ledger: &Ledger, known: &LedgerSale, from: EventId, upto: EventId) -> Result<()> {
        if from == EventId::default()
            && let Some(terms) = known.terms.as_deref()
        {
            let terms: StoredTerms = serde_json::from_str(terms).map_err(Error::internal)?;
            self.open(terms);
        }
        if self.lists.lists.missing() > 0 {
            // Nothing is claimed before all parts are there, so they may come first.
            let mut after = from;
            loop {
                let parts = ledger.list_parts(known.number, after, upto).await?;
                let Some(last) = parts.last() else { break };
                after = last.event_id;
                for RecordedPart { event_id, list, entries } in parts {
                    match List::from_name(&list) {
                        Some(list) => self.lists.add(event_id, list, entries),
                        None => self.strays += 1,
                    }
                }
            }
        }
        let mut rows = MergedRows::new(known.number, &OUTCOMES, from, upto);
        while let Some((outcome, row)) = rows.next(ledger).await? {
            self.row(outcome, row)?;
        }
        Ok(())
    }

    fn entry(&mut self, entry: &Entry) -> Result<()> {
        let (event_id, at) = (entry.0.parse()?, number_field(entry, "at")?);
        match read_event(entry)? {
            Some(Event::Opened(terms)) => self.open(terms),
            Some(Event::Listed(Part { list, entries, .. })) => self.lists.add(event_id, list, entries),
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
            Some(Event::Voided(coupons)) => {
                for coupon in coupons {
                    self.void(event_id, at, coupon)?;
                }
            }
            Some(Event::Limits(edit)) => self.edit(edit),
            // An unknown event becomes a dead letter in the ledger and is reported there.
            Some(Event::Closed | Event::Recovered) | None => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupon::scripts::{CLAIM, GIVE_BACK, KIND, OPEN, SCRIPTS, key, maxima_args, pack, unpack};
    use model::coupon::limits::SALE;
    use std::collections::BTreeMap;
    use store::{
        Store,
        embedded::{Embedded, Fsync},
        reply::ReplyCode,
    };

    const HOUR: Millis = 3_600_000;
    const CITY: Scope = Scope { name: "city", place: 4 };

    /// A sale with a limit for each city and hour. No code here depends on the names of limits, so an existing name is
    /// used.
    fn with_cities() -> ReplayedSale {
        let table = Table::new([
            Limit { name: LimitName::Total, scope: SALE, window: Window::Ever },
            Limit { name: LimitName::PerUserPerDay, scope: CITY, window: Window::Hour },
        ]);
        let limits = ByLimit { per_user_per_day: Some(2), ..ByLimit::default() };
        ReplayedSale::new(Zone::named("UTC").expect("a zone"), false, table, limits)
    }

    fn of(user: &str, city: &str) -> OfCoupon {
        OfCoupon {
            user: user.to_owned(),
            code: format!("C-{user}"),
            request_id: "r".to_owned(),
            further: vec![city.to_owned()],
        }
    }

    #[test]
    fn what_is_counted_is_counted_by_scope_and_value() {
        let mut sale = with_cities();
        let event = EventId::default();
        let coupons = [
            (0, "ann", "Xi'an"),
            (1, "bob", "Xi'an"),
            (2, "cid", "Wuhan"),
            (3, "dan", "Xi'an"),
            (HOUR, "eve", "Xi'an"),
        ];
        for (at, user, city) in coupons {
            sale.claim(event, at, of(user, city), true).expect("claimed");
        }
        let stored = |sale: &ReplayedSale, field: &str| sale.counts[field].stored(&sale.table);
        assert_eq!(stored(&sale, "sale:"), "C-eve total=5");
        assert_eq!(stored(&sale, "city:Xi'an"), format!("C-eve per_user_per_day@{HOUR}=1"));
        assert_eq!(stored(&sale, "city:Wuhan"), "C-cid per_user_per_day@0=1");
        assert_eq!(sale.counts.len(), 3, "no limit counts users");
        assert_eq!(sale.beyond_limits, [("C-dan".to_owned(), LimitName::PerUserPerDay)]);
        let cid = &sale.coupons["C-cid"];
        assert_eq!(
            (cid.windows(&sale.table), cid.others(&sale.table)),
            ("per_user_per_day@0".to_owned(), vec!["city:Wuhan".to_owned()])
        );
        // An hour that is over still counts.
        for user in ["ann", "cid"] {
            sale.end(event, HOUR, of(user, ""), CouponState::Returned).expect("returned");
        }
        assert_eq!(stored(&sale, "sale:"), "C-eve total=3");
        assert_eq!(stored(&sale, "city:Xi'an"), format!("C-eve per_user_per_day@{HOUR}=1"));
        assert_eq!(stored(&sale, "city:Wuhan"), "C-cid per_user_per_day@0=0");
    }

    /// The same sale in Redis, with a limit per user. The state that the scripts have stored must equal the replay of
    /// their events.
    #[tokio::test]
    async fn a_further_limit_goes_through_the_scripts_and_the_replay_alike() {
        let folder = tempfile::tempdir().expect("a folder");
        let server = Embedded::start(folder.path(), Fsync::Everysec).await.expect("a Redis");
        let store = Store::connect(&server.url(), SCRIPTS.to_vec()).await.expect("a store");
        let (mut sale, of_sale) = (with_cities(), (KIND, "s"));
        let per_user = Limit { name: LimitName::PerUser, scope: USER, window: Window::Ever };
        sale.table = Table::new(sale.table.limits().chain([per_user]).collect::<Vec<Limit>>());
        let text = |words: &[&str]| words.iter().map(|word| word.as_bytes().to_vec()).collect::<Vec<_>>();
        let mut args = text(&["0", "UTC", "key", "0", " "]);
        args.extend([pack(&sale.table), Vec::new(), b"0 0".to_vec()]);
        args.extend(maxima_args(&sale.table, &sale.limits).into_iter().map(String::into_bytes));
        assert_eq!(store.eval(&OPEN, of_sale, &args).await.expect("a reply").code, ReplyCode::Done);

        let claim = async |at: Millis, attempts: &[(&str, &str)]| {
            let windows = Zone::named("UTC").expect("a zone").windows_around(at).expect("windows");
            let words = attempts.iter().flat_map(|(user, city)| {
                [user.to_string(), format!("r-{user}"), format!("C-{user}"), city.to_string()]
            });
            let mut args = text(&[&at.to_string(), "UTC key"]);
            args.extend([
                pack(&windows),
                attempts.len().to_string().into_bytes(),
                pack(&words.collect::<Vec<String>>()),
            ]);
            args.extend(text(&["city"]));
            let replies = store.attempt(&CLAIM, of_sale, &args, attempts.len()).await.expect("replies");
            replies.into_iter().map(|reply| reply.code).collect::<Vec<ReplyCode>>()
        };
        use ReplyCode::{Done, LimitReached};
        let first = [("ann", "Xi'an"), ("bob", "Xi'an"), ("cid", "Wuhan"), ("dan", "Xi'an")];
        assert_eq!(claim(0, &first).await, [Done, Done, Done, LimitReached]);
        assert_eq!(claim(HOUR, &[("eve", "Xi'an")]).await, [Done]);
        let returns = text(&[&HOUR.to_string(), "C-ann", "b", "", "C-eve", "b", ""]);
        store.attempt(&GIVE_BACK, of_sale, &returns, 2).await.expect("replies");

        // The first event has the terms of the opening, which this sale has already.
        let events: Vec<Entry> = store.query("XRANGE", (key("s", "events"), "-", "+")).await.expect("the events");
        for event in &events[1..] {
            sale.entry(event).expect("replayed");
        }
        assert_eq!(sale.beyond_limits, []);
        let counted: BTreeMap<String, String> = store.query("HGETALL", key("s", "counts")).await.expect("the counts");
        let replayed = sale.counts.iter().map(|(field, counts)| (field.clone(), counts.stored(&sale.table)));
        assert_eq!(replayed.collect::<BTreeMap<_, _>>(), counted);
        assert_eq!(counted["city:Xi'an"], format!("C-eve per_user_per_day@{HOUR}=0"));
        let coupons: HashMap<String, Vec<u8>> = store.query("HGETALL", key("s", "coupons")).await.expect("the coupons");
        assert_eq!(coupons.len(), sale.coupons.len());
        for (code, record) in coupons {
            let (record, replayed): (CouponRecord, _) = (unpack(&record).expect("a record"), &sale.coupons[&code]);
            assert_eq!((record.windows, record.others), (replayed.windows(&sale.table), replayed.others(&sale.table)));
        }
    }
}
