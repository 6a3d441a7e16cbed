//! The life of a sale, of every kind: whatever an operator does, in any order, attempts are decided as the rules say, the
//! audit holds, and a recovery brings back the same sale.

use crate::support::{
    app::{Server, TestApp},
    kinds::{Sample, samples},
    redis::{Raw, TestRedis},
};
use ledger::kind::DeadLetters;
use model::{Millis, Verdict};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::{keys, runtime::Clock};

/// Different orders of everything, for each kind.
const ROUNDS: u64 = 6;
const STEPS: usize = 40;
/// The longest step of the clock, in seconds.
const STEP_S: i64 = 20;

/// What attempts must be answered, by the rules.
#[derive(Default)]
struct Expected {
    opens_at: Option<Millis>,
    ends_at: Option<Millis>,
    is_paused: bool,
    is_closed: bool,
}

impl Expected {
    fn has_ended(&self, now: Millis) -> bool {
        self.ends_at.is_some_and(|ends_at| now >= ends_at)
    }

    /// The answer to the attempt of a new user; `None` where the kind decides.
    fn attempt(&self, kind: &str, now: Millis) -> Option<&'static str> {
        if self.is_closed {
            Some("closed")
        } else if self.has_ended(now) {
            Some(if kind == "red_packet" { "expired" } else { "ended" })
        } else if self.opens_at.is_some_and(|opens_at| now < opens_at) {
            Some("not_open")
        } else if self.is_paused {
            Some("paused")
        } else {
            None
        }
    }
}

const OF_LIFE: [&str; 5] = ["closed", "expired", "ended", "not_open", "paused"];

/// A sale with its operator and its users.
struct Stage<'a> {
    server: &'a Server,
    sample: &'a Sample,
    sale: String,
    expected: Expected,
    /// Users and requests so far.
    number: u32,
}

impl Stage<'_> {
    fn now(&self) -> Millis {
        self.server.app.time.now()
    }

    fn next(&mut self) -> String {
        self.number += 1;
        format!("{}-{}", self.sale, self.number)
    }

    async fn operate(&mut self, endpoint: &str, mut change: Value) -> (u16, Value) {
        (change["kind"], change["sale"]) = (json!(self.sample.kind), json!(self.sale));
        if endpoint != "close" {
            change["request_id"] = json!(self.next());
        }
        let path = format!("/api/sales/{endpoint}");
        let (status, answer) = self.server.post(&path, &change).await;
        if endpoint != "close" {
            let again = self.server.post(&path, &change).await;
            let outcome = answer["outcome"].as_str().unwrap_or_default();
            if ["paused", "resumed", "scheduled", "reopened", "described"].contains(&outcome) {
                assert_eq!((again.0, again.1["outcome"].as_str()), (200, Some("repeat")), "{path} {change}: {answer}");
            }
        }
        (status, answer)
    }

    async fn attempt(&mut self) {
        let user = self.next();
        let (path, attempt) = self.sample.attempt_request(&self.sale, &user);
        let expected = self.expected.attempt(self.sample.kind, self.now());
        let (status, answer) = self.server.post(&path, &attempt).await;
        assert_eq!(status, 200, "{answer}");
        let outcome = answer["outcome"].as_str().expect("an outcome");
        match expected {
            Some(expected) => assert_eq!(outcome, expected, "{}: {answer}", self.sample.kind),
            None => assert!(!OF_LIFE.contains(&outcome), "{}: {answer}", self.sample.kind),
        }
    }

    async fn pause(&mut self, random: &mut ChaCha8Rng) {
        let hold_clock = ["runs", "stops"].choose(random).expect("a clock");
        let (status, answer) = self.operate("pause", json!({ "reason": "a leak", "hold_clock": hold_clock })).await;
        let expected = match () {
            () if self.expected.is_closed => "closed",
            () if self.expected.has_ended(self.now()) => "ended",
            () if self.expected.is_paused => "repeat",
            () => "paused",
        };
        assert_eq!((status, answer["outcome"].as_str()), (200, Some(expected)), "{}: {answer}", self.sample.kind);
        self.expected.is_paused |= expected == "paused";
    }

    async fn resume(&mut self) {
        let (status, answer) = self.operate("resume", json!({})).await;
        let outcome = answer["outcome"].as_str().unwrap_or_default().to_owned();
        assert_eq!(status, 200, "{answer}");
        assert_eq!(outcome == "resumed", self.expected.is_paused && !self.expected.is_closed, "{answer}");
        if outcome == "resumed" {
            self.expected.is_paused = false;
        }
    }

    async fn schedule(&mut self, random: &mut ChaCha8Rng) {
        let (now, is_start) = (self.now(), random.random::<bool>());
        let at = now + 1_000 * random.random_range(1..3 * STEP_S);
        let change = if is_start { json!({ "opens_at": at }) } else { json!({ "ends_at": at }) };
        let Expected { opens_at: start, ends_at: end, is_closed, .. } = self.expected;
        // Red packets last as long as before.
        let moved = match (start, end) {
            (Some(start), Some(end)) if is_start && self.sample.kind == "red_packet" => Some(end + at - start),
            _ if is_start => end,
            _ => Some(at),
        };
        let begins = if is_start { Some(at) } else { start };
        let may_be = !self.expected.has_ended(now)
            && (!is_start || start.is_some_and(|start| now < start))
            && moved.is_none_or(|end| end > begins.unwrap_or_default());
        let expected = match () {
            () if is_closed => "closed",
            () if (if is_start { start } else { end }) == Some(at) => "repeat",
            () if may_be => "scheduled",
            () => "too_late",
        };
        let (status, answer) = self.operate("schedule", change).await;
        assert_eq!((status, answer["outcome"].as_str()), (200, Some(expected)), "{}: {answer}", self.sample.kind);
        if expected == "scheduled" {
            (self.expected.opens_at, self.expected.ends_at) = (begins, moved);
            assert_eq!(answer["opens_at"].as_i64(), begins, "{answer}");
            assert_eq!(answer["ends_at"].as_i64(), moved, "{answer}");
        }
    }

    async fn close(&mut self) {
        let (status, answer) = self.operate("close", json!({})).await;
        assert_eq!(status, 200, "{answer}");
        (self.expected.is_closed, self.expected.is_paused) = (true, false);
    }

    async fn reopen(&mut self) {
        let (status, answer) = self.operate("reopen", json!({})).await;
        assert_eq!(status, 200, "{answer}");
        let may_be = self.expected.is_closed && !self.expected.has_ended(self.now());
        let is_reopened = answer["outcome"] == "reopened";
        assert_eq!(is_reopened, may_be && self.sample.kind != "red_packet", "{answer}");
        self.expected.is_closed &= !is_reopened;
    }

    async fn step(&mut self, random: &mut ChaCha8Rng) {
        match random.random_range(0..20) {
            0..6 => self.attempt().await,
            6..9 => self.server.app.time.advance(1_000 * random.random_range(0..STEP_S)),
            9..12 => self.pause(random).await,
            12..15 => self.resume().await,
            15..17 => self.schedule(random).await,
            17 => {
                let title = json!({ "title": { "en": format!("Sale {}", self.number), "zh": "活动" } });
                assert_eq!(self.operate("describe", title).await.0, 200);
            }
            18 => self.reopen().await,
            // Closings are rare, as nothing happens afterwards to a sale that cannot be reopened.
            _ if random.random_ratio(1, 3) => self.close().await,
            _ => {}
        }
    }
}

/// The deadlines of what is held, which are in hold time.
async fn deadlines(raw: &Raw, kind: &str, sale: &str) -> Vec<(String, i64)> {
    raw.run("ZRANGE", (keys::sale(kind, sale, "deadlines"), 0, -1, "WITHSCORES")).await
}

/// The fields of a sale's record that must come back.
async fn record(raw: &Raw, kind: &str, sale: &str) -> BTreeMap<String, Vec<u8>> {
    let fields: Vec<(String, Vec<u8>)> = raw.run("HGETALL", keys::sale(kind, sale, "meta")).await;
    let of_history = ["generation", "recent", "format", "given", "rebuilds"];
    fields.into_iter().filter(|(name, _)| !of_history.contains(&name.as_str())).collect()
}

async fn assert_holds(app: &TestApp, kind: &str, sale: &str) {
    let audit = app.ledger_service.audit(kind, sale).await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "{kind}: {audit:?}");
}

#[tokio::test]
async fn whatever_happens_to_a_sale_attempts_are_decided_by_the_rules_and_a_recovery_brings_it_back() {
    let redis = TestRedis::start().await;
    let (server, raw) = (TestApp::on(&redis).await.serve().await, redis.raw().await);
    for (nth, sample) in samples().iter().enumerate() {
        for round in 0..ROUNDS {
            let mut random = ChaCha8Rng::seed_from_u64(100 * nth as u64 + round);
            let sale = format!("life-{round}");
            let (path, mut terms) = sample.open_request(&sale);
            let now = server.app.time.now();
            let mut expected = Expected::default();
            if random.random() {
                let seconds = random.random_range(1..STEP_S);
                terms["opens_in_s"] = json!(seconds);
                expected.opens_at = Some(now + 1_000 * seconds);
            }
            let start = expected.opens_at.unwrap_or(now);
            if sample.kind == "red_packet" {
                let life_s = terms["expires_in_s"].as_i64().unwrap_or(86_400);
                expected.ends_at = Some(start + 1_000 * life_s);
            } else if random.random() {
                let seconds = random.random_range(1..10 * STEP_S);
                terms["ends_in_s"] = json!(seconds);
                expected.ends_at = Some(start + 1_000 * seconds);
            }
            terms["title"] = json!({ "en": "Spring", "zh": "春" });
            for existed in [false, true] {
                let (status, answer) = server.post(&path, &terms).await;
                assert_eq!((status, answer["existed"].as_bool()), (200, Some(existed)), "{answer}");
            }
            let mut stage = Stage { server: &server, sample, sale: sale.clone(), expected, number: 0 };
            for step in 0..STEPS {
                stage.step(&mut random).await;
                if step % 10 == 0 {
                    assert_holds(&server.app, sample.kind, &sale).await;
                }
            }
            let mut writer = server.app.writer("one");
            writer.catch_up().await.expect("the ledger");
            writer.give_up().await;
            assert_holds(&server.app, sample.kind, &sale).await;

            let (before, held) = (record(&raw, sample.kind, &sale).await, deadlines(&raw, sample.kind, &sale).await);
            let all: Vec<String> = raw.run("KEYS", format!("{{{}:{sale}}}:*", sample.kind)).await;
            raw.run::<i64>("DEL", all).await;
            let kind = server.app.kinds.find(sample.kind).expect("a kind");
            kind.recover(&sale, DeadLetters::Refuse).await.expect("a recovery");
            assert_eq!(record(&raw, sample.kind, &sale).await, before, "{} {sale}", sample.kind);
            assert_eq!(deadlines(&raw, sample.kind, &sale).await, held, "{} {sale}", sample.kind);
            assert_holds(&server.app, sample.kind, &sale).await;
            stage.attempt().await;
            let mut writer = server.app.writer("one");
            writer.catch_up().await.expect("the ledger");
            writer.give_up().await;
        }
    }
}
