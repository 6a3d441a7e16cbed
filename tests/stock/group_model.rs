//! Sales of a group against a model: random attempts at one, two or three of them, returns and confirmations of one or of
//! all, sweeps, closing, caches that expire, a late writer, other servers, and sales that Redis loses, with or without
//! the record of their group. Some sales have limits, some hold. The model is a number and the requests of each sale. Each
//! answer is the model's, and after each loss and at the end, each audit holds.

use super::{stock, terms};
use crate::support::{app::TestApp, redis::TestRedis, sale::clock};
use engine::{expiry::Expires, kind::KindService, stock::scripts::PARTS};
use ledger::kind::DeadLetters;
use model::{
    Millis, Verdict,
    error::Code,
    stock::{
        ConfirmAnswer, Confirmed, DeductAnswer, DeductedItem, DeductionState, GivenBack, Item, ItemsConfirmed,
        ItemsReturned, ItemsWon, Outcome, Return, ReturnAnswer, Terms,
    },
};
use rand::{Rng, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use std::{collections::BTreeMap, time::Duration};
use store::{keys, runtime::Clock};

const STEPS: usize = 250;
const SALES: [&str; 3] = ["a", "b}:c", "小"];
const GROUP: &str = "g{}:1";

#[derive(Clone)]
struct Request {
    user: String,
    quantity: u64,
    left: u64,
    state: DeductionState,
    due: Option<Millis>,
}

impl Request {
    fn has_units(&self) -> bool {
        !matches!(self.state, DeductionState::Returned | DeductionState::Expired)
    }

    fn is_late(&self, now: Millis) -> bool {
        self.state == DeductionState::Expired
            || self.state == DeductionState::Held && self.due.is_some_and(|due| now >= due)
    }
}

#[derive(Default)]
struct Sale {
    left: u64,
    limit: Option<u64>,
    hold_ms: Option<Millis>,
    closed_at: Option<Millis>,
    requests: BTreeMap<String, Request>,
}

impl Sale {
    fn more(&self, user: &str) -> Option<u64> {
        let of_user = self.requests.values().filter(|request| request.user == user && request.has_units());
        Some(self.limit? - of_user.map(|request| request.quantity).sum::<u64>())
    }

    /// Why a new item cannot be had.
    fn refusal(&self, user: &str, quantity: u64) -> Option<Outcome> {
        if let Some(closed_at) = self.closed_at {
            return Some(Outcome::Closed { closed_at });
        }
        if let Some(left) = self.more(user).filter(|more| quantity > *more) {
            return Some(Outcome::LimitReached { left });
        }
        (quantity > self.left).then_some(Outcome::NotEnough { left: self.left })
    }

    fn deduct(&mut self, user: &str, request: &str, quantity: u64, now: Millis) {
        self.left -= quantity;
        let due = self.hold_ms.map(|hold_ms| now + hold_ms);
        let state = if due.is_some() { DeductionState::Held } else { DeductionState::Deducted };
        let made = Request { user: user.to_owned(), quantity, left: self.left, state, due };
        self.requests.insert(request.to_owned(), made);
    }

    /// Ends a request, whose units come back.
    fn end(&mut self, request: &str, state: DeductionState) {
        let request = self.requests.get_mut(request).expect("a request");
        request.state = state;
        self.left += request.quantity;
    }

    fn expire(&mut self, now: Millis) {
        let is_due = |request: &Request| request.state == DeductionState::Held && request.is_late(now);
        let due = self.requests.iter().filter(|(_, request)| is_due(request)).map(|(id, _)| id.clone());
        for id in due.collect::<Vec<_>>() {
            self.end(&id, DeductionState::Expired);
        }
    }
}

type Model = BTreeMap<&'static str, Sale>;

/// The model's answer to an attempt at several items; `None` if its request id was used for something else.
fn deducted(
    model: &mut Model,
    user: &str,
    request: &str,
    items: &[(&'static str, u64)],
    now: Millis,
) -> Option<DeductAnswer> {
    let known = |model: &Model, sale: &str| model[sale].requests.get(request).cloned();
    let is_new = items.iter().any(|(sale, _)| known(model, sale).is_none());
    for (sale, quantity) in items {
        match known(model, sale) {
            Some(known) if known.user != user || known.quantity != *quantity || is_new && !known.has_units() => {
                return None;
            }
            Some(_) => {}
            None => {
                if let Some(outcome) = model[sale].refusal(user, *quantity) {
                    return Some(DeductAnswer::Refused { refused_by: (*sale).to_owned(), outcome });
                }
            }
        }
    }
    for (sale, quantity) in items {
        if known(model, sale).is_none() {
            model.get_mut(sale).expect("a sale").deduct(user, request, *quantity, now);
        }
    }
    let item = |(sale, quantity): &(&str, u64)| {
        let Request { left, state, due, .. } = known(model, sale).expect("a request");
        DeductedItem { sale: (*sale).to_owned(), quantity: *quantity, left, state, due }
    };
    let outcome = if is_new { ItemsWon::Won } else { ItemsWon::Repeat };
    Some(DeductAnswer::Items { outcome, items: items.iter().map(item).collect() })
}

fn confirmed(model: &mut Model, request: &str, sales: &[&'static str], now: Millis) -> ConfirmAnswer {
    let mut outcome = ItemsConfirmed::Repeat;
    let mut of = String::new();
    for sale in sales {
        let refused = |outcome| ConfirmAnswer::Refused { refused_by: (*sale).to_owned(), outcome };
        let Some(known) = model[sale].requests.get(request) else { return refused(Confirmed::UnknownRequest) };
        let user = known.user.clone();
        if known.is_late(now) {
            return refused(Confirmed::Late { user, due: known.due.unwrap_or_default() });
        }
        match known.state {
            DeductionState::Returned => return refused(Confirmed::Returned { user }),
            DeductionState::Held => outcome = ItemsConfirmed::Confirmed,
            _ => {}
        }
        if of.is_empty() {
            of = user;
        }
    }
    let mut items = Vec::new();
    for sale in sales {
        let known = model.get_mut(sale).and_then(|sale| sale.requests.get_mut(request)).expect("a request");
        if known.state == DeductionState::Held {
            known.state = DeductionState::Confirmed;
        }
        items.push(Item { sale: (*sale).to_owned(), quantity: known.quantity });
    }
    ConfirmAnswer::Items { outcome, user: of, items }
}

fn returned(model: &mut Model, request: &str, sales: &[&'static str]) -> ReturnAnswer {
    if let Some(sale) = sales.iter().find(|sale| !model[*sale].requests.contains_key(request)) {
        return ReturnAnswer::Refused { refused_by: (*sale).to_owned(), outcome: GivenBack::UnknownRequest };
    }
    let (mut outcome, mut items, mut user) = (ItemsReturned::Repeat, Vec::new(), String::new());
    for id in sales {
        let sale = model.get_mut(id).expect("a sale");
        let known = sale.requests[request].clone();
        let quantity = if known.has_units() { known.quantity } else { 0 };
        if quantity > 0 {
            outcome = ItemsReturned::Returned;
            sale.end(request, DeductionState::Returned);
        }
        user = known.user;
        items.push(Item { sale: (*id).to_owned(), quantity });
    }
    ReturnAnswer::Items { outcome, user, items }
}

async fn play(seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let redis = TestRedis::start().await;
    let (raw, time) = (redis.raw().await, clock());
    let mut app = TestApp::at(&redis, &redis.url(), time.clone(), seed).await;
    let mut sales = stock(&app);
    let mut writer = app.writer("one");
    let mut model = Model::new();
    for sale in SALES {
        let left = random.random_range(20..200);
        let limit = random.random_bool(0.5).then_some(30);
        let hold_s = random.random_bool(0.5).then_some(20);
        let group = Some(GROUP.to_owned());
        let terms = Terms { sale: sale.to_owned(), limit_per_user: limit, hold_s, group, ..terms(left) };
        sales.open(terms).await.expect("a sale");
        let hold_ms = hold_s.map(|hold_s| hold_s as Millis * 1_000);
        model.insert(sale, Sale { left, limit, hold_ms, ..Sale::default() });
    }
    let key = |sale: &str, part: &str| keys::sale_of_group("stock", GROUP, sale, part);
    let mut won = 0;
    for step in 0..STEPS {
        let at = format!("seed {seed}, step {step}");
        time.advance(random.random_range(0..2_000));
        let now = time.now();
        let request = format!("r{}", random.random_range(0..60));
        let mut chosen = SALES;
        chosen.shuffle(&mut random);
        let several: &[&'static str] = &chosen[..random.random_range(2..=3)];
        let one = chosen[0];
        match random.random_range(0..100) {
            0..40 => {
                let user = format!("u{}", random.random_range(0..4));
                let items: Vec<(&'static str, u64)> =
                    several.iter().map(|sale| (*sale, random.random_range(1..=4))).collect();
                let sent = items.iter().map(|(sale, quantity)| Item { sale: (*sale).to_owned(), quantity: *quantity });
                let answer = sales.deduct_items(sent.collect(), user.clone(), Some(request.clone())).await;
                let expected = deducted(&mut model, &user, &request, &items, now).ok_or(Code::RequestReused);
                won += u32::from(matches!(expected, Ok(DeductAnswer::Items { outcome: ItemsWon::Won, .. })));
                assert_eq!(answer.map_err(|error| error.code), expected, "{at}: {items:?}");
            }
            40..50 => {
                // At one of them alone.
                let (user, quantity) = (format!("u{}", random.random_range(0..4)), random.random_range(1..=4));
                let answer = sales.deduct(one, user.clone(), quantity, Some(request.clone())).await;
                let sale = model.get_mut(one).expect("a sale");
                match (sale.requests.contains_key(&request), sale.refusal(&user, quantity)) {
                    (true, _) => assert!(
                        matches!(&answer, Ok(Outcome::Repeat { .. }))
                            || answer.is_err_and(|error| error.code == Code::RequestReused),
                        "{at}"
                    ),
                    (false, Some(refusal)) => assert_eq!(answer, Ok(refusal), "{at}"),
                    (false, None) => {
                        sale.deduct(&user, &request, quantity, now);
                        assert!(matches!(answer, Ok(Outcome::Won { .. } | Outcome::Held { .. })), "{at}: {answer:?}");
                    }
                }
            }
            50..58 => {
                let ids: Vec<String> = several.iter().map(|sale| (*sale).to_owned()).collect();
                let answer = sales.confirm_items(&ids, String::new(), request.clone()).await.expect("an answer");
                assert_eq!(answer, confirmed(&mut model, &request, several, now), "{at}");
            }
            58..66 => {
                let ids: Vec<String> = several.iter().map(|sale| (*sale).to_owned()).collect();
                let answer = sales.give_back_items(&ids, Return::of_all(request.clone())).await.expect("an answer");
                assert_eq!(answer, returned(&mut model, &request, several), "{at}");
            }
            66..72 => {
                sales.expire_due(one, now).await.expect("a sweep");
                model.get_mut(one).expect("a sale").expire(now);
            }
            72..76 => {
                sales.restock(one, 5, None).await.expect("an outcome");
                let sale = model.get_mut(one).expect("a sale");
                sale.left += if sale.closed_at.is_none() { 5 } else { 0 };
            }
            76..82 => drop(sales.expire(one).await.expect("expired")),
            82..88 => drop(writer.step(Duration::ZERO).await.expect("the ledger")),
            88..91 => {
                writer.give_up().await;
                app = TestApp::at(&redis, &redis.url(), time.clone(), seed + 1_000 + step as u64).await;
                sales = stock(&app);
                writer = app.writer("one");
            }
            91..92 if step > STEPS / 2 => {
                sales.close(one).await.expect("closed");
                model.get_mut(one).expect("a sale").closed_at.get_or_insert(now);
            }
            92..97 => {
                // Redis loses everything of a sale that the ledger has.
                writer.catch_up().await.expect("the ledger");
                raw.run::<i64>("DEL", PARTS.map(|part| key(one, part)).to_vec()).await;
                if random.random() {
                    raw.run::<i64>("DEL", keys::sale("stock", one, "meta")).await;
                }
                let recovered = sales.recover(one, DeadLetters::Refuse).await.expect("recovered");
                let sale = &model[one];
                let expected = (sale.requests.len() as u64, sale.left, 0);
                assert_eq!((recovered.won, recovered.waiting, recovered.conflicts.len()), expected, "{at}");
                let audit = sales.audit(one).await.expect("an audit");
                assert_eq!(audit.verdict, Verdict::Holds, "{at}: {audit:?}");
            }
            _ => {
                let snapshot = sales.snapshot(one).await.expect("a snapshot");
                assert_eq!(snapshot.left, model[one].left, "{at}");
            }
        }
    }
    writer.catch_up().await.expect("the ledger");
    for (sale, of_model) in &model {
        let audit = sales.audit(sale).await.expect("an audit");
        assert_eq!(audit.verdict, Verdict::Holds, "seed {seed}, {sale}: {audit:?}");
        let known = app.ledger.sale("stock", sale).await.expect("the ledger").expect("a sale");
        assert_eq!((known.quantity, known.dead_letters), (of_model.left.cast_signed(), 0), "seed {seed}, {sale}");
    }
    assert!(won > 10, "seed {seed} plays: {won}");
}

#[tokio::test]
async fn every_answer_is_the_models() {
    for seed in 1..=8 {
        play(seed).await;
    }
}
