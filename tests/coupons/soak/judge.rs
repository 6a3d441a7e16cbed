//! Compares what users were told of coupons with what is stored.

use crate::soak::{
    crowd::{Step, When},
    kinds::Days,
    verdict::{Loss, Verdict},
};
use model::coupon::CouponState;
use std::collections::{BTreeMap, BTreeSet};

const HOUR_MS: i64 = 3_600_000;

/// How a coupon is ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verb {
    #[default]
    Redeem,
    GiveBack,
}

impl Verb {
    /// The outcome of a successful attempt, in answers and in the ledger.
    fn done(self) -> &'static str {
        match self {
            Self::Redeem => "redeemed",
            Self::GiveBack => "returned",
        }
    }

    fn state(self) -> CouponState {
        match self {
            Self::Redeem => CouponState::Redeemed,
            Self::GiveBack => CouponState::Returned,
        }
    }
}

/// An attempt to end a coupon.
#[derive(Clone, Debug, Default)]
pub struct End {
    pub verb: Verb,
    pub request_id: String,
    pub step: Step,
}

impl End {
    /// Told that this request ended the coupon.
    fn is_done(&self) -> bool {
        self.step.heard(self.verb.done()) || self.step.heard("repeat")
    }
}

/// An attempt to claim a coupon, and what became of it.
#[derive(Clone, Debug, Default)]
pub struct Claim {
    pub request_id: String,
    pub step: Step,
    pub ends: Vec<End>,
}

impl Claim {
    /// The codes that answers named: one, if all is well.
    fn codes(&self) -> BTreeSet<&str> {
        self.step.answers.iter().filter_map(|answer| answer["code"].as_str()).collect()
    }

    /// Whether it may have got a coupon.
    fn may_have_one(&self) -> bool {
        self.step.unknown > 0 || !self.codes().is_empty()
    }
}

/// An edit of the limits by an operator.
#[derive(Clone, Debug, Default)]
pub struct Edit {
    pub request_id: String,
    pub step: Step,
}

impl Edit {
    /// Told that the limits are as it says.
    fn is_told(&self) -> bool {
        self.step.heard("set") || self.step.heard("repeat")
    }
}

/// What a user, or an operator, did and was told at one visit.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    pub user: String,
    pub claims: Vec<Claim>,
    pub edits: Vec<Edit>,
}

/// A coupon, as Redis has it.
#[derive(Clone, Debug)]
pub struct Coupon {
    pub user: String,
    pub state: CouponState,
    pub ended_by: Option<String>,
}

/// A coupon that was claimed, redeemed or given back, as the ledger has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub outcome: String,
    pub user: String,
    pub request_id: String,
    pub code: String,
    pub at: i64,
}

/// The most coupons at a time that are not given back.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    pub total: usize,
    /// Edited meanwhile: the most and the least that it is ever set to.
    pub per_user: usize,
    pub least_per_user: usize,
    pub per_user_per_day: usize,
}

/// What is stored for one sale.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub coupons: BTreeMap<String, Coupon>,
    /// In their order.
    pub rows: Vec<Row>,
    /// The request ids of edits in the ledger.
    pub edits: Vec<String>,
    pub limits: Limits,
    pub days: Days,
    /// Redis had lost the end of the sale.
    pub had_lost: bool,
    /// Codes that a recovery has reported as conflicts.
    pub named: BTreeSet<String>,
}

impl Found {
    fn rows_of<'a>(&'a self, outcome: &'a str) -> impl Iterator<Item = &'a Row> {
        self.rows.iter().filter(move |row| row.outcome == outcome && !self.named.contains(&row.code))
    }

    fn ends_of<'a>(&'a self, code: &'a str) -> impl Iterator<Item = &'a Row> {
        self.rows.iter().filter(move |row| row.outcome != "won" && row.code == code)
    }

    fn has_recorded(&self, outcome: &str, request_id: &str) -> bool {
        self.rows.iter().any(|row| row.outcome == outcome && row.request_id == request_id)
    }
}

impl Verdict {
    /// Adds a sale of which Redis lost the end: what the ledger never recorded may be gone, and the recovery has named
    /// coupons beyond a limit and those that were ended twice.
    pub fn judge_coupons_after(&mut self, loss: &Loss, heard: &BTreeMap<String, Heard>, found: &Found) {
        let (mut heard, mut found) = (heard.clone(), found.clone());
        found.had_lost = true;
        found.named = found.rows.iter().map(|row| row.code.clone()).filter(|code| loss.names(code)).collect();
        self.conflicts += found.named.len() as u64;
        // The same request has the same code: a claim that was repeated after Redis had lost it is in the ledger twice.
        let mut rows: Vec<Row> = Vec::with_capacity(found.rows.len());
        let mut known = BTreeSet::new();
        for row in found.rows {
            if known.insert((row.outcome.clone(), row.user.clone(), row.request_id.clone(), row.code.clone())) {
                rows.push(row);
            }
        }
        found.rows = rows;
        let mut known = BTreeSet::new();
        found.edits.retain(|request_id| known.insert(request_id.clone()));
        for edit in heard.values_mut().flat_map(|heard| &mut heard.edits) {
            if edit.is_told() && !known.contains(&edit.request_id) {
                edit.step.forget();
                self.forgotten += 1;
            }
        }
        for claim in heard.values_mut().flat_map(|heard| &mut heard.claims) {
            let mut forgot = false;
            if !claim.codes().is_empty() && !found.has_recorded("won", &claim.request_id) {
                forgot = true;
                claim.step.forget();
            }
            for end in &mut claim.ends {
                if end.is_done() && !found.has_recorded(end.verb.done(), &end.request_id) {
                    forgot = true;
                    end.step.forget();
                }
            }
            self.forgotten += u64::from(forgot);
        }
        self.judge_coupons(&heard, &found);
    }

    /// Adds one sale.
    pub fn judge_coupons(&mut self, heard: &BTreeMap<String, Heard>, found: &Found) {
        for heard in heard.values() {
            for claim in &heard.claims {
                for step in claim.ends.iter().map(|end| &end.step).chain([&claim.step]) {
                    self.attempts += step.answers.len() as u64 + u64::from(step.unknown);
                    self.unknown += u64::from(step.unknown);
                }
                self.acknowledged += u64::from(!claim.codes().is_empty());
                self.claim(&heard.user, claim, found);
            }
        }
        self.unasked(heard, found);
        self.edits(heard, found);
        self.limits(found);
        self.refusals(heard, found);
    }

    fn claim(&mut self, user: &str, claim: &Claim, found: &Found) {
        let codes = claim.codes();
        let rows: Vec<&Row> = found.rows_of("won").filter(|row| row.request_id == claim.request_id).collect();
        if codes.iter().any(|code| found.named.contains(*code)) {
            return;
        }
        let wins = claim.step.answers.iter().filter(|answer| answer["outcome"] == "won").count();
        let yes_and_no = !codes.is_empty() && claim.step.heard("refused");
        if codes.len() > 1 || rows.len() > 1 || !found.had_lost && (wins > 1 || yes_and_no) {
            self.contradicted += 1;
            self.faults.push(format!("{user} heard {claim:?}, the ledger has {rows:?}"));
        }
        let Some(code) = codes.first() else {
            if claim.step.unknown == 0 && !rows.is_empty() {
                self.unexpected += 1;
                self.faults.push(format!("the ledger has {rows:?} for {user}, who heard {claim:?}"));
            }
            return;
        };
        let held = found.coupons.get(*code).filter(|coupon| coupon.user == user);
        let row = rows.first().filter(|row| row.code == *code && row.user == user);
        let (Some(held), Some(row)) = (held, row) else {
            self.lost += 1;
            let stored = found.coupons.get(*code);
            self.faults.push(format!("{user} was told {code}; Redis has {stored:?}, the ledger {rows:?}"));
            return;
        };
        self.end(claim, code, held, found);
        let is_on_its_day = match (found.days.begun_by_a_jump, claim.step.when) {
            (None, _) | (_, When::Meanwhile) => true,
            (Some(midnight), When::Before) => row.at < midnight,
            (Some(midnight), When::After) => row.at >= midnight,
        };
        if !is_on_its_day {
            self.contradicted += 1;
            self.faults.push(format!("{claim:?} of {user} counts to another day: {row:?}"));
        }
    }

    /// A coupon is ended once, by the user who was told so.
    fn end(&mut self, claim: &Claim, code: &str, held: &Coupon, found: &Found) {
        let rows: Vec<&Row> = found.ends_of(code).collect();
        let by = claim.ends.iter().find(|end| Some(&end.request_id) == held.ended_by.as_ref());
        let is_as_told = claim.ends.iter().filter(|end| end.is_done()).all(|end| {
            held.state == end.verb.state()
                && held.ended_by.as_ref() == Some(&end.request_id)
                && rows.iter().any(|row| row.outcome == end.verb.done() && row.request_id == end.request_id)
        });
        if !is_as_told {
            self.lost += 1;
            self.faults.push(format!("{code} is {held:?} in Redis and {rows:?} in the ledger: {claim:?}"));
            return;
        }
        // A request with an unknown outcome may have ended it.
        let may_have = |end: &End| end.is_done() || end.step.unknown > 0;
        if held.state != CouponState::Claimed && !by.is_some_and(|end| end.verb.state() == held.state && may_have(end))
        {
            self.unexpected += 1;
            self.faults.push(format!("{code} is {held:?}, which nobody asked for: {claim:?}"));
        }
        let ends = [("already_redeemed", CouponState::Redeemed), ("already_returned", CouponState::Returned)];
        let is_known = claim.ends.iter().all(|end| {
            !end.step.heard("unknown_code")
                && ends.iter().all(|(told, state)| !end.step.heard(told) || held.state == *state)
        });
        let is_recorded = rows.len() == usize::from(held.state != CouponState::Claimed);
        if !is_recorded || !is_known && !found.had_lost {
            self.contradicted += 1;
            self.faults.push(format!("{code} is {held:?} in Redis and {rows:?} in the ledger: {claim:?}"));
        }
    }

    /// Everything that is stored was requested, and Redis and the ledger agree.
    fn unasked(&mut self, heard: &BTreeMap<String, Heard>, found: &Found) {
        let claims = || heard.values().flat_map(|heard| heard.claims.iter().map(move |claim| (&heard.user, claim)));
        let sent: BTreeMap<&str, &str> =
            claims().map(|(user, claim)| (claim.request_id.as_str(), user.as_str())).collect();
        let ends: BTreeSet<(&str, &str)> = claims()
            .flat_map(|(_, claim)| claim.ends.iter().map(|end| (end.verb.done(), end.request_id.as_str())))
            .collect();
        let told: BTreeSet<&str> = claims().flat_map(|(_, claim)| claim.codes()).collect();
        for row in found.rows_of("won") {
            if sent.get(row.request_id.as_str()) != Some(&row.user.as_str()) {
                self.unexpected += 1;
                self.faults.push(format!("the ledger has {row:?}, which nobody asked for"));
            } else if !told.contains(row.code.as_str())
                && found.coupons.get(&row.code).is_none_or(|coupon| coupon.user != row.user)
            {
                self.lost += 1;
                self.faults.push(format!("Redis lacks {row:?}"));
            }
        }
        for row in found.rows.iter().filter(|row| row.outcome != "won") {
            if !ends.contains(&(row.outcome.as_str(), row.request_id.as_str())) {
                self.unexpected += 1;
                self.faults.push(format!("the ledger has {row:?}, which nobody asked for"));
            }
        }
        let recorded: BTreeSet<&str> =
            found.rows.iter().filter(|row| row.outcome == "won").map(|row| row.code.as_str()).collect();
        for (code, coupon) in found.coupons.iter().filter(|(code, _)| !recorded.contains(code.as_str())) {
            // If a user was told of it, it is already counted as missing in the ledger.
            if !told.contains(code.as_str()) {
                self.unexpected += 1;
                self.faults.push(format!("Redis has {code} {coupon:?}, the ledger does not"));
            }
        }
    }

    /// Each edit that was told is in the ledger, once, and so is nothing else.
    fn edits(&mut self, heard: &BTreeMap<String, Heard>, found: &Found) {
        let edits = || heard.values().flat_map(|heard| &heard.edits);
        for edit in edits() {
            self.attempts += edit.step.answers.len() as u64 + u64::from(edit.step.unknown);
            self.unknown += u64::from(edit.step.unknown);
            let rows = found.edits.iter().filter(|request_id| **request_id == edit.request_id).count();
            let set = edit.step.answers.iter().filter(|answer| answer["outcome"] == "set").count();
            let fault = match (edit.is_told(), rows) {
                (_, 2..) => &mut self.contradicted,
                (true, 0) => &mut self.lost,
                (false, 1) if edit.step.unknown == 0 => &mut self.unexpected,
                _ if set > 1 && !found.had_lost => &mut self.contradicted,
                _ => continue,
            };
            *fault += 1;
            self.faults.push(format!("the ledger has {rows} rows of {edit:?}"));
        }
        let sent: BTreeSet<&str> = edits().map(|edit| edit.request_id.as_str()).collect();
        for request_id in found.edits.iter().filter(|request_id| !sent.contains(request_id.as_str())) {
            self.unexpected += 1;
            self.faults.push(format!("the ledger has the edit {request_id}, which nobody asked for"));
        }
    }

    /// No claim in the ledger goes beyond a limit, including those of a day, where a day lasts until a later one
    /// begins.
    fn limits(&mut self, found: &Found) {
        let Limits { total, per_user, per_user_per_day, .. } = found.limits;
        let mut day = i64::MIN;
        let mut held: BTreeMap<&str, (&str, i64)> = BTreeMap::new();
        for row in &found.rows {
            match row.outcome.as_str() {
                "won" => {
                    day = day.max((row.at + found.days.ahead_h * HOUR_MS).div_euclid(24 * HOUR_MS));
                    held.insert(&row.code, (&row.user, day));
                    let of_user = || held.values().filter(|(user, _)| *user == row.user);
                    let of_day = of_user().filter(|(_, on)| *on == day).count();
                    let is_beyond = held.len() > total || of_user().count() > per_user || of_day > per_user_per_day;
                    if is_beyond && !found.named.contains(&row.code) {
                        self.contradicted += 1;
                        self.faults.push(format!("{row:?} is beyond a limit of {:?}", found.limits));
                    }
                }
                "returned" => _ = held.remove(row.code.as_str()),
                _ => {}
            }
        }
    }

    /// A user who was refused had, or may have had, as many as the limit allows.
    fn refusals(&mut self, heard: &BTreeMap<String, Heard>, found: &Found) {
        let mut claims: BTreeMap<&str, Vec<&Claim>> = BTreeMap::new();
        for heard in heard.values() {
            claims.entry(&heard.user).or_default().extend(&heard.claims);
        }
        let count = |claims: &[&Claim]| claims.iter().filter(|claim| claim.may_have_one()).count();
        let all: usize = claims.values().map(|claims| count(claims)).sum();
        for (user, claims) in &claims {
            let with_refusal = claims.iter().filter_map(|claim| {
                let answer = claim.step.answers.iter().find(|answer| answer["outcome"] == "refused")?;
                Some((claim.step.when, answer["limit"].as_str()?))
            });
            for (when, limit) in with_refusal {
                let is_next_day = found.days.begun_by_a_jump.is_some() && when == When::After;
                let of_day: Vec<&Claim> =
                    claims.iter().filter(|claim| !is_next_day || claim.step.when != When::Before).copied().collect();
                let is_right = match limit {
                    "total" => all >= found.limits.total,
                    "per_user" => count(claims) >= found.limits.least_per_user,
                    "per_user_per_day" => count(&of_day) >= found.limits.per_user_per_day,
                    _ => false,
                };
                if !is_right {
                    self.contradicted += 1;
                    self.faults.push(format!("{user} was refused by {limit}, with {claims:?}"));
                }
            }
        }
    }
}

/// Ann's coupon is redeemed, Bob got no answer, Cid came too late, and Dan gave his coupon back.
fn an_honest_sale() -> (BTreeMap<String, Heard>, Found) {
    let told = |outcome: &str, code: &str| Step {
        was_sent: true,
        answers: vec![serde_json::json!({ "outcome": outcome, "code": code })],
        ..Step::default()
    };
    let end = |verb: Verb, request_id: &str| {
        vec![End { verb, request_id: request_id.to_owned(), step: told(verb.done(), "") }]
    };
    let heard = |user: &str, step: Step, ends: Vec<End>| {
        let claims = vec![Claim { request_id: format!("r-{user}"), step, ends }];
        (user.to_owned(), Heard { user: user.to_owned(), claims, edits: Vec::new() })
    };
    let refused = Step {
        was_sent: true,
        answers: vec![serde_json::json!({ "outcome": "refused", "limit": "total" })],
        ..Step::default()
    };
    let heard = [
        heard("ann", told("won", "A"), end(Verb::Redeem, "e-ann")),
        heard("bob", Step { was_sent: true, unknown: 1, ..Step::default() }, vec![]),
        heard("cid", refused, vec![]),
        heard("dan", told("won", "D"), end(Verb::GiveBack, "e-dan")),
    ];
    let coupon = |code: &str, user: &str, state: CouponState, ended_by: Option<&str>| {
        (code.to_owned(), Coupon { user: user.to_owned(), state, ended_by: ended_by.map(str::to_owned) })
    };
    let found = Found {
        coupons: [
            coupon("A", "ann", CouponState::Redeemed, Some("e-ann")),
            coupon("B", "bob", CouponState::Claimed, None),
            coupon("D", "dan", CouponState::Returned, Some("e-dan")),
        ]
        .into(),
        rows: vec![
            row("won", "dan", "r-dan", "D"),
            row("returned", "dan", "e-dan", "D"),
            row("won", "ann", "r-ann", "A"),
            row("won", "bob", "r-bob", "B"),
            row("redeemed", "ann", "e-ann", "A"),
        ],
        limits: Limits { total: 2, per_user: 2, least_per_user: 2, per_user_per_day: 1 },
        ..Found::default()
    };
    (heard.into(), found)
}

fn row(outcome: &str, user: &str, request_id: &str, code: &str) -> Row {
    let [outcome, user, request_id, code] = [outcome, user, request_id, code].map(str::to_owned);
    Row { outcome, user, request_id, code, at: 0 }
}

/// Lost, unexpected and contradicted, after something was changed.
fn judged(change: impl FnOnce(&mut BTreeMap<String, Heard>, &mut Found)) -> (u64, u64, u64) {
    let (mut heard, mut found) = an_honest_sale();
    change(&mut heard, &mut found);
    let mut verdict = Verdict::default();
    verdict.judge_coupons(&heard, &found);
    assert_eq!(verdict.faults.len() as u64, verdict.lost + verdict.unexpected + verdict.contradicted);
    (verdict.lost, verdict.unexpected, verdict.contradicted)
}

fn of<'a>(heard: &'a mut BTreeMap<String, Heard>, user: &str) -> &'a mut Claim {
    &mut heard.get_mut(user).expect("a user").claims[0]
}

fn coupon<'a>(found: &'a mut Found, code: &str) -> &'a mut Coupon {
    found.coupons.get_mut(code).expect("a coupon")
}

fn without(found: &mut Found, request_id: &str) {
    found.rows.retain(|row| row.request_id != request_id);
}

#[test]
fn coupons_that_were_told_are_there_once_and_ended_once_by_whom_was_told_so() {
    assert_eq!(judged(|_, _| ()), (0, 0, 0));
    assert_eq!(judged(|_, found| _ = found.coupons.remove("A")), (1, 0, 0));
    assert_eq!(judged(|_, found| coupon(found, "A").user = "bob".to_owned()), (1, 0, 0));
    assert_eq!(judged(|_, found| without(found, "r-ann")), (1, 0, 0));
    assert_eq!(judged(|_, found| found.rows.push(row("won", "ann", "r-ann", "A"))), (0, 0, 1));
    assert_eq!(judged(|_, found| without(found, "e-ann")), (1, 0, 0));
    assert_eq!(judged(|_, found| coupon(found, "A").state = CouponState::Claimed), (1, 0, 0));
    assert_eq!(judged(|_, found| coupon(found, "A").state = CouponState::Returned), (1, 0, 0));
    assert_eq!(judged(|_, found| coupon(found, "A").ended_by = Some("other".to_owned())), (1, 0, 0));
    assert_eq!(judged(|_, found| found.rows.push(row("redeemed", "ann", "e-ann", "A"))), (0, 0, 1));
    // Bob's outcome is unknown: his coupon may be there or not.
    let bob = |found: &mut Found| {
        found.coupons.remove("B");
        without(found, "r-bob");
    };
    assert_eq!(judged(|_, found| bob(found)), (0, 0, 0));
    assert_eq!(judged(|_, found| _ = found.coupons.remove("B")), (1, 0, 0), "the ledger has it");
}

#[test]
fn nobody_has_or_ends_a_coupon_who_did_not_ask_for_it() {
    assert_eq!(judged(|_, found| without(found, "r-bob")), (0, 1, 0));
    assert_eq!(judged(|heard, _| of(heard, "bob").step.unknown = 0), (0, 1, 0));
    assert_eq!(judged(|_, found| found.rows[3].user = "cid".to_owned()), (0, 1, 0));
    let end_of_bobs = |found: &mut Found| {
        found.rows.push(row("redeemed", "bob", "e-bob", "B"));
    };
    assert_eq!(judged(|_, found| end_of_bobs(found)), (0, 1, 0));
    // A user was told that it had been redeemed before, although this request redeemed it.
    let denied = |heard: &mut BTreeMap<String, Heard>| {
        of(heard, "ann").ends[0].step.answers = vec![serde_json::json!({ "outcome": "already_redeemed" })];
    };
    assert_eq!(judged(|heard, _| denied(heard)), (0, 1, 0));
}

#[test]
fn answers_about_coupons_agree_with_each_other() {
    let again = |heard: &mut BTreeMap<String, Heard>, outcome: &str, code: &str| {
        let told = serde_json::json!({ "outcome": outcome, "code": code });
        of(heard, "ann").step.answers.push(told);
    };
    assert_eq!(judged(|heard, _| again(heard, "repeat", "A")), (0, 0, 0));
    assert_eq!(judged(|heard, _| again(heard, "won", "A")), (0, 0, 1));
    assert_eq!(judged(|heard, _| again(heard, "repeat", "X")), (0, 0, 1));
    let refused = serde_json::json!({ "outcome": "refused", "limit": "total" });
    assert_eq!(judged(|heard, _| of(heard, "ann").step.answers.push(refused)), (0, 0, 1));
    let other = |outcome: &str| {
        let answers = vec![serde_json::json!({ "outcome": outcome })];
        let step = Step { was_sent: true, answers, ..Step::default() };
        End { verb: Verb::GiveBack, request_id: "e-2".to_owned(), step }
    };
    assert_eq!(judged(|heard, _| of(heard, "ann").ends.push(other("already_redeemed"))), (0, 0, 0));
    assert_eq!(judged(|heard, _| of(heard, "ann").ends.push(other("already_returned"))), (0, 0, 1));
    assert_eq!(judged(|heard, _| of(heard, "ann").ends.push(other("unknown_code"))), (0, 0, 1));
    assert_eq!(judged(|heard, _| of(heard, "ann").ends.push(other("returned"))), (1, 0, 0), "both ended it");
}

#[test]
fn limits_hold_and_refuse_nobody_without_need() {
    assert_eq!(judged(|_, found| found.limits.total = 1), (0, 0, 1));
    // Dan's coupon would count for ever if he had not given it back.
    assert_eq!(
        judged(|heard, found| {
            of(heard, "dan").ends.clear();
            *coupon(found, "D") = Coupon { user: "dan".to_owned(), state: CouponState::Claimed, ended_by: None };
            without(found, "e-dan");
        }),
        (0, 0, 1)
    );
    assert_eq!(judged(|heard, _| of(heard, "bob").step.unknown = 0).1, 1);
    assert_eq!(judged(|_, found| found.limits.total = 4), (0, 0, 1), "Cid could have had one");
    // Bob's coupon becomes Ann's second one, on the same day or on the next.
    let second = |heard: &mut BTreeMap<String, Heard>, found: &mut Found, at: i64, limits: Limits| {
        heard.get_mut("bob").expect("bob").user = "ann".to_owned();
        coupon(found, "B").user = "ann".to_owned();
        found.rows[3].user = "ann".to_owned();
        (found.rows[3].at, found.limits) = (at, limits);
    };
    let limits = Limits { total: 2, per_user: 2, least_per_user: 2, per_user_per_day: 1 };
    assert_eq!(judged(|heard, found| second(heard, found, 24 * HOUR_MS - 1, limits)), (0, 0, 1));
    assert_eq!(judged(|heard, found| second(heard, found, 24 * HOUR_MS, limits)), (0, 0, 0));
    let zone = |found: &mut Found| found.days.ahead_h = 8;
    assert_eq!(
        judged(|heard, found| {
            second(heard, found, 16 * HOUR_MS, limits);
            zone(found)
        }),
        (0, 0, 0)
    );
    // When a clock goes back, no day begins again.
    assert_eq!(
        judged(|heard, found| {
            second(heard, found, 0, limits);
            found.rows[2].at = 24 * HOUR_MS
        }),
        (0, 0, 1)
    );
    let one = Limits { per_user: 1, ..limits };
    assert_eq!(judged(|heard, found| second(heard, found, 24 * HOUR_MS, one)), (0, 0, 1));
    // Ann, who has one, is refused a second: only right if the limit for a user was ever one.
    let refused = |least_per_user: usize| {
        judged(move |heard, found| {
            let answers = vec![serde_json::json!({ "outcome": "refused", "limit": "per_user" })];
            let step = Step { was_sent: true, answers, ..Step::default() };
            heard.get_mut("ann").expect("ann").claims.push(Claim { request_id: "r-2".to_owned(), step, ends: vec![] });
            found.limits.least_per_user = least_per_user;
        })
    };
    assert_eq!((refused(1), refused(2)), ((0, 0, 0), (0, 0, 1)));
}

#[test]
fn an_edit_that_was_told_is_in_the_ledger_once() {
    let edited = |outcome: &str, rows: usize| {
        let outcome = outcome.to_owned();
        judged(move |heard, found| {
            let answers = vec![serde_json::json!({ "outcome": outcome })];
            let step = Step { was_sent: true, answers, ..Step::default() };
            heard.get_mut("ann").expect("ann").edits.push(Edit { request_id: "l".to_owned(), step });
            found.edits = vec!["l".to_owned(); rows];
        })
    };
    for told in ["set", "repeat"] {
        assert_eq!(edited(told, 1), (0, 0, 0));
        assert_eq!(edited(told, 0), (1, 0, 0));
        assert_eq!(edited(told, 2), (0, 0, 1));
    }
    assert_eq!((edited("closed", 0), edited("closed", 1)), ((0, 0, 0), (0, 1, 0)));
    assert_eq!(judged(|_, found| found.edits.push("l".to_owned())), (0, 1, 0), "nobody asked for it");
}

#[test]
fn a_day_that_a_jump_has_begun_counts_for_itself() {
    let jump = |heard: &mut BTreeMap<String, Heard>, found: &mut Found, ann: When| {
        found.days.begun_by_a_jump = Some(24 * HOUR_MS);
        of(heard, "ann").step.when = ann;
        found.rows[2].at = if ann == When::After { 24 * HOUR_MS } else { 0 };
    };
    assert_eq!(judged(|heard, found| jump(heard, found, When::Before)), (0, 0, 0));
    assert_eq!(judged(|heard, found| jump(heard, found, When::After)), (0, 0, 0));
    assert_eq!(
        judged(|heard, found| {
            jump(heard, found, When::Before);
            found.rows[2].at = 24 * HOUR_MS
        }),
        (0, 0, 1)
    );
    assert_eq!(
        judged(|heard, found| {
            jump(heard, found, When::After);
            found.rows[2].at = 0
        }),
        (0, 0, 1)
    );
    // Ann is refused another on the same day, and on the next without reason.
    let refused = |heard: &mut BTreeMap<String, Heard>, when: When| {
        let answers = vec![serde_json::json!({ "outcome": "refused", "limit": "per_user_per_day" })];
        let step = Step { was_sent: true, answers, when, ..Step::default() };
        heard.get_mut("ann").expect("ann").claims.push(Claim { request_id: "r-2".to_owned(), step, ends: vec![] });
    };
    assert_eq!(
        judged(|heard, found| {
            jump(heard, found, When::Before);
            refused(heard, When::Before)
        }),
        (0, 0, 0)
    );
    assert_eq!(
        judged(|heard, found| {
            jump(heard, found, When::Before);
            refused(heard, When::After)
        }),
        (0, 0, 1)
    );
}

#[test]
fn after_a_loss_coupons_that_the_ledger_has_must_be_there_or_named() {
    let judged = |loss: &[&str], change: fn(&mut Found)| {
        let (heard, mut found) = an_honest_sale();
        change(&mut found);
        let mut verdict = Verdict::default();
        let conflicts =
            loss.iter().map(|code| format!("coupon {code} stays with ann; the limit total allowed no more by then"));
        verdict.judge_coupons_after(&Loss { conflicts: conflicts.collect() }, &heard, &found);
        (verdict.forgotten, verdict.conflicts, verdict.faults.len())
    };
    assert_eq!(judged(&[], |_| ()), (0, 0, 0));
    assert_eq!(judged(&[], |found| _ = found.coupons.remove("A")), (0, 0, 1), "the ledger has it");
    assert_eq!(
        judged(&[], |found| coupon(found, "A").state = CouponState::Claimed),
        (0, 0, 1),
        "and that it is redeemed"
    );
    let forget = |found: &mut Found| {
        found.coupons.remove("A");
        found.rows.retain(|row| row.code != "A");
    };
    assert_eq!(judged(&[], forget), (1, 0, 0), "the ledger never had it");
    let forget_end = |found: &mut Found| {
        *coupon(found, "A") = Coupon { user: "ann".to_owned(), state: CouponState::Claimed, ended_by: None };
        found.rows.retain(|row| row.outcome != "redeemed");
    };
    assert_eq!(judged(&[], forget_end), (1, 0, 0), "nor that it was redeemed");
    assert_eq!(judged(&[], |found| found.rows.push(row("won", "ann", "r-ann", "A"))), (0, 0, 0), "told once more");
    assert_eq!(judged(&[], |found| found.limits.total = 1), (0, 0, 1));
    let edited = |rows: &[&str]| {
        let (mut heard, mut found) = an_honest_sale();
        let answers = vec![serde_json::json!({ "outcome": "set" })];
        let step = Step { was_sent: true, answers, ..Step::default() };
        heard.get_mut("ann").expect("ann").edits.push(Edit { request_id: "l".to_owned(), step });
        found.edits = rows.iter().map(|row| (*row).to_owned()).collect();
        let mut verdict = Verdict::default();
        verdict.judge_coupons_after(&Loss { conflicts: vec![] }, &heard, &found);
        (verdict.forgotten, verdict.faults.len())
    };
    assert_eq!(edited(&[]), (1, 0), "the ledger never had the edit");
    assert_eq!(edited(&["l", "l"]), (0, 0), "the edit was made once more");
    assert_eq!(judged(&["B"], |found| found.limits.total = 1), (0, 1, 0), "it is named");
    assert_eq!(judged(&["A"], |found| found.limits.total = 1), (0, 1, 1), "another is named");
}
