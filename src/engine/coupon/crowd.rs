//! A crowd at a sale of coupons: users claim one coupon or several, redeem some, and give some back.
//!
//! The code of a request is known without a query. So the verification can check that a refused user has no coupon. The
//! run keeps no data for users without a coupon.

use crate::{
    coupon::{
        history::StoredTerms,
        scripts::{Basis, KIND},
        service::Coupons,
    },
    crowd::{
        rng::UserRng,
        run::Run,
        scenario::{CrowdKind, Discrepancies, Scenario},
        supply::Supply,
        waiting::keeps_trying,
    },
};
use futures::future::BoxFuture;
use ledger::sale::LedgerSale;
use model::{
    Audit, Millis,
    coupon::{
        CouponState, End, LIMITS, LimitName, Outcome,
        crowd::{Behavior, GREEDY_CLAIMS},
        limits::{ByLimit, SALE},
        outcome,
    },
    crowd::{self, KindBehavior, RunConfig},
    error::Result,
    ledger::Search,
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

/// The users whose coupons are looked up at a time when a run is verified.
const VERIFIED_AT_A_TIME: u32 = 200;

/// The names by which answers are counted.
const ANSWERS: [&str; answer::NOT_INVITED + 1] = {
    let mut names = [""; answer::NOT_INVITED + 1];
    names[answer::WON] = "won";
    names[answer::REPEAT] = "repeat";
    let mut place = 0;
    while place < LIMITS.len() {
        names[answer::by_limit(LIMITS[place].name)] = LIMITS[place].name.name();
        place += 1;
    }
    names[answer::REDEEMED] = "redeemed";
    names[answer::RETURNED] = "returned";
    names[answer::REFUSED] = "refused";
    names[answer::CLOSED] = "closed";
    names[answer::NOT_OPEN] = "not_open";
    names[answer::PAUSED] = "paused";
    names[answer::ENDED] = "ended";
    names[answer::NOT_INVITED] = "not_invited";
    names
};

mod answer {
    use super::{LIMITS, LimitName};

    pub const WON: usize = 0;
    pub const REPEAT: usize = 1;
    pub const REDEEMED: usize = 2 + LIMITS.len();
    pub const RETURNED: usize = 3 + LIMITS.len();
    pub const REFUSED: usize = 4 + LIMITS.len();
    pub const CLOSED: usize = 5 + LIMITS.len();
    pub const NOT_OPEN: usize = CLOSED + 1;
    pub const PAUSED: usize = CLOSED + 2;
    pub const ENDED: usize = CLOSED + 3;
    pub const NOT_INVITED: usize = CLOSED + 4;

    /// The index of a refusal by this limit.
    pub const fn by_limit(limit: LimitName) -> usize {
        2 + limit.place()
    }
}

struct CouponScenario {
    coupons: Coupons,
    behavior: Behavior,
    basis: Basis,
    /// The coupons that users were reported to have won, by the codes that follow from their requests. Such a coupon may
    /// have ended all the same if no end was reported, as anybody can look it up on the page.
    reported: Mutex<HashMap<String, Reported>>,
    /// The users who never got an answer to a claim.
    unknown: Mutex<HashSet<u32>>,
    /// The requests that were answered with two codes.
    doubled: AtomicU64,
}

/// A coupon as it was reported.
#[derive(Clone, Debug)]
struct Reported {
    /// The code in the answer, which is another one in a sale with own codes.
    code: String,
    /// How it has ended, if that was reported.
    ended: Option<CouponState>,
}

impl CrowdKind for Coupons {
    fn behavior(&self, fields: &crowd::Behavior) -> Result<Option<crowd::Behavior>> {
        Behavior::complete(fields).map(Some)
    }

    fn scenario<'a>(&'a self, config: &'a RunConfig) -> BoxFuture<'a, Result<Arc<dyn Scenario>>> {
        Box::pin(async move {
            let behavior = Behavior::of_run(config)?;
            let scenario = CouponScenario {
                basis: self.basis(&config.sale).await?,
                coupons: self.clone(),
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
            let edits = Search {
                kind: Some(KIND.to_owned()),
                sale: Some(sale.sale.clone()),
                outcome: Some(outcome::LIMITS.to_owned()),
                to: Some(until.saturating_add(1)),
                ..Search::default()
            };
            let latest = self.ledger.rows(&edits, 1, None).await?.pop();
            let edited = latest.and_then(|row| ByLimit::from_text(row.item.as_deref()?));
            let limits = edited.or(terms.as_ref().map(|terms| terms.limits));
            let lists = terms.as_ref().map(|terms| terms.lists).unwrap_or_default();
            let comes_back = terms.is_none_or(|terms| !terms.given_back_counts);
            Ok(Supply {
                total: lists.most(limits.and_then(|limits| limits.total)),
                given: self.given(),
                returned: if comes_back { &[outcome::RETURNED] } else { &[] },
                is_counted: false,
                place: Box::new(|_| 0),
            })
        })
    }
}

impl CouponScenario {
    /// The number of coupons that a user wants.
    fn claims(&self, run: &Run, place: u32) -> u32 {
        let greedy = UserRng::stream(run.config.seed, place, 1).chance(self.behavior.greedy);
        if greedy { GREEDY_CLAIMS } else { 1 }
    }

    /// Makes one attempt to claim a coupon. Returns the code, if the answer has one.
    async fn claim(&self, run: &Run, place: u32, nth: u32, begun: Instant) -> Option<String> {
        let request_id = run.request(place, nth);
        let mut begun = begun;
        loop {
            let mut start = None;
            let claimed = self.coupons.claim(&run.config.sale, run.user(place), Some(request_id.clone())).await;
            let (name, code) = match claimed {
                Ok(Outcome::Won { code }) => (Ok(answer::WON), Some(code)),
                Ok(Outcome::Repeat { code, .. }) => (Ok(answer::REPEAT), Some(code)),
                Ok(Outcome::Refused { limit, .. }) => (Ok(answer::by_limit(limit)), None),
                Ok(Outcome::Closed { .. }) => (Ok(answer::CLOSED), None),
                Ok(Outcome::NotOpen { opens_at, now }) => {
                    start = Some((opens_at, now));
                    (Ok(answer::NOT_OPEN), None)
                }
                Ok(Outcome::Paused { .. }) => (Ok(answer::PAUSED), None),
                Ok(Outcome::Ended { .. }) => (Ok(answer::ENDED), None),
                Ok(Outcome::NotInvited) => (Ok(answer::NOT_INVITED), None),
                Err(error) => {
                    locked(&self.unknown).insert(place);
                    (Err(error.code), None)
                }
            };
            run.note(name, begun.elapsed());
            match start {
                Some((opens_at, now)) if keeps_trying(run, place, opens_at, now).await => begun = Instant::now(),
                _ => return code,
            }
        }
    }

    /// Redeems a coupon or gives it back. `id` is the code that follows from the request that has claimed it.
    async fn end(&self, run: &Run, id: &str, code: &str, redeems: bool) {
        let (sale, begun) = (&run.config.sale, Instant::now());
        let end = if redeems {
            self.coupons.redeem(sale, code, None).await
        } else {
            self.coupons.give_back(sale, code, String::new(), None).await
        };
        let (name, state) = match end {
            Ok(End::Redeemed(_)) => (Ok(answer::REDEEMED), Some(CouponState::Redeemed)),
            Ok(End::Returned(_)) => (Ok(answer::RETURNED), Some(CouponState::Returned)),
            // Somebody else was faster.
            Ok(End::AlreadyRedeemed(_)) => (Ok(answer::REFUSED), Some(CouponState::Redeemed)),
            Ok(End::AlreadyReturned(_)) => (Ok(answer::REFUSED), Some(CouponState::Returned)),
            // The coupon was reported as won, so it should exist. The comparison with the stored coupons shows whether
            // it does.
            Ok(
                End::UnknownCode { .. }
                | End::UnknownRequest { .. }
                | End::Repeat(_)
                | End::Voided(_)
                | End::NotValidYet { .. }
                | End::NoLongerValid { .. }
                | End::AlreadyVoided(_),
            ) => (Ok(answer::REFUSED), None),
            Err(error) => (Err(error.code), None),
        };
        if let Some(reported) = locked(&self.reported).get_mut(id) {
            reported.ended = state;
        }
        run.note(name, begun.elapsed());
    }

    async fn visit(&self, run: &Run, place: u32, begun: Instant) {
        for nth in 1..=self.claims(run, place) {
            if nth > 1 {
                if run.is_stopped() {
                    return;
                }
                run.one_more();
            }
            let begun = if nth == 1 { begun } else { Instant::now() };
            let codes = if nth == 1 && run.clicks_again(place) {
                // This is a double click: the second click does not wait for the first.
                let both = futures::join!(self.claim(run, place, nth, begun), self.claim(run, place, nth, begun));
                [both.0, both.1]
            } else {
                [self.claim(run, place, nth, begun).await, None]
            };
            let mut got: Option<String> = None;
            for code in codes.into_iter().flatten() {
                match &got {
                    Some(known) if *known != code => _ = self.doubled.fetch_add(1, Relaxed),
                    Some(_) => {}
                    None => got = Some(code),
                }
            }
            let Some(code) = got else { continue };
            let id = self.basis.code_of(&run.request(place, nth));
            locked(&self.reported).insert(id.clone(), Reported { code: code.clone(), ended: None });
            let what = UserRng::stream(run.config.seed, place, 1 + nth).unit();
            let Behavior { redeem, give_back, .. } = self.behavior;
            if what < redeem + give_back && !run.is_stopped() {
                run.one_more();
                self.end(run, &id, &code, what < redeem).await;
            }
        }
    }

    async fn compare(&self, run: &Run) -> Result<Discrepancies> {
        // Nothing is added to these any more.
        let reported = std::mem::take(&mut *locked(&self.reported));
        let unknown = std::mem::take(&mut *locked(&self.unknown));
        let compared = self.compare_with(run, &reported, &unknown).await;
        // The data is compared again if Redis went away meanwhile, or before the audit.
        *locked(&self.reported) = reported;
        *locked(&self.unknown) = unknown;
        compared
    }

    async fn compare_with(
        &self,
        run: &Run,
        reported: &HashMap<String, Reported>,
        unknown: &HashSet<u32>,
    ) -> Result<Discrepancies> {
        let mut found = Discrepancies { doubled: self.doubled.load(Relaxed), ..Discrepancies::default() };
        for first in (0..run.config.users).step_by(VERIFIED_AT_A_TIME as usize) {
            let places = first..run.config.users.min(first + VERIFIED_AT_A_TIME);
            let requests = places.flat_map(|place| (1..=self.claims(run, place)).map(move |nth| (place, nth)));
            let codes: Vec<(u32, String)> =
                requests.map(|(place, nth)| (place, self.basis.code_of(&run.request(place, nth)))).collect();
            let names: Vec<&str> = codes.iter().map(|(_, code)| code.as_str()).collect();
            let records = self.coupons.records(&run.config.sale, &names).await?;
            for ((place, code), record) in codes.iter().zip(records) {
                match (reported.get(code), record) {
                    (None, None) => {}
                    (None, Some(_)) => found.unexpected += u64::from(!unknown.contains(place)),
                    (Some(_), None) => found.lost += 1,
                    (Some(Reported { code: reported, ended: state }), Some(record)) => {
                        // A redemption that an operator took back was reported all the same.
                        let is_voided = *state == Some(CouponState::Redeemed) && !record.voided.is_empty();
                        let agrees = is_voided || state.is_none_or(|state| state == record.state);
                        let agrees = agrees && record.own.as_ref().unwrap_or(code) == reported;
                        found.lost += u64::from(!agrees || record.user != run.user(*place));
                    }
                }
            }
        }
        Ok(found)
    }
}

impl Scenario for CouponScenario {
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
        let mut found = Discrepancies::of_audit(audit);
        for limit in LIMITS {
            let beyond = audit.excess(&format!("beyond_{}", limit.name.name()));
            // Coupons beyond the limit of the sale are oversold. Coupons beyond any other limit, such as a user's, are
            // doubled.
            *if limit.scope == SALE { &mut found.oversold } else { &mut found.doubled } += beyond;
        }
        found
    }
}
