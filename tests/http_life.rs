//! The life of a sale over real HTTP, the same for every kind: start, end and pauses, and what operators change of them.

use crate::support::{
    app::{Server, TestApp},
    kinds::{Sample, samples},
    redis::TestRedis,
    sale::START,
};
use model::Millis;
use serde_json::{Value, json};
use store::{keys, runtime::Clock};

const DAY: Millis = 86_400_000;

async fn server() -> (TestRedis, Server) {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    (redis, server)
}

/// Whether the sales of a kind have the end of a plan.
fn has_end(sample: &Sample) -> bool {
    sample.kind != "red_packet"
}

async fn open(server: &Server, sample: &Sample, sale: &str, plan: Value) -> (u16, Value) {
    let (path, mut terms) = sample.open_request(sale);
    let Value::Object(plan) = plan else { panic!("{plan}") };
    terms.as_object_mut().expect("terms").extend(plan);
    server.post(&path, &terms).await
}

async fn opened(server: &Server, sample: &Sample, sale: &str, plan: Value) {
    let (status, answer) = open(server, sample, sale, plan).await;
    assert_eq!((status, &answer["existed"]), (200, &json!(false)), "{answer}");
}

async fn attempt(server: &Server, sample: &Sample, sale: &str, user: &str) -> Value {
    let (path, request) = sample.attempt_request(sale, user);
    let (status, answer) = server.post(&path, &request).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

fn outcome(answer: &Value) -> &str {
    answer["outcome"].as_str().unwrap_or_default()
}

/// A change of the sale "s" of a kind.
async fn try_change(server: &Server, sample: &Sample, verb: &str, fields: Value) -> (u16, Value) {
    let mut request = json!({ "kind": sample.kind, "sale": "s" });
    let Value::Object(fields) = fields else { panic!("{fields}") };
    request.as_object_mut().expect("a request").extend(fields);
    server.post(&format!("/api/sales/{verb}"), &request).await
}

async fn change(server: &Server, sample: &Sample, verb: &str, fields: Value) -> Value {
    let (status, answer) = try_change(server, sample, verb, fields).await;
    assert_eq!(status, 200, "{} {verb}: {answer}", sample.kind);
    answer
}

async fn snapshot(server: &Server, sample: &Sample, sale: &str) -> Value {
    let (status, answer) = server.post(&sample.path("snapshot"), &json!({ "sale": sale })).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

/// The field at fault.
fn field(answer: &Value) -> &str {
    answer["error"]["field"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn a_sale_starts_pauses_and_ends_by_the_time_of_each_attempt() {
    let (_redis, server) = server().await;
    for sample in &samples() {
        let (kind, now) = (sample.kind, server.app.time.now());
        let start = now + 60_000;
        let end = if has_end(sample) { start + 600_000 } else { start + DAY };
        let plan =
            if has_end(sample) { json!({ "opens_in_s": 60, "ends_in_s": 600 }) } else { json!({ "opens_in_s": 60 }) };
        opened(&server, sample, "s", plan.clone()).await;
        server.app.time.advance(1_000);
        let again = open(&server, sample, "s", plan).await.1;
        assert_eq!(again["existed"], true, "{kind}: the same plan, later");
        let other = open(&server, sample, "s", json!({ "opens_in_s": 61 })).await;
        assert_eq!((other.0, &other.1["error"]["code"]), (409, &json!("sale_exists")), "{kind}");

        let early = attempt(&server, sample, "s", "ann").await;
        let request_id = "r-ann";
        let not_open =
            json!({ "outcome": "not_open", "opens_at": start, "now": now + 1_000, "request_id": request_id });
        assert_eq!(early, not_open, "{kind}");
        let seen = snapshot(&server, sample, "s").await;
        assert_eq!((&seen["state"], &seen["life"]["opens_at"]), (&json!("scheduled"), &json!(start)), "{kind}");
        assert_eq!((&seen["life"]["ends_at"], &seen["life"]["now"]), (&json!(end), &json!(now + 1_000)), "{kind}");
        assert_eq!((&seen["outcomes"]["not_open"], &seen["declined"][0]["outcome"]), (&json!(1), &json!("not_open")));

        server.app.time.advance(58_999);
        assert_eq!(outcome(&attempt(&server, sample, "s", "ann").await), "not_open", "{kind}: a millisecond before");
        server.app.time.advance(1);
        let won = attempt(&server, sample, "s", "ann").await;
        assert!(["won", "held"].contains(&outcome(&won)), "{kind}: {won}");
        assert_eq!(snapshot(&server, sample, "s").await["state"], "open", "{kind}");

        let pause = json!({ "reason": "Back soon.", "request_id": "p" });
        let paused = json!({ "outcome": "paused", "paused_at": start, "request_id": "p" });
        assert_eq!(change(&server, sample, "pause", pause.clone()).await, paused, "{kind}");
        let repeat = json!({ "outcome": "repeat", "request_id": "p" });
        assert_eq!(change(&server, sample, "pause", pause).await, repeat, "{kind}");
        assert_eq!(
            outcome(&change(&server, sample, "pause", json!({})).await),
            "repeat",
            "{kind}: it is paused already"
        );
        assert_eq!(outcome(&attempt(&server, sample, "s", "ann").await), "repeat", "{kind}: one's own answer again");
        let refused = attempt(&server, sample, "s", "bob").await;
        let told = json!({ "outcome": "paused", "paused_at": start, "reason": "Back soon.", "request_id": "r-bob" });
        assert_eq!(refused, told, "{kind}");
        let seen = snapshot(&server, sample, "s").await;
        let pause = json!({ "at": start, "reason": "Back soon.", "hold_clock": "runs" });
        assert_eq!((&seen["state"], &seen["life"]["pause"]), (&json!("paused"), &pause), "{kind}");
        let (_, list) = server.post("/api/sales", &json!({ "kind": kind })).await;
        let listed = &list["sales"][0];
        assert_eq!((&listed["state"], &listed["opens_at"]), (&json!("paused"), &json!(start)), "{kind}");

        assert_eq!(
            outcome(&change(&server, sample, "resume", json!({ "request_id": "r" })).await),
            "resumed",
            "{kind}"
        );
        assert_eq!(outcome(&change(&server, sample, "resume", json!({ "request_id": "r" })).await), "repeat", "{kind}");
        let (status, reused) = try_change(&server, sample, "resume", json!({ "request_id": "p" })).await;
        assert_eq!((status, field(&reused)), (409, "request_id"), "{kind}: {reused}");
        let won = attempt(&server, sample, "s", "bob").await;
        assert!(["won", "held"].contains(&outcome(&won)), "{kind}: {won}");

        server.app.time.advance(end - start);
        let late = attempt(&server, sample, "s", "cid").await;
        if has_end(sample) {
            assert_eq!(late, json!({ "outcome": "ended", "ends_at": end, "request_id": "r-cid" }), "{kind}");
        } else {
            assert_eq!(late, json!({ "outcome": "expired", "expired_at": end, "request_id": "r-cid" }), "{kind}");
        }
        assert_eq!(snapshot(&server, sample, "s").await["state"], "expired", "{kind}");
        let pause = change(&server, sample, "pause", json!({ "request_id": "late" })).await;
        assert_eq!(pause, json!({ "outcome": "ended", "ends_at": end, "request_id": "late" }), "{kind}");
    }
}

#[tokio::test]
async fn a_batch_is_decided_by_the_one_time_of_its_call() {
    let (_redis, server) = server().await;
    let sample = &samples()[2];
    opened(&server, sample, "s", json!({ "opens_in_s": 1 })).await;
    // Redis' time is past the start; that of the call is not.
    let users: Vec<String> = (0..20).map(|number| format!("u{number}")).collect();
    let answers = futures::future::join_all(users.iter().map(|user| attempt(&server, sample, "s", user))).await;
    assert!(answers.iter().all(|answer| outcome(answer) == "not_open" && answer["now"] == START), "{answers:?}");
    server.app.time.advance(1_000);
    let answers = futures::future::join_all(users.iter().map(|user| attempt(&server, sample, "s", user))).await;
    assert_eq!(answers.iter().filter(|answer| outcome(answer) == "won").count(), 10, "all that there are");
}

#[tokio::test]
async fn a_time_is_a_number_or_a_text_with_an_offset() {
    let (_redis, server) = server().await;
    let sample = &samples()[3];
    // START is 2023-11-14T22:13:20Z.
    for (sale, opens_at) in [
        ("a", json!(START + 100_000)),
        ("b", json!("2023-11-14T22:15:00Z")),
        ("c", json!("2023-11-15T06:15:00+08:00")),
        ("d", json!("2023-11-14t17:15:00.000-05:00")),
    ] {
        opened(&server, sample, sale, json!({ "opens_at": opens_at })).await;
        assert_eq!(snapshot(&server, sample, sale).await["life"]["opens_at"], START + 100_000, "{opens_at}");
    }
    for opens_at in [json!("2023-11-14T22:15:00"), json!("tomorrow"), json!(true), json!(1.5), json!("1700000100000")] {
        let (path, mut terms) = sample.open_request("e");
        terms["opens_at"] = opens_at.clone();
        let (status, answer) = server.post_raw(&path, terms.to_string()).await;
        assert_eq!((status, field(&answer)), (400, "opens_at"), "{opens_at}: {answer}");
    }
}

#[tokio::test]
async fn a_bad_plan_opens_nothing_and_names_the_field() {
    let (_redis, server) = server().await;
    for sample in &samples() {
        let long = "x".repeat(101);
        let mut cases = vec![
            ("opens_at", json!({ "opens_at": START })),
            ("opens_at", json!({ "opens_at": START + 401 * DAY })),
            ("opens_in_s", json!({ "opens_in_s": 0 })),
            ("opens_in_s", json!({ "opens_in_s": 34_560_001 })),
            ("opens_in_s", json!({ "opens_at": START + 1, "opens_in_s": 1 })),
            ("title.en", json!({ "title": { "en": long } })),
            ("title.zh", json!({ "title": { "zh": "a\nb" } })),
            ("title.en", json!({ "title": { "en": " " } })),
            ("description.en", json!({ "description": { "en": "a\u{7}" } })),
            ("currency", json!({ "currency": "cny" })),
            ("currency", json!({ "currency": "XXX" })),
        ];
        if has_end(sample) {
            cases.extend([
                ("ends_at", json!({ "ends_at": START })),
                ("ends_at", json!({ "opens_at": START + 5, "ends_at": START + 5 })),
                ("ends_at", json!({ "opens_in_s": 60, "ends_at": START + 60_000 })),
                ("ends_at", json!({ "ends_at": START + 401 * DAY })),
                ("ends_in_s", json!({ "ends_in_s": 0 })),
                ("ends_in_s", json!({ "ends_at": START + 1, "ends_in_s": 1 })),
            ]);
        }
        for (wrong, plan) in cases {
            let (status, answer) = open(&server, sample, "s", plan.clone()).await;
            assert_eq!((status, field(&answer)), (400, wrong), "{} {plan}: {answer}", sample.kind);
            let (status, _) = server.post(&sample.path("snapshot"), &json!({ "sale": "s" })).await;
            assert_eq!(status, 404, "{} {plan} opened something", sample.kind);
        }
        if !has_end(sample) {
            let (status, answer) = open(&server, sample, "s", json!({ "ends_in_s": 60 })).await;
            assert_eq!((status, field(&answer)), (400, "ends_in_s"), "a red packet has a life of its own: {answer}");
        }
    }
}

#[tokio::test]
async fn an_opening_that_is_sent_again_after_its_start_is_a_repeat() {
    let (_redis, server) = server().await;
    for sample in &samples() {
        let opens_at = server.app.time.now() + 5_000;
        let plan = json!({ "opens_at": opens_at, "title": { "zh": "十点" }, "currency": "JPY" });
        opened(&server, sample, "s", plan.clone()).await;
        server.app.time.advance(10_000);
        let (status, answer) = open(&server, sample, "s", plan).await;
        assert_eq!((status, &answer["existed"]), (200, &json!(true)), "{}: {answer}", sample.kind);
        let life = snapshot(&server, sample, "s").await["life"].clone();
        assert_eq!((&life["title"], &life["currency"]), (&json!({ "zh": "十点" }), &json!("JPY")), "{}", sample.kind);
    }
}

#[tokio::test]
async fn amounts_in_the_ledger_are_in_the_currency_of_their_sale() {
    let (_redis, server) = server().await;
    for sample in &samples() {
        opened(&server, sample, "s", json!({ "currency": "JPY" })).await;
        attempt(&server, sample, "s", "ann").await;
    }
    let mut writer = server.app.writer("one");
    writer.catch_up().await.expect("the ledger");
    let (status, page) = server.post("/api/ledger/search", &json!({})).await;
    let amounts: Vec<&Value> = page["rows"].as_array().into_iter().flatten().filter(|row| row["cents"] != 0).collect();
    assert_eq!(status, 200, "{page}");
    assert!(amounts.len() >= 2 && amounts.iter().all(|row| row["currency"] == "JPY"), "{amounts:?}");
    let user = server.post("/api/user", &json!({ "user": "ann" })).await.1;
    let with_money = user["sales"].as_array().into_iter().flatten().filter(|sale| sale["cents"] != 0);
    assert_eq!(with_money.map(|sale| &sale["currency"]).collect::<Vec<_>>(), ["JPY"; 2], "{user}");
}

#[tokio::test]
async fn a_start_and_an_end_are_changed_until_they_have_passed() {
    let (_redis, server) = server().await;
    for sample in &samples() {
        let (kind, now) = (sample.kind, server.app.time.now());
        opened(&server, sample, "s", json!({ "opens_in_s": 600 })).await;
        let times = |outcome: &str, opens_at: Millis, ends_at: Value, request_id: &str| json!({ "outcome": outcome, "opens_at": opens_at, "ends_at": ends_at, "request_id": request_id });
        let life_s = |start: Millis| if has_end(sample) { json!(null) } else { json!(start + DAY) };
        // The end of a red packet sale moves with its start.
        let sooner = json!({ "opens_in_s": 60, "request_id": "a" });
        let start = now + 60_000;
        let before = life_s(start);
        let answer = change(&server, sample, "schedule", sooner.clone()).await;
        assert_eq!(answer, times("scheduled", start, before.clone(), "a"), "{kind}");
        server.app.time.advance(1_000);
        assert_eq!(change(&server, sample, "schedule", sooner).await, times("repeat", start, before, "a"), "{kind}");

        let end = start + 30_000;
        let answer = change(&server, sample, "schedule", json!({ "ends_in_s": 30, "request_id": "b" })).await;
        assert_eq!(answer, times("scheduled", start, json!(end), "b"), "{kind}: from the start");
        let same = json!({ "opens_at": start, "ends_at": end, "request_id": "c" });
        assert_eq!(change(&server, sample, "schedule", same).await, times("repeat", start, json!(end), "c"), "{kind}");
        for late in [
            json!({ "opens_at": end, "ends_at": end, "request_id": "d" }),
            json!({ "ends_at": start, "request_id": "d" }),
            json!({ "opens_at": now, "request_id": "d" }),
            json!({ "ends_at": now, "request_id": "d" }),
        ] {
            let mut expected = times("too_late", start, json!(end), "d");
            expected["now"] = json!(now + 1_000);
            assert_eq!(change(&server, sample, "schedule", late.clone()).await, expected, "{kind} {late}");
        }
        // At once.
        let answer = change(&server, sample, "schedule", json!({ "opens_in_s": 0, "request_id": "e" })).await;
        let end = if has_end(sample) { end } else { now + 1_000 + 30_000 };
        assert_eq!(answer, times("scheduled", now + 1_000, json!(end), "e"), "{kind}");
        assert!(["won", "held"].contains(&outcome(&attempt(&server, sample, "s", "ann").await)), "{kind}");
        let again = change(&server, sample, "schedule", json!({ "opens_in_s": 5 })).await;
        assert_eq!(outcome(&again), "too_late", "{kind}: the start has passed");
        server.app.time.advance(DAY);
        let again = change(&server, sample, "schedule", json!({ "ends_in_s": 5 })).await;
        assert_eq!(outcome(&again), "too_late", "{kind}: the end has passed");

        for (wrong, fields) in [
            ("opens_at", json!({})),
            ("opens_in_s", json!({ "opens_at": 1, "opens_in_s": 1 })),
            ("ends_in_s", json!({ "ends_in_s": 0 })),
            ("ends_at", json!({ "ends_at": server.app.time.now() + 401 * DAY })),
        ] {
            let (status, answer) = try_change(&server, sample, "schedule", fields.clone()).await;
            assert_eq!((status, field(&answer)), (400, wrong), "{kind} {fields}: {answer}");
        }
    }
}

#[tokio::test]
async fn a_closed_sale_is_reopened_unless_its_money_is_refunded_or_it_has_ended() {
    let (_redis, server) = server().await;
    for sample in &samples() {
        let (kind, now) = (sample.kind, server.app.time.now());
        opened(&server, sample, "s", json!({})).await;
        assert_eq!(outcome(&change(&server, sample, "reopen", json!({})).await), "repeat", "{kind}: it is open");
        assert_eq!(outcome(&change(&server, sample, "pause", json!({})).await), "paused", "{kind}");
        assert_eq!(outcome(&change(&server, sample, "close", json!({})).await), "closed", "{kind}");
        for verb in ["pause", "resume"] {
            let answer = change(&server, sample, verb, json!({ "request_id": verb })).await;
            assert_eq!(answer, json!({ "outcome": "closed", "closed_at": now, "request_id": verb }), "{kind} {verb}");
        }
        let answer = change(&server, sample, "schedule", json!({ "ends_in_s": 5 })).await;
        assert_eq!(outcome(&answer), "closed", "{kind}");
        if !has_end(sample) {
            assert_eq!(outcome(&change(&server, sample, "reopen", json!({})).await), "refunded");
            continue;
        }
        let reopen = json!({ "ends_in_s": 60, "request_id": "again" });
        let reopened = json!({ "outcome": "reopened", "ends_at": now + 60_000, "request_id": "again" });
        assert_eq!(change(&server, sample, "reopen", reopen.clone()).await, reopened, "{kind}");
        assert_eq!(outcome(&change(&server, sample, "reopen", reopen).await), "repeat", "{kind}");
        assert!(["won", "held"].contains(&outcome(&attempt(&server, sample, "s", "ann").await)), "{kind}: not paused");
        assert_eq!(outcome(&change(&server, sample, "close", json!({})).await), "closed", "{kind}");
        let (status, answer) = try_change(&server, sample, "reopen", json!({ "ends_at": now })).await;
        assert_eq!((status, field(&answer)), (400, "ends_at"), "{kind}: {answer}");
        server.app.time.advance(60_000);
        let ended = change(&server, sample, "reopen", json!({ "request_id": "late" })).await;
        assert_eq!(ended, json!({ "outcome": "ended", "ends_at": now + 60_000, "request_id": "late" }), "{kind}");
    }
}

#[tokio::test]
async fn texts_are_set_changed_and_removed() {
    let (_redis, server) = server().await;
    for sample in &samples() {
        let kind = sample.kind;
        opened(&server, sample, "s", json!({ "title": { "en": "Ten", "zh": "" } })).await;
        let title = async || snapshot(&server, sample, "s").await["life"]["title"].clone();
        assert_eq!(title().await, json!({ "en": "Ten" }), "{kind}");
        let texts = json!({ "title": { "zh": "十点" }, "description": { "en": "Two\nlines" }, "request_id": "a" });
        assert_eq!(outcome(&change(&server, sample, "describe", texts.clone()).await), "described", "{kind}");
        assert_eq!(outcome(&change(&server, sample, "describe", texts).await), "repeat", "{kind}");
        assert_eq!(title().await, json!({ "en": "Ten", "zh": "十点" }), "{kind}");
        let same = json!({ "title": { "en": "Ten" } });
        assert_eq!(outcome(&change(&server, sample, "describe", same).await), "repeat", "{kind}: it is so already");
        let (_, list) = server.post("/api/sales", &json!({ "kind": kind })).await;
        assert_eq!(list["sales"][0]["title"], json!({ "en": "Ten", "zh": "十点" }), "{kind}");
        assert_eq!(outcome(&change(&server, sample, "describe", json!({ "title": { "en": "" } })).await), "described");
        assert_eq!(title().await, json!({ "zh": "十点" }), "{kind}");
        for (wrong, fields) in [
            ("title", json!({})),
            ("title.en", json!({ "title": { "en": "\t" } })),
            ("title", json!({ "title": [null, null] })),
            ("title.fr", json!({ "title": { "en": "x", "fr": "y" } })),
            ("description.zh", json!({ "description": { "zh": "长".repeat(2_001) } })),
            ("kind", json!({ "kind": "raffle", "title": { "en": "x" } })),
            ("request_id", json!({ "request_id": "", "title": { "en": "x" } })),
        ] {
            let (status, answer) = try_change(&server, sample, "describe", fields.clone()).await;
            assert_eq!((status, field(&answer)), (400, wrong), "{kind} {fields}: {answer}");
        }
        let (status, answer) = try_change(&server, sample, "pause", json!({ "reason": "x".repeat(201) })).await;
        assert_eq!((status, field(&answer)), (400, "reason"), "{kind}: {answer}");
        let unknown = json!({ "kind": kind, "sale": "nope", "title": { "en": "x" } });
        let (status, answer) = server.post("/api/sales/describe", &unknown).await;
        assert_eq!((status, &answer["error"]["code"]), (404, &json!("unknown_sale")), "{kind}");
    }
}

#[tokio::test]
async fn a_pause_that_stops_the_hold_clock_moves_every_deadline() {
    let (_redis, server) = server().await;
    let sample = &samples()[1];
    opened(&server, sample, "s", json!({ "hold_s": 60 })).await;
    let held = attempt(&server, sample, "s", "ann").await;
    assert_eq!(held["held_until"], START + 60_000);
    let order = json!({ "sale": "s", "order": held["order"] });
    let held_until = async || server.post("/api/ticket/order", &order).await.1["held_until"].clone();
    server.app.time.advance(30_000);
    assert_eq!(outcome(&change(&server, sample, "pause", json!({ "hold_clock": "stops" })).await), "paused");
    server.app.time.advance(100_000);
    assert_eq!(server.app.ledger_service.sweep().await, Ok(0), "nothing expires");
    assert_eq!(held_until().await, START + 160_000);
    let seat = json!({ "sale": "s", "seat": held["seats"][0] });
    assert_eq!(server.post("/api/ticket/seat", &seat).await.1["held_until"], START + 160_000);
    assert_eq!(attempt(&server, sample, "s", "ann").await["held_until"], START + 160_000, "the same answer, later");
    assert_eq!(outcome(&change(&server, sample, "resume", json!({})).await), "resumed");
    assert_eq!(held_until().await, START + 160_000);
    server.app.time.advance(29_999);
    assert_eq!(server.app.ledger_service.sweep().await, Ok(0));
    server.app.time.advance(1);
    assert_eq!(server.app.ledger_service.sweep().await, Ok(1));
    let pay = json!({ "sale": "s", "order": held["order"], "request_id": "pay" });
    assert_eq!(outcome(&server.post("/api/ticket/pay", &pay).await.1), "refunded", "it has expired");
}

#[tokio::test]
async fn a_sale_with_an_end_is_archived_by_that_or_once_it_is_closed() {
    let (redis, server) = server().await;
    let raw = redis.raw().await;
    for sample in samples().iter().filter(|sample| has_end(sample)) {
        let (kind, now) = (sample.kind, server.app.time.now());
        let name = keys::name(kind, "s");
        let scheduled = async || raw.run::<Option<Millis>>("ZSCORE", (keys::CLOSED.one, &name)).await;
        opened(&server, sample, "s", json!({ "ends_in_s": 600 })).await;
        assert_eq!(scheduled().await, Some(now + 600_000), "{kind}");
        assert_eq!(outcome(&change(&server, sample, "schedule", json!({ "ends_in_s": 300 })).await), "scheduled");
        assert_eq!(scheduled().await, Some(now + 300_000), "{kind}");
        assert_eq!(outcome(&change(&server, sample, "close", json!({})).await), "closed");
        assert_eq!(scheduled().await, Some(now), "{kind}");
        assert_eq!(outcome(&change(&server, sample, "reopen", json!({})).await), "reopened");
        assert_eq!(scheduled().await, Some(now + 300_000), "{kind}");
        opened(&server, sample, "t", json!({})).await;
        let without_end: Option<Millis> = raw.run("ZSCORE", (keys::CLOSED.one, keys::name(kind, "t"))).await;
        assert_eq!(without_end, None, "{kind}");
    }
}

/// Every server knows when a sale expires, and hears of an end that comes earlier.
#[tokio::test]
async fn a_red_packet_that_ends_earlier_than_it_was_to_is_refunded_then() {
    let (_redis, server) = server().await;
    let sample = &samples()[0];
    opened(&server, sample, "s", json!({ "opens_in_s": 60, "expires_in_s": 3_600 })).await;
    assert_eq!(server.app.ledger_service.sweep().await, Ok(0));
    let (status, answer) = server.post("/api/red-packet/refund", &json!({ "sale": "s" })).await;
    assert_eq!((status, &answer["expires_at"]), (200, &json!(START + 3_660_000)), "its life begins with its start");
    let ends = json!({ "ends_at": START + 120_000 });
    assert_eq!(outcome(&change(&server, sample, "schedule", ends).await), "scheduled");
    server.app.time.advance(119_999);
    assert_eq!(server.app.ledger_service.sweep().await, Ok(0));
    server.app.time.advance(1);
    assert_eq!(server.app.ledger_service.sweep().await, Ok(1));
    assert_eq!(snapshot(&server, sample, "s").await["state"], "refunded");
}
