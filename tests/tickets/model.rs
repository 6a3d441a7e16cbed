//! Random reservations, payments, extensions, cancellations of orders and of parts, blocks and clock moves, against a
//! plain Rust model of what must happen.

use super::{reference, small, terms, tickets_on};
use crate::support::{
    property::{holds_async, runtime},
    redis::{Raw, TestRedis},
    sale::START,
};
use engine::ticket::{scripts::key, service::Tickets};
use futures::future::join_all;
use model::{
    Cents, Millis,
    error::{Code, Error},
    ticket::{
        Blocked, Cancellation, Cancelled, Extended, HeldSeat, LargestGroup, Left, Order, OrderState, Outcome, Paid,
        Pick, SeatInState, SeatRequest, Seating, Terms, Unblocked,
        hall::{Hall, Layout, rows::RowLayout},
        index,
        seats::SeatState,
    },
};
use proptest::{collection::vec, prelude::*, test_runner::TestCaseError};
use std::collections::{BTreeMap, HashSet};

const HOLD: Millis = 60_000;
const LIMIT: u32 = 6;
const PRICES: [Cents; 2] = [500, 300];

/// One thing that happens.
#[derive(Clone, Debug)]
enum Step {
    /// Attempts in one batch: user, request id, what is wanted.
    Reserve(Vec<(u8, u8, Want)>),
    /// One of the orders so far.
    Pay(u8),
    Cancel(u8),
    /// Of one of the orders so far, the seats at these places of those that it was made with; under a request id, or
    /// under none.
    CancelPart(u8, HashSet<u8>, Option<u8>),
    /// One of the orders so far, by a request id.
    Extend(u8, u8),
    Wait(Millis),
    Expire,
    /// Whether seats, by their numbers, are blocked or unblocked; the request id.
    Block(bool, HashSet<u8>, u8),
}

#[derive(Clone, Debug, PartialEq)]
enum Want {
    /// Seats by their numbers.
    Seats(HashSet<u8>),
    /// Near and far seats; how they are seated.
    Pick(u8, u8, Seating),
}

/// The small hall with an aisle in one row, and in another one a gap in place of a seat more.
fn divided() -> Layout {
    let mut layout = small();
    let rows = &mut layout.sections[0].rows;
    rows[1].aisles = vec![3];
    rows[2] = RowLayout { name: Some("K".to_owned()), gaps: vec![5], ..8_u16.into() };
    layout
}

fn want() -> impl Strategy<Value = Want> {
    prop_oneof![
        1 => proptest::collection::hash_set(0..34_u8, 1..4).prop_map(Want::Seats),
        3 => (0..5_u8, 0..5_u8, proptest::sample::select(Seating::ALL.to_vec()))
            .prop_filter("something", |(near, far, _)| near + far > 0)
            .prop_map(|(near, far, seating)| Want::Pick(near, far, seating)),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => vec((0..8_u8, 0..40_u8, want()), 1..8).prop_map(Step::Reserve),
        2 => any::<u8>().prop_map(Step::Pay),
        2 => any::<u8>().prop_map(Step::Cancel),
        4 => (any::<u8>(), proptest::collection::hash_set(0..4_u8, 1..3), proptest::option::of(0..3_u8))
            .prop_map(|(which, places, request)| Step::CancelPart(which, places, request)),
        2 => (any::<u8>(), 0..2_u8).prop_map(|(which, request)| Step::Extend(which, request)),
        1 => (1..HOLD).prop_map(Step::Wait),
        1 => Just(Step::Expire),
        2 => (any::<bool>(), proptest::collection::hash_set(0..34_u8, 1..4), 0..12_u8)
            .prop_map(|(blocks, seats, request)| Step::Block(blocks, seats, request)),
    ]
}

#[derive(Clone, Debug)]
struct Held {
    user: u8,
    request: u8,
    /// As Redis calls it.
    id: String,
    state: OrderState,
    due: Millis,
    seats: Vec<u32>,
    /// The parts that came back: the request id, if it had one, and the seats.
    parts: Vec<(Option<u8>, Vec<u32>)>,
    extended_by: Option<u8>,
    /// What was asked for.
    want: Want,
    /// Its payment was accepted.
    was_paid: bool,
}

impl Held {
    fn goes_on(&self) -> bool {
        matches!(self.state, OrderState::Held | OrderState::Paid)
    }

    /// The seats that did not come back with a part.
    fn left(&self) -> Vec<u32> {
        let is_back = |seat: &u32| self.parts.iter().any(|(_, seats)| seats.contains(seat));
        self.seats.iter().copied().filter(|seat| !is_back(seat)).collect()
    }

    /// The seats that it has, or had when it ended.
    fn has(&self) -> Vec<u32> {
        let left = self.left();
        match self.parts.last() {
            Some((_, last)) if left.is_empty() => last.clone(),
            _ => left,
        }
    }
}

/// The expected state. Written for readability, not for speed.
struct Model {
    hall: Hall,
    now: Millis,
    orders: Vec<Held>,
    blocked: HashSet<u32>,
    /// What operators have changed: the request id, whether seats were blocked, and which.
    changes: Vec<(u8, bool, Vec<u32>)>,
}

impl Model {
    fn holder(&self, number: u32) -> Option<&Held> {
        let holds = |order: &&Held| order.goes_on() && order.has().contains(&number);
        self.orders.iter().find(holds)
    }

    fn is_free(&self, number: u32) -> bool {
        self.holder(number).is_none() && !self.blocked.contains(&number)
    }

    fn state(&self, number: u32) -> SeatState {
        match self.holder(number).map(|order| order.state) {
            Some(OrderState::Held) => SeatState::Held,
            Some(_) => SeatState::Sold,
            None if self.blocked.contains(&number) => SeatState::Blocked,
            None => SeatState::Free,
        }
    }

    /// Blocks or unblocks seats: whether this is a repeat, or the seats in other states. An error if the request id
    /// was used for something else.
    fn change_seats(&mut self, blocks: bool, seats: &[u32], request: u8) -> Option<(bool, Vec<SeatInState>)> {
        if let Some((_, first, theirs)) = self.changes.iter().find(|(other, ..)| *other == request) {
            return (*first == blocks && theirs == seats).then_some((true, Vec::new()));
        }
        let must = if blocks { SeatState::Free } else { SeatState::Blocked };
        let others = seats.iter().filter(|seat| self.state(**seat) != must);
        let others: Vec<_> =
            others.map(|seat| SeatInState { seat: self.ids(&[*seat]).remove(0), state: self.state(*seat) }).collect();
        if others.is_empty() {
            for seat in seats {
                if blocks {
                    self.blocked.insert(*seat)
                } else {
                    self.blocked.remove(seat)
                };
            }
            self.changes.push((request, blocks, seats.to_vec()));
        }
        Some((false, others))
    }

    fn ids(&self, numbers: &[u32]) -> Vec<String> {
        numbers.iter().map(|number| self.hall.id(self.hall.seat(*number).expect("a seat"))).collect()
    }

    fn reported(&self, order: &Held) -> Order {
        Order {
            order: order.id.clone(),
            state: order.state,
            seats: self.ids(&order.has()),
            cents: self.cents(&order.has()),
            held_until: order.due,
            extendable: order.state == OrderState::Held && order.extended_by.is_none(),
            together: self.are_together(order),
        }
    }

    fn cents(&self, seats: &[u32]) -> Cents {
        seats.iter().map(|seat| PRICES[usize::from(!self.hall.categories[0].seats.contains(seat))]).sum()
    }

    fn cancellation(&self, order: &Held, seats: &[u32]) -> Cancellation {
        let (cancelled_seats, cancelled_cents) = (self.ids(seats), self.cents(seats));
        Cancellation { order: self.reported(order), cancelled_seats, cancelled_cents }
    }

    /// The answer to a cancellation of some seats of an order, or the field of the error.
    fn cancel_part(&mut self, at: usize, seats: &[u32], request: Option<u8>) -> Result<Cancelled, &'static str> {
        let order = &self.orders[at];
        let are_same = |others: &[u32]| others.len() == seats.len() && others.iter().all(|seat| seats.contains(seat));
        let by_id = order.parts.iter().find(|(id, _)| id.is_some() && *id == request);
        if by_id.is_some_and(|(_, others)| !are_same(others)) {
            return Err("request_id");
        }
        if let Some((_, back)) = by_id.or_else(|| order.parts.iter().find(|(_, others)| are_same(others))) {
            return Ok(Cancelled::Repeat(self.cancellation(order, back)));
        }
        if !order.goes_on() {
            return Ok(Cancelled::Repeat(self.cancellation(order, &[])));
        }
        let has = order.has();
        if seats.iter().any(|seat| !has.contains(seat)) {
            return Err("seats");
        }
        let back: Vec<u32> = has.iter().copied().filter(|seat| seats.contains(seat)).collect();
        let was_paid = order.state == OrderState::Paid;
        let order = &mut self.orders[at];
        order.parts.push((request, back.clone()));
        if back.len() == has.len() {
            order.state = if was_paid { OrderState::Refunded } else { OrderState::Cancelled };
        }
        let cancellation = self.cancellation(&self.orders[at], &back);
        Ok(if was_paid { Cancelled::Refunded(cancellation) } else { Cancelled::Cancelled(cancellation) })
    }

    /// The answer to an extension.
    fn extend(&mut self, at: usize, request: u8) -> Extended {
        let order = &mut self.orders[at];
        let answer: fn(Order) -> Extended = match order.extended_by {
            Some(first) if first == request => Extended::Repeat,
            _ if order.state != OrderState::Held || self.now >= order.due => Extended::Late,
            Some(_) => Extended::AlreadyExtended,
            None => {
                order.due += HOLD;
                order.extended_by = Some(request);
                Extended::Extended
            }
        };
        answer(self.reported(&self.orders[at]))
    }

    fn seat_request(&self, want: &Want) -> SeatRequest {
        match want {
            Want::Seats(numbers) => {
                let numbers: Vec<u32> = sorted(numbers);
                SeatRequest { seats: self.ids(&numbers), ..SeatRequest::default() }
            }
            Want::Pick(near, far, seating) => {
                let pick = |category: &str, count: u8| Pick {
                    category: category.to_owned(),
                    count: u32::from(count),
                    adjacent: *seating != Seating::Anywhere,
                    strict: *seating == Seating::Strict,
                };
                let picks = [pick("near", *near), pick("far", *far)];
                SeatRequest {
                    pick: picks.into_iter().filter(|pick| pick.count > 0).collect(),
                    ..SeatRequest::default()
                }
            }
        }
    }

    /// The largest group in the category of a strict pick that does not fit side by side.
    fn split(&self, pick: &Pick) -> Option<LargestGroup> {
        let category = self.hall.categories.iter().find(|it| it.name == pick.category).expect("it");
        let largest = reference::largest_group(&self.hall, category, |seat| self.is_free(seat));
        (pick.strict && largest < pick.count).then(|| LargestGroup { category: pick.category.clone(), largest })
    }

    /// Whether the seats of each category are side by side; `None` if they need not be.
    fn are_together(&self, order: &Held) -> Option<bool> {
        let Want::Pick(_, _, Seating::Adjacent | Seating::Strict) = order.want else { return None };
        let mut seats = order.has();
        seats.sort_unstable();
        let row = |number: u32| self.hall.seat(number).expect("a seat").row;
        let category = |number: u32| self.hall.rows[row(number) as usize].category;
        let are_apart = |pair: &[u32]| pair[0] + 1 != pair[1] || row(pair[0]) != row(pair[1]);
        Some(!seats.windows(2).any(|pair| category(pair[0]) == category(pair[1]) && are_apart(pair)))
    }

    /// The answer to one attempt; `id` is what the order is called if there is one.
    fn reserve(&mut self, user: u8, request: u8, want: &Want, id: &str) -> Option<Outcome> {
        if let Some(first) = self.orders.iter().find(|order| order.request == request) {
            // A request id of another user, or of a different request, is an error.
            return (first.user == user && first.want == *want).then(|| Outcome::Repeat(self.reported(first)));
        }
        let seat_request = self.seat_request(want);
        let has: usize = self
            .orders
            .iter()
            .filter(|order| order.user == user && order.goes_on())
            .map(|order| order.has().len())
            .sum();
        if has + seat_request.count() > LIMIT as usize {
            return Some(Outcome::LimitReached { left: LIMIT - has as u32 });
        }
        let seats = match want {
            Want::Seats(numbers) => {
                let numbers = sorted(numbers);
                let taken: Vec<u32> = numbers.iter().copied().filter(|number| !self.is_free(*number)).collect();
                if !taken.is_empty() {
                    let held = taken.iter().filter_map(|number| {
                        let order = self.holder(*number).filter(|order| order.state == OrderState::Held)?;
                        Some(HeldSeat { seat: self.ids(&[*number]).remove(0), held_until: order.due })
                    });
                    return Some(Outcome::SeatTaken { held: held.collect(), seats: self.ids(&taken) });
                }
                numbers
            }
            Want::Pick(..) => {
                let mut seats = Vec::new();
                let mut left = Vec::new();
                for pick in &seat_request.pick {
                    let category = self.hall.categories.iter().find(|it| it.name == pick.category).expect("it");
                    match reference::best(&self.hall, category, pick.count, pick.adjacent, |seat| self.is_free(seat)) {
                        Some(found) => seats.extend(found.into_iter().map(|seat| self.hall.number(seat))),
                        None => {
                            let count = category.seats.clone().filter(|seat| self.is_free(*seat)).count();
                            left.push(Left { category: pick.category.clone(), left: count as u32 });
                        }
                    }
                }
                if !left.is_empty() {
                    return Some(Outcome::NotEnoughSeats { left });
                }
                let groups: Vec<LargestGroup> = seat_request.pick.iter().filter_map(|pick| self.split(pick)).collect();
                if !groups.is_empty() {
                    return Some(Outcome::NotTogether { groups });
                }
                seats
            }
        };
        let order = Held {
            user,
            request,
            id: id.to_owned(),
            state: OrderState::Held,
            due: self.now + HOLD,
            seats,
            parts: Vec::new(),
            extended_by: None,
            want: want.clone(),
            was_paid: false,
        };
        let reported = self.reported(&order);
        self.orders.push(order);
        Some(Outcome::Held(reported))
    }
}

fn sorted(numbers: &HashSet<u8>) -> Vec<u32> {
    let mut numbers: Vec<u32> = numbers.iter().map(|number| u32::from(*number)).collect();
    numbers.sort_unstable();
    numbers
}

/// Refusals name categories in whatever order.
fn settled(mut outcome: Option<Outcome>) -> Option<Outcome> {
    if let Some(Outcome::NotEnoughSeats { left }) = &mut outcome {
        left.sort_by(|a, b| a.category.cmp(&b.category));
    }
    outcome
}

async fn take(
    step: &Step,
    model: &mut Model,
    sales: &Tickets,
    time: &store::runtime::ManualClock,
) -> Result<(), TestCaseError> {
    match step {
        Step::Reserve(attempts) => {
            let answers = attempts.iter().map(|(user, request, want)| {
                sales.reserve("s", format!("u{user}"), Some(format!("r{request}")), model.seat_request(want))
            });
            let answers = join_all(answers).await;
            for ((user, request, want), answer) in attempts.iter().zip(answers) {
                let answer = answer.ok();
                let id = match &answer {
                    Some(Outcome::Held(order)) => order.order.clone(),
                    _ => String::new(),
                };
                prop_assert_eq!(settled(answer), settled(model.reserve(*user, *request, want, &id)));
            }
        }
        Step::CancelPart(which, ..) if model.orders.is_empty() => {
            let (seats, order) = (vec!["A-01-01".to_owned()], which.to_string());
            prop_assert!(
                sales.cancel_part("s", order, seats, String::new(), None).await.is_err(),
                "there is no such order"
            );
        }
        Step::Extend(which, _) if model.orders.is_empty() => {
            prop_assert!(
                sales.extend("s", which.to_string(), String::new(), None).await.is_err(),
                "there is no such order"
            );
        }
        Step::Pay(which) | Step::Cancel(which) if model.orders.is_empty() => {
            let (sale, order) = ("s", which.to_string());
            prop_assert!(sales.pay(sale, order, None).await.is_err(), "there is no such order");
        }
        Step::Pay(which) => {
            let at = usize::from(*which) % model.orders.len();
            let order = &mut model.orders[at];
            let was_paid = order.was_paid;
            if order.state == OrderState::Held && model.now < order.due {
                (order.state, order.was_paid) = (OrderState::Paid, true);
            }
            let order = &model.orders[at];
            let reported = model.reported(order);
            // Without a request id it is the same payment each time.
            let must = match (was_paid, order.was_paid) {
                (true, _) => Paid::Repeat(reported),
                (false, true) => Paid::Paid(reported),
                (false, false) => Paid::Refunded(reported),
            };
            let found = sales.pay("s", model.orders[at].id.clone(), None).await.expect("an answer");
            prop_assert_eq!(found, must);
        }
        Step::Cancel(which) => {
            let at = usize::from(*which) % model.orders.len();
            let was = model.orders[at].state;
            let (state, is_new) = match was {
                OrderState::Held => (OrderState::Cancelled, true),
                OrderState::Paid => (OrderState::Refunded, true),
                ended => (ended, false),
            };
            model.orders[at].state = state;
            // What expired came back by itself, and parts came back before.
            let back = if state == OrderState::Expired { Vec::new() } else { model.orders[at].left() };
            let cancellation = model.cancellation(&model.orders[at], &back);
            let must = match (is_new, state) {
                (true, OrderState::Refunded) => Cancelled::Refunded(cancellation),
                (true, _) => Cancelled::Cancelled(cancellation),
                (false, _) => Cancelled::Repeat(cancellation),
            };
            let found = sales.cancel("s", model.orders[at].id.clone(), String::new(), None).await.expect("an answer");
            prop_assert_eq!(found, must);
        }
        Step::CancelPart(which, places, request) => {
            let at = usize::from(*which) % model.orders.len();
            let order = &model.orders[at];
            let seats: Vec<u32> =
                sorted(places).into_iter().filter_map(|place| order.seats.get(place as usize).copied()).collect();
            let (id, ids) = (order.id.clone(), model.ids(&seats));
            let request_id = request.map(|request| format!("c{request}"));
            let found = sales.cancel_part("s", id, ids, String::new(), request_id).await;
            if seats.is_empty() {
                prop_assert_eq!(found.map_err(|error| error.code), Err(Code::BadRequest));
                return Ok(());
            }
            let field = |error: Error| error.field.expect("a field");
            prop_assert_eq!(found.map_err(field), model.cancel_part(at, &seats, *request).map_err(str::to_owned));
        }
        Step::Extend(which, request) => {
            let at = usize::from(*which) % model.orders.len();
            let id = model.orders[at].id.clone();
            let found = sales.extend("s", id, String::new(), Some(format!("e{request}"))).await.expect("an answer");
            prop_assert_eq!(found, model.extend(at, *request));
        }
        Step::Block(blocks, seats, request) => {
            let numbers = sorted(seats);
            // Ids in small letters are the same seats.
            let ids: Vec<String> = model.ids(&numbers).iter().map(|id| id.to_lowercase()).collect();
            let request_id = Some(format!("b{request}"));
            let must = model.change_seats(*blocks, &numbers, *request);
            let seats = model.ids(&numbers);
            if *blocks {
                let found = sales.block("s", &ids, String::new(), request_id).await.ok().map(|answer| answer.outcome);
                let must = must.map(|(is_repeat, others)| match (is_repeat, others.is_empty()) {
                    (true, _) => Blocked::Repeat { seats },
                    (false, true) => Blocked::Blocked { seats },
                    (false, false) => Blocked::NotFree { seats: others },
                });
                prop_assert_eq!(found, must);
            } else {
                let found = sales.unblock("s", &ids, String::new(), request_id).await.ok().map(|answer| answer.outcome);
                let must = must.map(|(is_repeat, others)| match (is_repeat, others.is_empty()) {
                    (true, _) => Unblocked::Repeat { seats },
                    (false, true) => Unblocked::Unblocked { seats },
                    (false, false) => Unblocked::NotBlocked { seats: others },
                });
                prop_assert_eq!(found, must);
            }
        }
        Step::Wait(millis) => {
            model.now += millis;
            time.advance(*millis);
        }
        Step::Expire => {
            let now = model.now;
            let due = |order: &&mut Held| order.state == OrderState::Held && order.due <= now;
            let ended = model.orders.iter_mut().filter(due).map(|order| order.state = OrderState::Expired).count();
            let next = model.orders.iter().filter(|order| order.state == OrderState::Held).map(|order| order.due).min();
            prop_assert_eq!(sales.expire("s").await.expect("an answer"), (ended as u64, next));
        }
    }
    Ok(())
}

/// What stands in Redis is what the model says, the index of free seats included.
async fn compare(redis: &Raw, model: &Model) -> Result<(), TestCaseError> {
    let seats: Vec<u8> = redis.run("GET", key("s", "seats")).await;
    let must: Vec<u8> = (0..model.hall.seats()).map(|number| model.state(number).byte()).collect();
    prop_assert_eq!(&seats, &must);

    let holders: BTreeMap<u32, String> = redis.run("HGETALL", key("s", "holders")).await;
    let held = (0..model.hall.seats()).filter_map(|number| Some((number, model.holder(number)?.id.clone())));
    prop_assert_eq!(holders, held.collect::<BTreeMap<_, _>>());

    let counts: BTreeMap<String, u32> = redis.run("HGETALL", key("s", "counts")).await;
    for (c, category) in (1..).zip(&model.hall.categories) {
        for (name, sign) in [("free", b'0'), ("held", b'1'), ("sold", b'2'), ("blocked", b'3')] {
            let seats = category.seats.clone().filter(|number| must[*number as usize] == sign).count();
            let found = counts.get(&format!("{name}:{c}")).copied();
            // A category without blocked seats needs no such count.
            let found = if name == "blocked" { Some(found.unwrap_or(0)) } else { found };
            prop_assert_eq!(found, Some(seats as u32), "{}:{}", name, c);
        }
    }

    let due: BTreeMap<String, Millis> = redis
        .run::<Vec<(String, Millis)>>("ZRANGE", (key("s", "deadlines"), 0, -1, "WITHSCORES"))
        .await
        .into_iter()
        .collect();
    let held = model.orders.iter().filter(|order| order.state == OrderState::Held);
    prop_assert_eq!(due, held.map(|order| (order.id.clone(), order.due)).collect::<BTreeMap<_, _>>());

    let index: Vec<u8> = redis.run("GET", key("s", "free")).await;
    prop_assert_eq!(index, index_of(&model.hall, &must));
    Ok(())
}

/// The index as it must be, from the seats.
fn index_of(hall: &Hall, seats: &[u8]) -> Vec<u8> {
    let categories = index::categories(hall, &PRICES);
    let mut index = vec![0_u8; index::free(hall, &categories, &[]).len()];
    for category in &categories {
        for at in 0..category.rows {
            let row = hall.rows[(category.first_row + at) as usize];
            let seats = &seats[row.first_seat as usize..][..usize::from(row.seats)];
            let gaps: Vec<usize> = seats.split(|sign| *sign != b'0').map(<[u8]>::len).filter(|gap| *gap > 0).collect();
            for group in 1..=index::LARGEST_GROUP {
                let answers = [
                    gaps.iter().any(|gap| *gap == group || *gap >= group + 2),
                    gaps.iter().any(|gap| *gap >= group),
                    gaps.iter().sum::<usize>() >= group,
                ];
                for (kind, yes) in answers.into_iter().enumerate() {
                    let question = kind * index::LARGEST_GROUP + group - 1;
                    let byte = category.first_byte as usize + question * category.bytes as usize + at as usize / 8;
                    index[byte] |= u8::from(yes) << (7 - at % 8);
                }
            }
        }
    }
    index
}

#[test]
fn seats_and_orders_always_follow_the_model() {
    let runtime = runtime();
    let (raw, store, ledger, _redis) = runtime.block_on(async {
        let redis = TestRedis::start().await;
        (redis.raw().await, redis.store().await, super::ledger(&redis).await, redis)
    });
    holds_async(96, (any::<bool>(), vec(step(), 1..40)), &runtime, async |(is_divided, steps)| {
        raw.run::<()>("FLUSHALL", "SYNC").await;
        let (sales, time) = tickets_on(store.clone(), ledger.clone());
        let layout = if is_divided { divided() } else { small() };
        sales.open(Terms { extendable: true, ..terms("s", layout.clone()) }).await.expect("a sale");
        let mut model = Model {
            hall: Hall::new(layout).expect("a hall"),
            now: START,
            orders: Vec::new(),
            blocked: HashSet::new(),
            changes: Vec::new(),
        };
        for step in &steps {
            take(step, &mut model, &sales, &time).await?;
            compare(&raw, &model).await?;
        }
        Ok(())
    });
}

/// Neighbouring rows go into the index together, thirty-two at most.
#[tokio::test]
async fn a_hundred_rows_that_fill_and_empty_at_once_are_all_in_the_index() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let (sales, _) = super::tickets(&redis).await;
    let mut layout = small();
    layout.sections[0].rows = vec![2_u16.into(); 100];
    sales.open(terms("s", layout.clone())).await.expect("a sale");
    let hall = Hall::new(layout).expect("a hall");
    let pick = vec![Pick { category: "near".to_owned(), count: 2, adjacent: true, strict: false }];
    let users = (0..100).map(|user| {
        let seat_request = SeatRequest { pick: pick.clone(), ..SeatRequest::default() };
        sales.reserve("s", format!("u{user}"), None, seat_request)
    });
    let mut orders = Vec::new();
    for outcome in join_all(users).await {
        let Ok(Outcome::Held(order)) = outcome else { panic!("{outcome:?}") };
        orders.push(order.order);
    }
    for signs in [[b'1'; 200], [b'0'; 200]] {
        let seats: Vec<u8> = raw.run("GET", key("s", "seats")).await;
        assert_eq!(seats[..200], signs);
        let index: Vec<u8> = raw.run("GET", key("s", "free")).await;
        assert!(index == index_of(&hall, &seats), "the index is not that of the seats");
        join_all(orders.iter().map(|order| sales.cancel("s", order.clone(), String::new(), None))).await;
    }
}
