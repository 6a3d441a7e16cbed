//! Random claims, refunds, openings and clock moves, against a plain Rust model of what must happen.

use crate::support::{
    app::TestApp,
    property::{holds_async, runtime},
    redis::{Raw, TestRedis},
    sale::{Chunk, LIFE_S, START, claim_at, clock, refund_at},
};
use model::{
    Cents, Millis, Verdict,
    red_packet::{Claim, Outcomes, State},
};
use proptest::{collection::vec, prelude::*, test_runner::TestCaseError};
use std::collections::{BTreeMap, VecDeque};

/// One thing that happens.
#[derive(Clone, Debug)]
enum Step {
    /// Packets `first` to `last`, as shares of the sale, so that chunks overlap, repeat and come early.
    Open(usize, usize),
    Claim(Vec<u8>),
    Refund,
    Wait(Millis),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (0..5_usize, 1..5_usize).prop_map(|(first, more)| Step::Open(first, more)),
        8 => vec(0..9_u8, 1..14).prop_map(Step::Claim),
        1 => Just(Step::Refund),
        2 => (1..LIFE_S * 400).prop_map(Step::Wait),
    ]
}

/// The expected state. Written for readability, not for speed.
struct Model {
    whole: Chunk,
    now: Millis,
    loaded: usize,
    expires_at: Millis,
    queue: VecDeque<(usize, Cents)>,
    held: BTreeMap<u8, (usize, Cents)>,
    /// Newest last.
    claims: Vec<Claim>,
    refunded: Option<(u64, Cents)>,
    outcomes: Outcomes,
    calls: u64,
}

impl Model {
    fn new(cents: Vec<Cents>) -> Self {
        Self {
            whole: Chunk::whole(&cents),
            now: START,
            loaded: 0,
            expires_at: 0,
            queue: VecDeque::new(),
            held: BTreeMap::new(),
            claims: Vec::new(),
            refunded: None,
            outcomes: Outcomes::default(),
            calls: 0,
        }
    }

    fn is_open(&self) -> bool {
        self.loaded == self.whole.count
    }

    fn open(&mut self, first: usize, last: usize) -> (i64, i64) {
        let loaded = self.loaded as i64;
        if self.is_open() {
            (500, loaded)
        } else if last <= self.loaded {
            (0, loaded)
        } else if first != self.loaded + 1 {
            (1008, loaded)
        } else {
            self.queue.extend((first..).zip(self.whole.cents[first - 1..last].iter().copied()));
            self.loaded = last;
            self.expires_at = self.now + LIFE_S * 1_000;
            (0, last as i64)
        }
    }

    fn claim(&mut self, users: &[u8]) -> Vec<(i64, String)> {
        if !self.is_open() {
            let code = if self.loaded == 0 { 1005 } else { 1006 };
            return vec![(code, String::new()); users.len()];
        }
        self.calls += 1;
        users.iter().map(|&user| self.attempt(user)).collect()
    }

    fn attempt(&mut self, user: u8) -> (i64, String) {
        if let Some((no, cents)) = self.held.get(&user) {
            self.outcomes.repeat += 1;
            return (500, format!("{no}:{cents}"));
        }
        if self.now >= self.expires_at || self.refunded.is_some() {
            self.outcomes.expired += 1;
            return (1004, self.expires_at.to_string());
        }
        let Some((no, cents)) = self.queue.pop_front() else {
            self.outcomes.sold_out += 1;
            return (1003, String::new());
        };
        self.outcomes.won += 1;
        self.held.insert(user, (no, cents));
        self.claims.push(Claim { user: name(user), packet: no as u32, cents, at: self.now });
        (0, format!("{no}:{cents}"))
    }

    fn refund(&mut self) -> (i64, i64) {
        if !self.is_open() {
            (if self.loaded == 0 { 1005 } else { 1006 }, 0)
        } else if let Some((_, cents)) = self.refunded {
            (500, cents)
        } else if self.now < self.expires_at {
            (1009, self.expires_at)
        } else {
            let cents = self.queue.iter().map(|(_, cents)| cents).sum();
            self.refunded = Some((self.queue.len() as u64, cents));
            self.queue.clear();
            (0, cents)
        }
    }

    fn state(&self) -> State {
        match self.refunded {
            _ if !self.is_open() => State::Opening,
            Some(_) => State::Refunded,
            None if self.now >= self.expires_at => State::Expired,
            None => State::Open,
        }
    }

    fn luckiest(&self) -> Option<Claim> {
        let most = self.claims.iter().map(|claim| claim.cents).max()?;
        self.claims.iter().find(|claim| claim.cents == most).cloned()
    }
}

fn name(user: u8) -> String {
    format!("user {user}")
}

async fn follows_the_model(
    redis: &Raw,
    app: &TestApp,
    sale: &str,
    cents: Vec<Cents>,
    steps: Vec<Step>,
) -> Result<(), TestCaseError> {
    let mut model = Model::new(cents);
    // The clock is shared by all cases and only runs forward; each sale has its own time.
    for step in steps {
        match step {
            Step::Open(first, more) => {
                let first = (first * model.whole.count / 5 + 1).min(model.whole.count);
                let last = (first + more * model.whole.count / 5).min(model.whole.count);
                let chunk = Chunk { now: model.now, ..model.whole.part(first, last) };
                prop_assert_eq!(chunk.send(redis, sale).await, model.open(first, last));
            }
            Step::Claim(users) => {
                let names: Vec<String> = users.iter().map(|&user| name(user)).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                prop_assert_eq!(claim_at(redis, sale, model.now, &names).await, model.claim(&users));
            }
            Step::Refund => prop_assert_eq!(refund_at(redis, sale, model.now).await, model.refund()),
            Step::Wait(millis) => model.now += millis,
        }
    }
    use store::runtime::Clock;
    app.time.advance(model.now - app.time.now());

    if model.loaded == 0 {
        prop_assert!(app.red_packet.snapshot(sale).await.is_err());
        return Ok(());
    }
    let snapshot = app.red_packet.snapshot(sale).await.expect("a snapshot");
    prop_assert_eq!(snapshot.state, model.state());
    prop_assert_eq!(snapshot.pending, model.queue.len() as u64);
    prop_assert_eq!(snapshot.claimed, model.claims.len() as u64);
    prop_assert_eq!(snapshot.claimed_cents, model.claims.iter().map(|claim| claim.cents).sum::<Cents>());
    prop_assert_eq!((snapshot.refunded, snapshot.refunded_cents), model.refunded.unwrap_or_default());
    prop_assert_eq!(snapshot.outcomes, model.outcomes);
    prop_assert_eq!(snapshot.calls, model.calls);
    prop_assert_eq!(snapshot.luckiest, model.luckiest());
    prop_assert_eq!(snapshot.histogram.counts.iter().sum::<u64>(), snapshot.claimed);
    let newest: Vec<Claim> = model.claims.iter().rev().take(32).cloned().collect();
    prop_assert_eq!(snapshot.latest, newest);
    if model.is_open() {
        prop_assert_eq!(snapshot.expires_at, model.expires_at);
        let in_queue: Cents = model.queue.iter().map(|(_, cents)| cents).sum();
        prop_assert_eq!(snapshot.pending_cents, in_queue);
        let audit = app.red_packet.audit(sale).await.expect("an audit");
        prop_assert_eq!(audit.verdict, Verdict::Holds, "{:?}", audit);
    } else {
        prop_assert!(app.red_packet.audit(sale).await.is_err());
    }
    Ok(())
}

#[test]
fn whatever_happens_in_whatever_order_redis_follows_the_model() {
    let runtime = runtime();
    let (redis, app, _server) = runtime.block_on(async {
        let server = TestRedis::start().await;
        (server.raw().await, TestApp::at(&server, &server.url(), clock(), 1).await, server)
    });
    let nth = std::cell::Cell::new(0);
    let sales = (vec(1..24_i64, 1..12), any::<bool>(), vec(step(), 1..40));
    holds_async(96, sales, &runtime, async |(cents, opened, mut steps): (Vec<Cents>, bool, Vec<Step>)| {
        if opened {
            steps.insert(0, Step::Open(0, 5));
        }
        nth.set(nth.get() + 1);
        follows_the_model(&redis, &app, &format!("s{}", nth.get()), cents, steps).await
    });
}
