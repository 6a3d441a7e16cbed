//! Stock against a model: random deductions, returns of all or a part, confirmations, restocks, corrections, pauses with
//! and without a standing hold time, closing, with and without a limit and reservations, which expire; the cache expires, the ledger's
//! writer is late, is paused, or has its batches refused, servers are restarted, and Redis loses what the ledger has.
//! The model is a number and a list of requests. Each answer is the model's; after each step the ledger has the quantity
//! that the model had at the ledger's position; and every 25 steps and at the end the audit holds.

use super::{cached, stock, terms};
use crate::support::{
    app::TestApp,
    ledger::sqlite,
    redis::{Raw, TestRedis},
    sale::clock,
};
use engine::{
    expiry::Expires,
    kind::KindService,
    stock::scripts::{PARTS, key},
};
use ledger::kind::DeadLetters;
use model::{
    EventId, Millis, Verdict,
    error::Code,
    ledger::Search,
    life::{HoldClock, Paused, Resumed},
    stock::{Adjusted, Confirmed, DeductionState, GivenBack, Outcome, Return, Terms, outcome},
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sqlx::Executor;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Duration,
};
use store::runtime::Clock;

const STEPS: usize = 250;

#[derive(Clone)]
struct Request {
    user: String,
    quantity: u64,
    left: u64,
    state: DeductionState,
    /// The deadline of a reservation, in hold time.
    due: Option<Millis>,
    /// Id and quantity of each return, oldest first.
    returns: Vec<(String, u64)>,
}

impl Request {
    fn kept(&self) -> u64 {
        match self.state {
            DeductionState::Returned | DeductionState::Expired => 0,
            _ => self.quantity - self.returns.iter().map(|(_, quantity)| quantity).sum::<u64>(),
        }
    }
}

#[derive(Default)]
struct Model {
    left: u64,
    is_closed: bool,
    /// Since when the sale is paused, if it is, and whether hold time stands meanwhile.
    pause: Option<(Millis, bool)>,
    /// The length of all earlier pauses in which hold time stood.
    lag: Millis,
    limit: Option<u64>,
    hold_ms: Option<Millis>,
    requests: HashMap<String, Request>,
}

impl Model {
    /// By how much hold time is behind.
    fn lag(&self, now: Millis) -> Millis {
        match self.pause {
            Some((since, true)) => self.lag + (now - since).max(0),
            _ => self.lag,
        }
    }

    /// The deadline by the clock, which moves as long as the reservation is held.
    fn due(&self, request: &Request, now: Millis) -> Option<Millis> {
        let lag = if request.state == DeductionState::Held { self.lag(now) } else { 0 };
        request.due.map(|due| due + lag)
    }

    fn end_pause(&mut self, now: Millis) {
        self.lag = self.lag(now);
        self.pause = None;
    }

    fn units_of(&self, user: &str) -> u64 {
        self.requests.values().filter(|request| request.user == user).map(Request::kept).sum()
    }

    fn held(&self) -> u64 {
        let held = self.requests.values().filter(|request| request.state == DeductionState::Held);
        held.map(Request::kept).sum()
    }

    fn deducted(&mut self, user: &str, request: &str, quantity: u64, now: Millis, answer: Result<Outcome, Code>) {
        let more = self.limit.map(|limit| limit - self.units_of(user));
        let expected = match self.requests.get(request) {
            Some(known) if known.user != user || known.quantity != quantity => Err(Code::RequestReused),
            Some(known) => Ok(Outcome::Repeat { left: known.left, state: known.state, due: self.due(known, now) }),
            None if self.is_closed => {
                assert!(matches!(answer, Ok(Outcome::Closed { .. })), "{answer:?}");
                return;
            }
            None if self.pause.is_some() => {
                assert!(matches!(answer, Ok(Outcome::Paused { .. })), "{answer:?}");
                return;
            }
            None if more.is_some_and(|more| quantity > more) => {
                Ok(Outcome::LimitReached { left: more.unwrap_or_default() })
            }
            None if quantity > self.left => Ok(Outcome::NotEnough { left: self.left }),
            None => {
                self.left -= quantity;
                let (left, due) = (self.left, self.hold_ms.map(|hold_ms| now - self.lag + hold_ms));
                let state = if due.is_some() { DeductionState::Held } else { DeductionState::Deducted };
                let made = Request { user: user.to_owned(), quantity, left, state, due, returns: Vec::new() };
                self.requests.insert(request.to_owned(), made);
                Ok(due.map_or(Outcome::Won { left }, |due| Outcome::Held { left, due: due + self.lag }))
            }
        };
        assert_eq!(answer, expected, "{request} of {user} for {quantity}");
    }

    fn returned(&mut self, made: &Return, answer: Result<GivenBack, Code>) {
        let Some(request) = self.requests.get_mut(&made.request_id) else {
            assert_eq!(answer, Ok(GivenBack::UnknownRequest), "{made:?}");
            return;
        };
        let (user, kept, id) = (request.user.clone(), request.kept(), made.return_id.clone().unwrap_or_default());
        let known =
            request.returns.iter().find(|(known, _)| !id.is_empty() && *known == id).map(|(_, quantity)| *quantity);
        let expected = match (known, made.quantity) {
            (Some(before), Some(quantity)) if quantity != before => Err(Code::RequestReused),
            (Some(quantity), _) => Ok(GivenBack::Repeat { user, quantity, kept }),
            (None, _) if request.state == DeductionState::Expired => Ok(GivenBack::Expired { user }),
            (None, None) if kept == 0 && id.is_empty() => {
                let quantity = request.returns.last().map_or(request.quantity, |(_, quantity)| *quantity);
                Ok(GivenBack::Repeat { user, quantity, kept })
            }
            (None, wanted) if kept == 0 || wanted.is_some_and(|wanted| wanted > kept) => {
                Ok(GivenBack::NotEnough { user, kept })
            }
            (None, wanted) => {
                let quantity = wanted.unwrap_or(kept);
                self.left += quantity;
                if quantity == kept {
                    request.state = DeductionState::Returned;
                }
                request.returns.push((id, quantity));
                Ok(GivenBack::Returned { user, quantity, kept: kept - quantity })
            }
        };
        assert_eq!(answer, expected, "{made:?}");
    }

    fn confirmed(&mut self, request: &str, now: Millis, answer: &Confirmed) {
        let lag = self.lag(now);
        let expected = match self.requests.get_mut(request) {
            None => Confirmed::UnknownRequest,
            Some(request) => {
                let (user, quantity, due) = (request.user.clone(), request.kept(), request.due.unwrap_or_default());
                match request.state {
                    DeductionState::Held if now - lag < due => {
                        request.state = DeductionState::Confirmed;
                        Confirmed::Confirmed { user, quantity }
                    }
                    DeductionState::Held => Confirmed::Late { user, due: due + lag },
                    DeductionState::Expired => Confirmed::Late { user, due },
                    DeductionState::Confirmed | DeductionState::Deducted => Confirmed::Repeat { user, quantity },
                    DeductionState::Returned => Confirmed::Returned { user },
                }
            }
        };
        assert_eq!(*answer, expected, "{request}");
    }

    /// Reservations that are due expire. Returns how many.
    fn expired(&mut self, now: Millis) -> u64 {
        let by = now - self.lag(now);
        let is_due =
            |request: &&mut Request| request.state == DeductionState::Held && request.due.is_some_and(|due| due <= by);
        let mut ended = 0;
        for request in self.requests.values_mut().filter(is_due) {
            self.left += request.kept();
            request.state = DeductionState::Expired;
            ended += 1;
        }
        ended
    }

    fn corrected(&mut self, counted: u64, expected: Option<i64>, answer: Adjusted) {
        let change = counted.cast_signed() - expected.unwrap_or(self.left.cast_signed());
        let right = match self.left.checked_add_signed(change) {
            _ if self.is_closed => Adjusted::Closed,
            None => Adjusted::NotEnough { left: self.left },
            Some(left) => {
                self.left = left;
                Adjusted::Corrected { left, change }
            }
        };
        assert_eq!(answer, right);
    }
}

/// The last event of the sale; `None` if its stream is empty.
async fn last_event(redis: &Raw) -> Option<EventId> {
    redis.last_entry(&key("s", "events")).await.map(|id| id.parse().expect("an event id"))
}

async fn play(seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let time = clock();
    let mut app = TestApp::at(&redis, &redis.url(), time.clone(), seed).await;
    let mut sales = stock(&app);
    let mut writer = app.writer("one");
    let mut ledger = sqlite(redis.folder()).await;
    let quantity = random.random_range(50..400);
    // Each term alone, both, and neither.
    let limit_per_user = (seed % 4 == 1 || seed % 4 == 3).then_some(40);
    let hold_s = (seed % 4 >= 2).then_some(20);
    sales.open(Terms { low_mark: Some(20), limit_per_user, hold_s, ..terms(quantity) }).await.expect("a sale");
    let hold_ms = hold_s.map(|hold_s| hold_s as Millis * 1_000);
    let mut model = Model { left: quantity, limit: limit_per_user, hold_ms, ..Model::default() };
    // What the model had left after each event. Before the first, the ledger knows of nothing.
    let mut left_at = BTreeMap::from([(EventId::default(), 0)]);
    left_at.insert(last_event(&raw).await.expect("the opening"), model.left.cast_signed());
    // Outcome and request of each change with a reason, and that.
    let mut reasons: BTreeSet<[String; 3]> = BTreeSet::new();
    for step in 0..STEPS {
        let at = format!("seed {seed}, step {step}");
        // Also backwards.
        time.advance(random.random_range(-500..5_000));
        match random.random_range(0..100) {
            0..34 => {
                let user = format!("u{}", random.random_range(0..4));
                let request = format!("r{}", random.random_range(0..200));
                let wanted = random.random_range(1..=4);
                let answer = sales.deduct("s", user.clone(), wanted, Some(request.clone())).await;
                model.deducted(&user, &request, wanted, time.now(), answer.map_err(|error| error.code));
            }
            34..38 => {
                // An operator pauses the sale, or lets it go on.
                let hold_clock = if random.random() { HoldClock::Stops } else { HoldClock::Runs };
                if model.pause.is_some() || random.random_ratio(1, 4) {
                    let answer = app.services.life.resume("stock", "s", None).await.expect("an answer").outcome;
                    let goes_on = matches!(answer, Resumed::Resumed);
                    assert_eq!(goes_on, model.pause.is_some() && !model.is_closed, "{at}: {answer:?}");
                    if goes_on {
                        model.end_pause(time.now());
                    }
                } else {
                    let answer = app.services.life.pause("stock", "s", String::new(), hold_clock, None).await;
                    let answer = answer.expect("an answer").outcome;
                    assert_eq!(matches!(answer, Paused::Paused { .. }), !model.is_closed, "{at}: {answer:?}");
                    if !model.is_closed {
                        model.pause = Some((time.now(), hold_clock == HoldClock::Stops));
                    }
                }
            }
            38..49 => {
                let request_id = format!("r{}", random.random_range(0..200));
                let quantity = random.random_bool(0.5).then(|| random.random_range(1..=2));
                let return_id = random.random_bool(0.5).then(|| format!("b{}", random.random_range(0..2)));
                let reason = if random.random() { format!("why {step}") } else { String::new() };
                let made = Return { request_id, quantity, return_id, reason };
                let answer = sales.give_back("s", made.clone()).await;
                if matches!(answer, Ok(GivenBack::Returned { .. })) {
                    reasons.insert([outcome::RETURNED.to_owned(), made.request_id.clone(), made.reason.clone()]);
                }
                model.returned(&made, answer.map_err(|error| error.code));
            }
            49..55 => {
                let request = format!("r{}", random.random_range(0..200));
                let reason = if random.random() { format!("why {step}") } else { String::new() };
                let answer = sales.confirm("s", reason.clone(), request.clone()).await.expect("an outcome");
                model.confirmed(&request, time.now(), &answer);
                if matches!(answer, Confirmed::Confirmed { .. }) {
                    reasons.insert([outcome::CONFIRMED.to_owned(), request, reason]);
                }
            }
            55..58 => {
                let (ended, _) = sales.expire_due("s", time.now()).await.expect("a sweep");
                assert_eq!(ended, model.expired(time.now()), "{at}");
            }
            58..62 => {
                let added = random.random_range(1..60);
                let answer = sales.restock("s", added, None).await.expect("an outcome");
                if model.is_closed {
                    assert_eq!(answer, Adjusted::Closed, "{at}");
                } else {
                    model.left += added;
                    assert_eq!(answer, Adjusted::Restocked { left: model.left, change: added.cast_signed() }, "{at}");
                }
            }
            62..66 => {
                let counted = random.random_range(0..200);
                let expected = random.random_bool(0.5).then(|| random.random_range(-5..250));
                let answer = sales.correct("s", counted, expected, None).await.expect("an outcome");
                model.corrected(counted, expected, answer);
            }
            66..76 => drop(sales.expire("s").await.expect("expired")),
            76..82 => drop(writer.step(Duration::ZERO).await.expect("the ledger")),
            82..84 => drop(sales.pause("s", 60 * random.random_range(0..=1)).await.expect("paused")),
            84..86 => {
                // The database refuses a batch, which is tried again.
                let refuse = "CREATE TRIGGER full BEFORE UPDATE ON sales BEGIN SELECT RAISE(ROLLBACK, 'lost'); END";
                ledger.execute(refuse).await.expect("a trigger");
                drop(writer.step(Duration::ZERO).await);
                ledger.execute("DROP TRIGGER full").await.expect("no trigger");
            }
            86..88 => drop(raw.run::<String>("SCRIPT", "FLUSH").await),
            88..90 => {
                // A server dies while it loads.
                drop(raw.run::<Option<String>>("SET", (key("s", "rebuild"), "dead", "PX", 30)).await);
            }
            90..92 => {
                // The server is restarted, and with it the writer.
                writer.give_up().await;
                app = TestApp::at(&redis, &redis.url(), time.clone(), seed + 1_000 + step as u64).await;
                sales = stock(&app);
                writer = app.writer("one");
            }
            92..93 if step > STEPS / 2 => {
                sales.close("s").await.expect("closed");
                model.end_pause(time.now());
                model.is_closed = true;
            }
            93..96 => {
                // Redis loses everything that the ledger has.
                sales.pause("s", 0).await.expect("resumed");
                writer.catch_up().await.expect("the ledger");
                raw.run::<i64>("DEL", PARTS.map(|part| key("s", part)).to_vec()).await;
                let recovered = sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
                let expected = (model.requests.len() as u64, model.left, 0);
                assert_eq!((recovered.won, recovered.waiting, recovered.conflicts.len()), expected, "{at}");
            }
            _ => {
                let snapshot = sales.snapshot("s").await.expect("a snapshot");
                assert_eq!(snapshot.left, model.left, "{at}");
                assert_eq!(snapshot.held, model.hold_ms.map(|_| model.held()), "{at}");
            }
        }
        if let Some(last) = last_event(&raw).await {
            left_at.insert(last, model.left.cast_signed());
        }
        // Of the ledger the model knows only how far it is.
        if let Some(known) = app.ledger.sale("stock", "s").await.expect("the ledger") {
            let expected = left_at.range(..=known.position.event_id).next_back();
            assert_eq!(Some(known.quantity), expected.map(|(_, left)| *left), "{at}: {:?}", known.position);
        }
        if let Some(cached) = cached(&raw).await {
            assert_eq!(cached, model.left.cast_signed(), "{at}");
            // A quantity that nobody wants does not stay.
            assert!(raw.run::<i64>("PTTL", key("s", "quantity")).await > 0, "{at}");
        }
        if step % 25 == 0 {
            let audit = sales.audit("s").await.expect("an audit");
            assert_eq!(audit.verdict, Verdict::Holds, "{at}: {audit:?}");
        }
    }
    sales.pause("s", 0).await.expect("resumed");
    writer.catch_up().await.expect("the ledger");
    let audit = sales.audit("s").await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "seed {seed}: {audit:?}");
    let known = app.ledger.sale("stock", "s").await.expect("the ledger").expect("a sale");
    assert_eq!((known.quantity, known.dead_letters), (model.left.cast_signed(), 0), "seed {seed}");
    assert!(model.requests.len() > 10, "seed {seed} plays");
    let search = Search { sale: Some("s".to_owned()), ..Search::default() };
    let rows = app.ledger.rows(&search, 10_000, None).await.expect("the rows");
    let recorded = rows.into_iter().filter_map(|row| Some([row.outcome, row.request_id?, row.reason?]));
    reasons.retain(|[.., reason]| !reason.is_empty());
    assert_eq!(recorded.collect::<BTreeSet<_>>(), reasons, "seed {seed}");
}

#[tokio::test]
async fn every_answer_is_the_models() {
    for seed in 1..=12 {
        play(seed).await;
    }
}
