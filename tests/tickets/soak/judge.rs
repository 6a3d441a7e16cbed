//! Compares what users were told of seats with what is stored.

use crate::soak::{
    crowd::Step,
    verdict::{Ends, Loss, Verdict},
};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that one user was told.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    pub request_id: String,
    /// The orders that answers named, with their seats: one, if all is well.
    pub orders: BTreeSet<(String, Vec<String>)>,
    pub reserve: Step,
    pub extend: Step,
    pub pay: Step,
    /// The cancellation of one of several seats.
    pub part: Step,
    pub cancel: Step,
}

/// The request id by which a user gives a part back.
pub fn part_id(user: &str) -> String {
    format!("{user}-b")
}

/// An order, as Redis has it.
#[derive(Clone, Debug, Default)]
pub struct Order {
    pub user: String,
    pub state: String,
    /// Row and place of each of its seats, also of those that came back.
    pub places: Vec<(i64, i64)>,
    /// The same of those that it has.
    pub has: Vec<(i64, i64)>,
    /// The request ids of the parts that came back.
    pub parts: Vec<String>,
    pub is_extended: bool,
}

/// A row of the ledger.
#[derive(Clone, Debug)]
pub struct Row {
    pub outcome: String,
    pub order: String,
    /// Empty for an extension, which is of the whole order.
    pub seat: String,
    /// It is of a part that came back.
    pub is_of_part: bool,
}

/// What is stored for one sale.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub orders: BTreeMap<String, Order>,
    pub requests: BTreeMap<String, String>,
    pub rows: Vec<Row>,
    /// Seats in the hall.
    pub capacity: usize,
    /// Which holds can have expired.
    pub ends: Ends,
}

impl Found {
    /// The seats of an order that the ledger has with this outcome.
    fn recorded(&self, order: &str, outcome: &str) -> BTreeSet<&str> {
        let rows = self.rows.iter().filter(|row| row.order == order && row.outcome == outcome && !row.is_of_part);
        rows.map(|row| row.seat.as_str()).collect()
    }

    /// Whether the ledger has a part of an order that came back.
    fn has_part(&self, order: &str) -> bool {
        self.rows.iter().any(|row| row.order == order && row.is_of_part)
    }
}

impl Verdict {
    /// Adds a sale of which Redis lost the newest data: what the ledger never recorded may be gone, and for each order
    /// that was given twice the recovery has named one owner.
    pub fn judge_seats_after(&mut self, loss: &Loss, heard: &BTreeMap<String, Heard>, found: &Found) {
        let (mut heard, mut found) = (heard.clone(), found.clone());
        let is_named = |user: &String, heard: &Heard| {
            loss.names(user) || loss.names(&heard.request_id) || heard.orders.iter().any(|(order, _)| loss.names(order))
        };
        let named = heard.iter().filter(|(user, heard)| is_named(user, heard)).map(|(user, _)| user.clone());
        for user in named.collect::<Vec<_>>() {
            self.conflicts += 1;
            // Their orders stay among those whose seats are compared.
            found.requests.remove(&heard[&user].request_id);
            heard.remove(&user);
        }
        for heard in heard.values_mut() {
            for step in [&mut heard.extend, &mut heard.pay, &mut heard.part, &mut heard.cancel] {
                step.is_missing = false;
            }
            let told = heard.orders.len();
            heard.orders.retain(|(order, _)| !found.recorded(order, "held").is_empty());
            if heard.orders.len() < told {
                heard.reserve.forget();
            }
            let orders: Vec<String> = heard.orders.iter().map(|(order, _)| order.clone()).collect();
            let has = |outcome: &str| orders.iter().any(|order| !found.recorded(order, outcome).is_empty());
            let is_paid = has("paid");
            let is_ended = has("cancelled") || has("refunded");
            let has_part = orders.iter().any(|order| found.has_part(order));
            let is_extended = has("extended");
            let mut forgot = heard.orders.len() < told;
            for (step, is_recorded) in [
                (&mut heard.extend, is_extended),
                (&mut heard.pay, is_paid),
                (&mut heard.part, has_part),
                (&mut heard.cancel, is_ended),
            ] {
                if !step.answers.is_empty() && !is_recorded {
                    forgot = true;
                    step.forget();
                }
            }
            self.forgotten += u64::from(forgot);
        }
        self.judge_seats(&heard, &found);
    }

    /// Adds one sale.
    pub fn judge_seats(&mut self, heard: &BTreeMap<String, Heard>, found: &Found) {
        for (user, heard) in heard {
            let later = [&heard.extend, &heard.pay, &heard.part, &heard.cancel];
            for step in later.into_iter().chain([&heard.reserve]) {
                self.attempts += step.answers.len() as u64 + u64::from(step.unknown);
                self.unknown += u64::from(step.unknown);
            }
            self.acknowledged += u64::from(!heard.orders.is_empty());
            if later.iter().any(|step| step.is_missing) {
                self.lost += 1;
                self.faults.push(format!("{user} was told that there is no such order: {heard:?}"));
            }
            if heard.orders.len() > 1 {
                self.contradicted += 1;
                self.faults.push(format!("{user} was told two orders: {heard:?}"));
            }
            let order = found.requests.get(&heard.request_id);
            match (heard.orders.first(), order) {
                (Some((told, seats)), stored) => self.told(user, heard, (told, seats), stored, found),
                (None, Some(order)) if heard.reserve.unknown == 0 => {
                    self.unexpected += 1;
                    self.faults.push(format!("Redis has order {order} for {user}, who heard {heard:?}"));
                }
                (None, _) => {}
            }
        }
        let requests: BTreeSet<&str> = heard.values().map(|heard| heard.request_id.as_str()).collect();
        for request in found.requests.keys().filter(|request| !requests.contains(request.as_str())) {
            self.unexpected += 1;
            self.faults.push(format!("Redis has request {request}, which nobody sent"));
        }
        self.seats_are_given_once(found);
    }

    /// Compares an order that was told with Redis and the ledger.
    fn told(&mut self, user: &str, heard: &Heard, told: (&str, &[String]), stored: Option<&String>, found: &Found) {
        let (told, seats) = told;
        let order = stored.filter(|stored| *stored == told).and_then(|stored| found.orders.get(stored));
        let order = order.filter(|order| order.user == user && order.places.len() == seats.len());
        let recorded = found.recorded(told, "held");
        let Some(order) = order.filter(|_| recorded == seats.iter().map(String::as_str).collect()) else {
            self.lost += 1;
            self.faults.push(format!(
                "{user} was told order {told} with {seats:?}; Redis has {stored:?} {order:?}, the ledger {recorded:?}"
            ));
            return;
        };
        let state = order.state.as_str();
        let (pay, cancel) = (&heard.pay, &heard.cancel);
        let (was_paid, is_cancelled, is_refunded) =
            (pay.heard("paid") || pay.heard("repeat"), cancel.heard("cancelled"), cancel.heard("refunded"));
        let holds = match state {
            "held" => !was_paid && !is_cancelled && !is_refunded && !found.ends.has_ended(heard.reserve.when),
            "paid" => pay.was_sent && !pay.heard("refunded") && !is_cancelled && !is_refunded,
            "cancelled" => cancel.was_sent && !was_paid && !is_refunded,
            "refunded" => cancel.was_sent && pay.was_sent && !is_cancelled && !pay.heard("refunded"),
            "expired" => !was_paid && !is_cancelled && !is_refunded && found.ends.may_have_ended(heard.reserve.when),
            _ => false,
        };
        let is_in_ledger = |outcome: &str| !found.recorded(told, outcome).is_empty();
        let is_recorded =
            (!was_paid || is_in_ledger("paid")) && (!heard.extend.heard("extended") || is_in_ledger("extended"));
        if !holds || !is_recorded || !is_changed_as_heard(user, heard, order, found.has_part(told)) {
            self.lost += 1;
            self.faults.push(format!("order {told} of {user} is {state}, who heard {heard:?}"));
        }
    }

    fn seats_are_given_once(&mut self, found: &Found) {
        let mut given: BTreeMap<(i64, i64), &str> = BTreeMap::new();
        let live = found.orders.iter().filter(|(_, order)| ["held", "paid"].contains(&order.state.as_str()));
        for (id, order) in live {
            for place in &order.has {
                if let Some(other) = given.insert(*place, id) {
                    self.contradicted += 1;
                    self.faults.push(format!("Redis has seat {place:?} in {other} and in {id}"));
                }
            }
        }
        if given.len() > found.capacity {
            self.contradicted += 1;
            self.faults.push(format!("{} of {} seats are given", given.len(), found.capacity));
        }
    }
}

/// Whether a part came back, and the hold was extended, if the user was told so, and not if nobody asked for it.
fn is_changed_as_heard(user: &str, heard: &Heard, order: &Order, is_part_recorded: bool) -> bool {
    let part_is_back = heard.part.heard("cancelled") || heard.part.heard("refunded");
    let has_part = order.parts == [part_id(user)];
    let is_right = if has_part { heard.part.was_sent } else { order.parts.is_empty() && !part_is_back };
    let is_extended = if order.is_extended { heard.extend.was_sent } else { !heard.extend.heard("extended") };
    is_right && is_extended && (!part_is_back || is_part_recorded)
}

/// Ann was told of her order and that it is paid, Bob got no answer, Cid gave his seat back.
fn an_honest_sale() -> (BTreeMap<String, Heard>, Found) {
    let answer = |outcome: &str| Step {
        was_sent: true,
        answers: vec![serde_json::json!({ "outcome": outcome })],
        ..Step::default()
    };
    let heard = |user: &str, told: bool, pay: Step, cancel: Step| {
        let (extend, part) = (Step::default(), Step::default());
        let reserve = if told { answer("held") } else { Step { was_sent: true, unknown: 1, ..Step::default() } };
        let orders = told.then(|| (format!("o-{user}"), vec![format!("A-01-{user}")])).into_iter().collect();
        (user.to_owned(), Heard { request_id: format!("r-{user}"), orders, reserve, extend, pay, part, cancel })
    };
    let order = |user: &str, state: &str, place: i64| {
        let (user_name, state, places) = (user.to_owned(), state.to_owned(), vec![(0, place)]);
        (format!("o-{user}"), Order { user: user_name, state, has: places.clone(), places, ..Order::default() })
    };
    let row = |user: &str, outcome: &str| Row {
        outcome: outcome.to_owned(),
        order: format!("o-{user}"),
        seat: format!("A-01-{user}"),
        is_of_part: false,
    };
    let heard = [
        heard("ann", true, answer("paid"), Step::default()),
        heard("bob", false, Step::default(), Step::default()),
        heard("cid", true, Step::default(), answer("cancelled")),
    ];
    let found = Found {
        orders: [order("ann", "paid", 1), order("bob", "held", 2), order("cid", "cancelled", 2)].into(),
        requests: ["ann", "bob", "cid"].map(|user| (format!("r-{user}"), format!("o-{user}"))).into(),
        rows: vec![
            row("ann", "held"),
            row("ann", "paid"),
            row("bob", "held"),
            row("cid", "held"),
            row("cid", "cancelled"),
        ],
        capacity: 3,
        ends: Ends::Nothing,
    };
    (heard.into(), found)
}

/// Lost, unexpected and contradicted, after something was changed.
fn judged(change: impl FnOnce(&mut BTreeMap<String, Heard>, &mut Found)) -> (u64, u64, u64) {
    let (mut heard, mut found) = an_honest_sale();
    change(&mut heard, &mut found);
    let mut verdict = Verdict::default();
    verdict.judge_seats(&heard, &found);
    assert_eq!(verdict.faults.len() as u64, verdict.lost + verdict.unexpected + verdict.contradicted);
    (verdict.lost, verdict.unexpected, verdict.contradicted)
}

#[test]
fn orders_that_were_told_are_there_in_a_state_that_follows_from_what_was_told() {
    assert_eq!(judged(|_, _| ()), (0, 0, 0));
    assert_eq!(judged(|_, found| drop(found.orders.remove("o-ann"))), (1, 0, 0));
    assert_eq!(judged(|_, found| drop(found.requests.remove("r-ann"))), (1, 0, 0));
    assert_eq!(judged(|_, found| found.rows.retain(|row| row.outcome != "paid")), (1, 0, 0));
    for (user, state) in [("ann", "held"), ("ann", "expired"), ("ann", "refunded"), ("cid", "held"), ("cid", "paid")] {
        let change = |_: &mut _, found: &mut Found| {
            found.orders.get_mut(&format!("o-{user}")).expect("an order").state = state.to_owned();
            // Cid's seat is Bob's by now.
            found.orders.get_mut("o-bob").expect("an order").has = vec![(0, 3)];
        };
        assert_eq!(judged(change), (1, 0, 0), "{user} {state}");
    }
    assert_eq!(judged(|heard, _| _ = heard.get_mut("ann").expect("ann").orders.insert(("o".into(), vec![]))).2, 1);
}

#[test]
fn nobody_has_what_nobody_asked_for_and_no_seat_is_given_twice() {
    assert_eq!(judged(|heard, _| heard.get_mut("bob").expect("bob").reserve.unknown = 0), (0, 1, 0));
    assert_eq!(judged(|heard, _| drop(heard.remove("bob"))), (0, 1, 0));
    assert_eq!(judged(|_, found| found.orders.get_mut("o-bob").expect("bob").has = vec![(0, 1)]), (0, 0, 1));
    assert_eq!(judged(|_, found| found.capacity = 1), (0, 0, 1));
}

#[test]
fn parts_and_extensions_are_there_if_they_were_told_and_only_if_they_were_asked_for() {
    // Ann has two seats, and gave one of them back.
    let judged = |change: fn(&mut Heard, &mut Order, &mut Vec<Row>)| {
        judged(|heard, found| {
            let ann = heard.get_mut("ann").expect("ann");
            ann.orders = [("o-ann".to_owned(), vec!["A-01-ann".to_owned(), "A-01-b".to_owned()])].into();
            let answer = |outcome: &str| Step {
                was_sent: true,
                answers: vec![serde_json::json!({ "outcome": outcome })],
                ..Step::default()
            };
            (ann.part, ann.extend) = (answer("refunded"), answer("extended"));
            let order = found.orders.get_mut("o-ann").expect("an order");
            order.places.push((0, 9));
            (order.parts, order.is_extended) = (vec![part_id("ann")], true);
            let row = |outcome: &str, is_of_part| Row {
                outcome: outcome.to_owned(),
                order: "o-ann".to_owned(),
                seat: "A-01-b".to_owned(),
                is_of_part,
            };
            let extended = Row { seat: String::new(), ..row("extended", false) };
            found.rows.extend([row("held", false), row("refunded", true), extended]);
            change(ann, order, &mut found.rows);
        })
    };
    assert_eq!(judged(|_, _, _| ()), (0, 0, 0));
    assert_eq!(judged(|_, order, _| order.parts.clear()), (1, 0, 0), "lost");
    assert_eq!(judged(|_, _, rows| rows.retain(|row| !row.is_of_part)), (1, 0, 0), "not in the ledger");
    assert_eq!(judged(|_, order, _| order.is_extended = false), (1, 0, 0), "lost");
    let unrecorded = |_: &mut Heard, _: &mut Order, rows: &mut Vec<Row>| rows.retain(|row| row.outcome != "extended");
    assert_eq!(judged(unrecorded), (1, 0, 0), "not in the ledger");
    assert_eq!(judged(|ann, _, _| ann.part = Step::default()), (1, 0, 0), "nobody asked for it");
    assert_eq!(judged(|ann, _, _| ann.extend = Step::default()), (1, 0, 0), "nobody asked for it");
}

#[test]
fn holds_of_before_the_jump_have_ended_and_those_of_after_it_have_not() {
    use crate::soak::crowd::When;
    let judged = |when: When, state: &str| {
        judged(|heard, found| {
            found.ends = Ends::WithTheJump;
            // All that is known of Ann is that she holds a seat.
            let ann = heard.get_mut("ann").expect("ann");
            (ann.reserve.when, ann.pay) = (when, Step::default());
            found.orders.get_mut("o-ann").expect("an order").state = state.to_owned();
            found.rows.retain(|row| row.outcome != "paid");
        })
    };
    assert_eq!(judged(When::Before, "expired"), (0, 0, 0));
    assert_eq!(judged(When::Before, "held"), (1, 0, 0));
    assert_eq!(judged(When::After, "held"), (0, 0, 0));
    assert_eq!(judged(When::After, "expired"), (1, 0, 0));
    for state in ["held", "expired"] {
        assert_eq!(judged(When::Meanwhile, state), (0, 0, 0), "{state}");
    }
}
