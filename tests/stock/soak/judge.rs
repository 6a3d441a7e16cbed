//! Compares what users were told of stock with what is stored.

use crate::soak::{
    crowd::Step,
    verdict::{Loss, Verdict},
};
use engine::stock::scripts::{RequestRecord, RequestState};
use std::collections::{BTreeMap, BTreeSet};

/// An attempt to deduct a quantity, and what became of it.
#[derive(Clone, Debug, Default)]
pub struct Deduction {
    pub request_id: String,
    pub quantity: u64,
    pub step: Step,
    /// Attempts to give it back.
    pub returns: Vec<Step>,
}

impl Deduction {
    /// It was told that it got what it wanted.
    pub fn is_told(&self) -> bool {
        self.step.heard("won") || self.step.heard("repeat")
    }
}

/// A restock or a correction.
#[derive(Clone, Debug, Default)]
pub struct Adjustment {
    pub request_id: String,
    /// The outcome, in answers and in the ledger.
    pub outcome: &'static str,
    /// By how much it changes the quantity.
    pub change: i64,
    pub step: Step,
}

impl Adjustment {
    fn is_told(&self) -> bool {
        self.step.heard(self.outcome) || self.step.heard("repeat")
    }
}

/// What a user did and was told.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    pub user: String,
    pub deductions: Vec<Deduction>,
    pub adjustments: Vec<Adjustment>,
}

/// A change of the quantity, as the ledger has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub outcome: String,
    pub user: String,
    pub request_id: String,
    pub quantity: i64,
}

impl Row {
    fn change(&self) -> i64 {
        if self.outcome == "won" { -self.quantity } else { self.quantity }
    }
}

/// What is stored for one sale.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub requests: BTreeMap<String, RequestRecord>,
    /// In their order, from the opening.
    pub rows: Vec<Row>,
    /// The sum of all changes in Redis, and the quantity that is cached.
    pub sum: i64,
    pub cached: Option<i64>,
    /// Redis had lost the newest data of the sale.
    pub had_lost: bool,
    /// Requests that a recovery has reported as conflicts.
    pub named: BTreeSet<String>,
}

impl Found {
    fn rows_of(&self, outcome: &str, request_id: &str) -> Vec<&Row> {
        self.rows.iter().filter(|row| row.outcome == outcome && row.request_id == request_id).collect()
    }
}

impl Verdict {
    /// Adds a sale of which Redis lost the newest data: what the ledger never recorded may be gone, and the recovery
    /// has named requests that were answered twice, and those that took more than was left.
    pub fn judge_stock_after(&mut self, loss: &Loss, heard: &BTreeMap<String, Heard>, found: &Found) {
        let (mut heard, mut found) = (heard.clone(), found.clone());
        found.had_lost = true;
        found.named =
            found.rows.iter().map(|row| row.request_id.clone()).filter(|id| !id.is_empty() && loss.names(id)).collect();
        self.conflicts += found.named.len() as u64;
        for heard in heard.values_mut() {
            for deduction in &mut heard.deductions {
                let is_recorded = !found.rows_of("won", &deduction.request_id).is_empty();
                let mut forgot = deduction.is_told() && !is_recorded;
                if forgot {
                    deduction.step.forget();
                }
                if found.rows_of("returned", &deduction.request_id).is_empty() {
                    for step in deduction.returns.iter_mut().filter(|step| is_returned(step)) {
                        step.forget();
                        forgot = true;
                    }
                }
                self.forgotten += u64::from(forgot);
            }
            for adjustment in &mut heard.adjustments {
                if adjustment.is_told() && found.rows_of(adjustment.outcome, &adjustment.request_id).is_empty() {
                    adjustment.step.forget();
                    self.forgotten += 1;
                }
            }
        }
        self.judge_stock(&heard, &found);
    }

    /// Adds one sale.
    pub fn judge_stock(&mut self, heard: &BTreeMap<String, Heard>, found: &Found) {
        for Heard { user, deductions, adjustments } in heard.values() {
            let steps = deductions.iter().flat_map(|deduction| deduction.returns.iter().chain([&deduction.step]));
            for step in steps.chain(adjustments.iter().map(|adjustment| &adjustment.step)) {
                self.attempts += step.answers.len() as u64 + u64::from(step.unknown);
                self.unknown += u64::from(step.unknown);
            }
            for deduction in deductions {
                self.acknowledged += u64::from(deduction.is_told());
                self.deduction(user, deduction, found);
            }
            for adjustment in adjustments {
                self.acknowledged += u64::from(adjustment.is_told());
                self.adjustment(adjustment, found);
            }
        }
        self.not_asked_for(heard, found);
        self.quantity(heard, found);
    }

    /// Every request that was told it won is in Redis and in the ledger, once; no other request is.
    fn deduction(&mut self, user: &str, deduction: &Deduction, found: &Found) {
        let Deduction { request_id, quantity, step, .. } = deduction;
        if found.named.contains(request_id) {
            return;
        }
        let rows = found.rows_of("won", request_id);
        let lefts: BTreeSet<Option<u64>> =
            step.answers.iter().filter(|answer| is_won(answer)).map(|answer| answer["left"].as_u64()).collect();
        let wins = step.answers.iter().filter(|answer| answer["outcome"] == "won").count();
        let got = step.answers.iter().position(is_won);
        let was_refused_then = got.is_some_and(|got| step.answers[got..].iter().any(|answer| !is_won(answer)));
        let needs_no_refusal = |answer: &&serde_json::Value| {
            answer["outcome"] == "not_enough" && answer["left"].as_u64() >= Some(*quantity)
        };
        let is_told_twice = wins > 1 || lefts.len() > 1 || was_refused_then;
        if rows.len() > 1 || is_told_twice && !found.had_lost || step.answers.iter().find(needs_no_refusal).is_some() {
            self.contradicted += 1;
            self.faults.push(format!("{user} heard {deduction:?}, the ledger has {rows:?}"));
        }
        if !deduction.is_told() {
            if step.unknown == 0 && !rows.is_empty() {
                self.unexpected += 1;
                self.faults.push(format!("the ledger has {rows:?} for {user}, who heard {deduction:?}"));
            }
            return;
        }
        let is_theirs = |of: &str, units: i64| of == user && units == quantity.cast_signed();
        let held = found.requests.get(request_id).filter(|request| is_theirs(&request.user, request.quantity));
        let Some(held) = held.filter(|_| rows.iter().any(|row| is_theirs(&row.user, row.quantity))) else {
            self.lost += 1;
            let stored = found.requests.get(request_id);
            self.faults.push(format!("{user} was told {deduction:?}; Redis has {stored:?}, the ledger {rows:?}"));
            return;
        };
        if !found.had_lost && !lefts.contains(&u64::try_from(held.left).ok()) {
            self.contradicted += 1;
            self.faults.push(format!("{user} heard {deduction:?}, but Redis has {held:?}"));
        }
        self.give_back(deduction, held, found);
    }

    /// It is given back at most once, and only if a user asked for that; a user who was told so is right.
    fn give_back(&mut self, deduction: &Deduction, held: &RequestRecord, found: &Found) {
        let Deduction { request_id, quantity, returns, .. } = deduction;
        let rows = found.rows_of("returned", request_id);
        let is_back = held.state == RequestState::Returned;
        if returns.iter().any(is_returned) && (!is_back || rows.is_empty()) {
            self.lost += 1;
            self.faults.push(format!("{deduction:?} was given back; Redis has {held:?}, the ledger {rows:?}"));
            return;
        }
        let may_be_back = returns.iter().any(|step| is_returned(step) || step.unknown > 0);
        if is_back && !may_be_back {
            self.unexpected += 1;
            self.faults.push(format!("{held:?} was given back, which nobody asked for: {deduction:?}"));
        }
        let done: usize = returns.iter().map(|step| times(step, "returned")).sum();
        let is_denied = returns.iter().any(|step| step.heard("unknown_request"));
        let is_exact = rows.len() == usize::from(is_back)
            && rows.iter().all(|row| row.user == held.user && row.quantity == quantity.cast_signed());
        if !is_exact || !found.had_lost && (done > 1 || is_denied) {
            self.contradicted += 1;
            self.faults.push(format!("{deduction:?} is {held:?} in Redis and {rows:?} in the ledger"));
        }
    }

    /// A restock or correction is made at most once, by the requested difference.
    fn adjustment(&mut self, adjustment: &Adjustment, found: &Found) {
        let Adjustment { request_id, outcome, change, step } = adjustment;
        if found.named.contains(request_id) {
            return;
        }
        let rows = found.rows_of(outcome, request_id);
        let changes: BTreeSet<Option<i64>> = step
            .answers
            .iter()
            .filter(|answer| answer["outcome"] != "not_enough")
            .map(|answer| answer["change"].as_i64())
            .collect();
        let is_as_told =
            changes.iter().all(|told| *told == Some(*change)) && rows.iter().all(|row| row.quantity == *change);
        if rows.len() > 1 || !is_as_told || times(step, outcome) > 1 && !found.had_lost {
            self.contradicted += 1;
            self.faults.push(format!("{adjustment:?}, the ledger has {rows:?}"));
        } else if adjustment.is_told() && (rows.is_empty() || !found.requests.contains_key(request_id)) {
            self.lost += 1;
            self.faults.push(format!("{adjustment:?}, the ledger has {rows:?}"));
        } else if !adjustment.is_told() && step.unknown == 0 && !rows.is_empty() {
            self.unexpected += 1;
            self.faults.push(format!("{adjustment:?}, the ledger has {rows:?}"));
        }
    }

    /// Everything that is stored was requested, and Redis and the ledger agree.
    fn not_asked_for(&mut self, heard: &BTreeMap<String, Heard>, found: &Found) {
        let mut asked: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
        let mut told: BTreeSet<&str> = BTreeSet::new();
        for Heard { user, deductions, adjustments } in heard.values() {
            for deduction in deductions {
                asked.insert(("won", user, &deduction.request_id));
                if !deduction.returns.is_empty() {
                    asked.insert(("returned", user, &deduction.request_id));
                }
                if deduction.is_told() {
                    told.insert(&deduction.request_id);
                }
            }
            for adjustment in adjustments {
                asked.insert((adjustment.outcome, "", &adjustment.request_id));
                if adjustment.is_told() {
                    told.insert(&adjustment.request_id);
                }
            }
        }
        let is_a_request = |row: &&Row| row.outcome != "opened" && !found.named.contains(&row.request_id);
        for row in found.rows.iter().filter(is_a_request) {
            if !asked.contains(&(row.outcome.as_str(), row.user.as_str(), row.request_id.as_str())) {
                self.unexpected += 1;
                self.faults.push(format!("the ledger has {row:?}, which nobody asked for"));
            } else if !told.contains(row.request_id.as_str()) && !found.requests.contains_key(&row.request_id) {
                // If a user was told of it, it is counted above.
                self.lost += 1;
                self.faults.push(format!("Redis lacks {row:?}"));
            }
        }
        let recorded: BTreeSet<&str> =
            found.rows.iter().filter(|row| row.outcome != "returned").map(|row| row.request_id.as_str()).collect();
        for (request_id, request) in found.requests.iter().filter(|(id, _)| !recorded.contains(id.as_str())) {
            if !told.contains(request_id.as_str()) {
                self.unexpected += 1;
                self.faults.push(format!("Redis has {request_id} {request:?}, the ledger does not"));
            }
        }
    }

    /// The changes add up to what Redis says is left; none took more than there was, and each answer says what was
    /// left.
    fn quantity(&mut self, heard: &BTreeMap<String, Heard>, found: &Found) {
        let deductions = heard.values().flat_map(|heard| &heard.deductions);
        let told: BTreeMap<&str, Option<u64>> = deductions
            .filter_map(|deduction| {
                let answer = deduction.step.answers.iter().find(|answer| is_won(answer))?;
                Some((deduction.request_id.as_str(), answer["left"].as_u64()))
            })
            .collect();
        let mut left = 0;
        for row in &found.rows {
            left += row.change();
            let is_beyond = left < 0 && row.change() < 0 && !found.named.contains(&row.request_id);
            let is_other = row.outcome == "won"
                && told.get(row.request_id.as_str()).is_some_and(|told| *told != u64::try_from(left).ok());
            if is_beyond || is_other && !found.had_lost {
                self.contradicted += 1;
                self.faults.push(format!("{left} are left after {row:?}"));
            }
        }
        if found.sum != left || found.cached.is_some_and(|cached| cached != left) {
            self.contradicted += 1;
            let Found { sum, cached, .. } = found;
            self.faults.push(format!("the ledger has {left}, the sum in Redis is {sum}, {cached:?} is cached"));
        }
    }
}

fn is_won(answer: &serde_json::Value) -> bool {
    answer["outcome"] == "won" || answer["outcome"] == "repeat"
}

fn is_returned(step: &Step) -> bool {
    step.heard("returned") || step.heard("repeat")
}

fn times(step: &Step, outcome: &str) -> usize {
    step.answers.iter().filter(|answer| answer["outcome"] == outcome).count()
}

/// Of ten, Ann got four and keeps them, Bob got three and gave them back, Cid wanted more than was left, the outcome of
/// Dan's two is unknown, and five were added.
fn an_honest_sale() -> (BTreeMap<String, Heard>, Found) {
    let deduction = |request_id: &str, quantity: u64, step: Step, returns: Vec<Step>| Deduction {
        request_id: request_id.to_owned(),
        quantity,
        step,
        returns,
    };
    let heard = |user: &str, deduction: Deduction| {
        (user.to_owned(), Heard { user: user.to_owned(), deductions: vec![deduction], adjustments: vec![] })
    };
    let restock =
        Adjustment { request_id: "a".to_owned(), outcome: "restocked", change: 5, step: told("restocked", 13, 5) };
    let operator = Heard { user: "op".to_owned(), deductions: vec![], adjustments: vec![restock] };
    let heard = [
        heard("ann", deduction("r-ann", 4, told("won", 6, 0), vec![])),
        heard("bob", deduction("r-bob", 3, told("won", 3, 0), vec![told("returned", 0, 0)])),
        heard("cid", deduction("r-cid", 9, told("not_enough", 6, 0), vec![])),
        heard("dan", deduction("r-dan", 2, Step { was_sent: true, unknown: 1, ..Step::default() }, vec![])),
        ("op".to_owned(), operator),
    ];
    let record = |user: &str, quantity: i64, state: RequestState, left: i64| {
        RequestRecord::new(user.to_owned(), quantity, state, left)
    };
    let found = Found {
        requests: [
            ("r-ann".to_owned(), record("ann", 4, RequestState::Deducted, 6)),
            ("r-bob".to_owned(), record("bob", 3, RequestState::Returned, 3)),
            ("r-dan".to_owned(), record("dan", 2, RequestState::Deducted, 11)),
            ("a".to_owned(), record("", 5, RequestState::Restocked, 13)),
        ]
        .into(),
        rows: vec![
            row("opened", "", "", 10),
            row("won", "ann", "r-ann", 4),
            row("won", "bob", "r-bob", 3),
            row("returned", "bob", "r-bob", 3),
            row("restocked", "", "a", 5),
            row("won", "dan", "r-dan", 2),
        ],
        sum: 9,
        cached: Some(9),
        ..Found::default()
    };
    (heard.into(), found)
}

fn told(outcome: &str, left: u64, change: i64) -> Step {
    let answers = vec![serde_json::json!({ "outcome": outcome, "left": left, "change": change })];
    Step { was_sent: true, answers, ..Step::default() }
}

fn row(outcome: &str, user: &str, request_id: &str, quantity: i64) -> Row {
    let [outcome, user, request_id] = [outcome, user, request_id].map(str::to_owned);
    Row { outcome, user, request_id, quantity }
}

/// Lost, unexpected and contradicted, after something was changed.
fn judged(change: impl FnOnce(&mut BTreeMap<String, Heard>, &mut Found)) -> (u64, u64, u64) {
    let (mut heard, mut found) = an_honest_sale();
    change(&mut heard, &mut found);
    let mut verdict = Verdict::default();
    verdict.judge_stock(&heard, &found);
    assert_eq!(verdict.faults.len() as u64, verdict.lost + verdict.unexpected + verdict.contradicted);
    (verdict.lost, verdict.unexpected, verdict.contradicted)
}

fn of<'a>(heard: &'a mut BTreeMap<String, Heard>, user: &str) -> &'a mut Deduction {
    &mut heard.get_mut(user).expect("a user").deductions[0]
}

fn request<'a>(found: &'a mut Found, request_id: &str) -> &'a mut RequestRecord {
    found.requests.get_mut(request_id).expect("a request")
}

/// The ledger lacks a row; the quantities are as if that change had never been made.
fn without(found: &mut Found, outcome: &str, request_id: &str) {
    for row in found.rows.extract_if(.., |row| row.outcome == outcome && row.request_id == request_id) {
        found.sum -= row.change();
        found.cached = found.cached.map(|cached| cached - row.change());
    }
}

/// The ledger has one more row at its end, and the quantities include it.
fn with(found: &mut Found, row: Row) {
    found.sum += row.change();
    found.cached = found.cached.map(|cached| cached + row.change());
    found.rows.push(row);
}

#[test]
fn stock_that_was_told_is_there_once() {
    assert_eq!(judged(|_, _| ()), (0, 0, 0));
    assert_eq!(judged(|_, found| _ = found.requests.remove("r-ann")), (1, 0, 0));
    assert_eq!(judged(|_, found| request(found, "r-ann").user = "bob".to_owned()), (1, 0, 0));
    assert_eq!(judged(|_, found| request(found, "r-ann").quantity = 3), (1, 0, 0));
    assert_eq!(judged(|_, found| with(found, row("won", "ann", "r-ann", 4))), (0, 0, 2), "and two lefts");
    assert_eq!(
        judged(|heard, _| of(heard, "ann").step.answers[0]["left"] = 5.into()),
        (0, 0, 2),
        "in Redis and ledger"
    );
    assert_eq!(judged(|_, found| _ = found.requests.remove("a")), (1, 0, 0));
    // Dan's outcome is unknown: his deduction may be there or not.
    let dan = |found: &mut Found| {
        found.requests.remove("r-dan");
        without(found, "won", "r-dan");
    };
    assert_eq!(judged(|_, found| dan(found)), (0, 0, 0));
    assert_eq!(judged(|_, found| _ = found.requests.remove("r-dan")), (1, 0, 0), "the ledger has it");
}

#[test]
fn stock_is_given_back_once_by_whom_was_told_so() {
    assert_eq!(judged(|_, found| request(found, "r-bob").state = RequestState::Deducted), (1, 0, 0));
    assert_eq!(judged(|_, found| with(found, row("returned", "bob", "r-bob", 3))), (0, 0, 1));
    assert_eq!(judged(|heard, _| of(heard, "bob").returns.push(told("repeat", 0, 0))), (0, 0, 0));
    assert_eq!(judged(|heard, _| of(heard, "bob").returns.push(told("returned", 0, 0))), (0, 0, 1));
    assert_eq!(judged(|heard, _| of(heard, "bob").returns.push(told("unknown_request", 0, 0))), (0, 0, 1));
    let returned = |found: &mut Found| {
        request(found, "r-ann").state = RequestState::Returned;
        with(found, row("returned", "ann", "r-ann", 4));
    };
    assert_eq!(judged(|_, found| returned(found)), (0, 2, 0), "nobody asked for it");
    let unknown = |heard: &mut BTreeMap<String, Heard>| {
        of(heard, "ann").returns.push(Step { was_sent: true, unknown: 1, ..Step::default() });
    };
    assert_eq!(
        judged(|heard, found| {
            unknown(heard);
            returned(found)
        }),
        (0, 0, 0)
    );
    assert_eq!(judged(|heard, _| unknown(heard)), (0, 0, 0));
}

#[test]
fn nobody_has_stock_who_did_not_ask_for_it() {
    assert_eq!(judged(|heard, _| of(heard, "dan").step.unknown = 0), (0, 1, 0));
    assert_eq!(judged(|_, found| found.rows[5].user = "cid".to_owned()), (0, 1, 0));
    assert_eq!(judged(|_, found| with(found, row("won", "eve", "r-eve", 1))), (0, 1, 0));
    let stray = RequestRecord::new("eve".to_owned(), 1, RequestState::Deducted, 0);
    assert_eq!(judged(|_, found| _ = found.requests.insert("r-eve".to_owned(), stray)), (0, 1, 0));
}

#[test]
fn answers_about_stock_agree_with_each_other() {
    let again = |heard: &mut BTreeMap<String, Heard>, outcome: &str, left: u64| {
        of(heard, "ann").step.answers.extend(told(outcome, left, 0).answers);
    };
    assert_eq!(judged(|heard, _| again(heard, "repeat", 6)), (0, 0, 0));
    assert_eq!(judged(|heard, _| again(heard, "repeat", 5)), (0, 0, 1));
    assert_eq!(judged(|heard, _| again(heard, "won", 6)), (0, 0, 1));
    assert_eq!(judged(|heard, _| again(heard, "not_enough", 3)), (0, 0, 1));
    assert_eq!(judged(|heard, _| of(heard, "cid").step.answers[0]["left"] = 9.into()), (0, 0, 1), "it was enough");
    let adjusted = |heard: &mut BTreeMap<String, Heard>, step: Step| {
        heard.get_mut("op").expect("op").adjustments[0].step.answers.extend(step.answers);
    };
    assert_eq!(judged(|heard, _| adjusted(heard, told("repeat", 13, 5))), (0, 0, 0));
    assert_eq!(judged(|heard, _| adjusted(heard, told("repeat", 13, 4))), (0, 0, 1));
    assert_eq!(judged(|heard, _| adjusted(heard, told("restocked", 13, 5))), (0, 0, 1));
}

#[test]
fn the_changes_come_to_what_is_left() {
    assert_eq!(judged(|_, found| found.cached = None), (0, 0, 0));
    assert_eq!(judged(|_, found| found.cached = Some(10)), (0, 0, 1));
    assert_eq!(judged(|_, found| found.sum = 8), (0, 0, 1));
    // If Dan's unknown deduction came before the restock and before Bob gave his back, three were left.
    let more = |found: &mut Found, quantity: i64| {
        let change = row("won", "dan", "r-dan", quantity);
        (found.rows[5], found.sum, found.cached) = (change, 11 - quantity, None);
        found.rows.swap(4, 5);
        found.rows.swap(3, 4);
    };
    assert_eq!(judged(|_, found| more(found, 3)), (0, 0, 0));
    assert_eq!(judged(|_, found| more(found, 4)), (0, 0, 1), "more than there was");
}

#[test]
fn after_a_loss_stock_that_the_ledger_has_must_be_there_or_named() {
    let judged = |loss: &[&str], change: fn(&mut Found)| {
        let (heard, mut found) = an_honest_sale();
        change(&mut found);
        let mut verdict = Verdict::default();
        let conflicts =
            loss.iter().map(|id| format!("request {id} stays with ann; it was confirmed once more after that"));
        verdict.judge_stock_after(&Loss { conflicts: conflicts.collect() }, &heard, &found);
        (verdict.forgotten, verdict.conflicts, verdict.faults.len())
    };
    assert_eq!(judged(&[], |_| ()), (0, 0, 0));
    assert_eq!(judged(&[], |found| _ = found.requests.remove("r-ann")), (0, 0, 1), "the ledger has it");
    let state = |found: &mut Found| request(found, "r-bob").state = RequestState::Deducted;
    assert_eq!(judged(&[], state), (0, 0, 1), "and that it was given back");
    let forget = |found: &mut Found| {
        found.requests.remove("r-ann");
        without(found, "won", "r-ann");
    };
    assert_eq!(judged(&[], forget), (1, 0, 0), "the ledger never had it");
    let forget_return = |found: &mut Found| {
        request(found, "r-bob").state = RequestState::Deducted;
        without(found, "returned", "r-bob");
    };
    assert_eq!(judged(&[], forget_return), (1, 0, 0), "nor that it was given back");
    let forget_restock = |found: &mut Found| {
        found.requests.remove("a");
        without(found, "restocked", "a");
    };
    assert_eq!(judged(&[], forget_restock), (1, 0, 0), "nor that more was added");
    let once_more = |found: &mut Found| with(found, row("won", "ann", "r-ann", 4));
    assert_eq!(judged(&[], once_more), (0, 0, 1));
    assert_eq!(judged(&["r-ann"], once_more), (0, 1, 0), "it is named");
    assert_eq!(judged(&["r-bob"], once_more), (0, 1, 1), "another is named");
    let oversold = |found: &mut Found| with(found, row("won", "dan", "r-dan", 20));
    assert_eq!(judged(&["r-dan"], oversold), (0, 1, 0));
}
