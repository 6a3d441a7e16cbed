//! `sale/change.lua`, and the start, the end and the pauses of a sale in the scripts of attempts.

use super::cases::{UNSEEN, pack};
use crate::support::{
    redis::{Raw, TestRedis},
    sale::START,
};
use engine::{
    life::service::CHANGE,
    stock::scripts::{CLOSE, DEDUCT, KIND, OPEN, key},
};
use redis::{ToRedisArgs, Value, from_redis_value};
use std::collections::BTreeMap;
use store::reply::ReplyCode;

/// A sale of ten with this plan, whose quantity is cached.
async fn open(redis: &Raw, plan: &[&str]) -> i64 {
    let plan = if plan.is_empty() { Vec::new() } else { pack(plan) };
    let args = (START, 10, 300_000, "", "", "", plan, "").to_redis_args();
    let reply = redis.script(&OPEN, &OPEN.keys(KIND, "s"), &args).await.expect("a reply");
    redis.run::<String>("SET", (key("s", "quantity"), 10)).await;
    from_redis_value::<Vec<Value>>(reply).expect("a list").into_iter().next().map(number).expect("a code")
}

fn number(value: Value) -> i64 {
    from_redis_value(value).expect("a number")
}

async fn change(redis: &Raw, now: i64, request: &str, change: &str, fields: &[&str]) -> (i64, String) {
    let args = [(UNSEEN, now, request, change).to_redis_args(), fields.to_redis_args()].concat();
    let keys = ["meta", "events"].map(|part| key("s", part));
    let reply = redis.script(&CHANGE, &keys, &args).await.expect("a reply");
    let (code, detail, _): (i64, String, String) = from_redis_value(reply).expect("code, detail, what was seen");
    (code, detail)
}

/// The answers to one batch, of one unit for each user.
async fn deduct(redis: &Raw, now: i64, users: &[&str]) -> Vec<(i64, String)> {
    let words: Vec<(&str, String, u32)> = users.iter().map(|user| (*user, format!("r-{user}"), 1)).collect();
    let flat: Vec<serde_json::Value> = words
        .iter()
        .flat_map(|(user, request, wanted)| [(*user).into(), request.as_str().into(), (*wanted).into()])
        .collect();
    let args = (UNSEEN, now, users.len(), pack(flat)).to_redis_args();
    let reply = redis.script(&DEDUCT, &DEDUCT.keys(KIND, "s"), &args).await.expect("a reply");
    let mut values: Vec<Value> = from_redis_value(reply).expect("a list");
    values.pop();
    let answers = values.chunks(2);
    answers.map(|pair| (number(pair[0].clone()), from_redis_value(pair[1].clone()).expect("a text"))).collect()
}

async fn meta(redis: &Raw) -> BTreeMap<String, Vec<u8>> {
    redis.run("HGETALL", key("s", "meta")).await
}

async fn field(redis: &Raw, name: &str) -> Option<String> {
    redis.run("HGET", (key("s", "meta"), name)).await
}

/// The last event, without what each of its kind has.
async fn event(redis: &Raw) -> BTreeMap<String, String> {
    let entries: Vec<(String, BTreeMap<String, Vec<u8>>)> =
        redis.run("XREVRANGE", (key("s", "events"), "+", "-", "COUNT", 1)).await;
    let (_, mut fields) = entries.into_iter().next().expect("an entry");
    fields.remove("request");
    fields.remove("digest");
    fields.into_iter().map(|(name, value)| (name, String::from_utf8(value).expect("text"))).collect()
}

fn fields(expected: &[(&str, &str)]) -> BTreeMap<String, String> {
    expected.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

const DONE: i64 = ReplyCode::Done as i64;
const REPEAT: i64 = ReplyCode::Repeat as i64;
const NOT_OPEN: i64 = ReplyCode::NotOpen as i64;
const PAUSED: i64 = ReplyCode::Paused as i64;
const EXPIRED: i64 = ReplyCode::Expired as i64;
const CLOSED: i64 = ReplyCode::Closed as i64;
const TOO_LATE: i64 = ReplyCode::TooLate as i64;
const OTHER_REQUEST: i64 = ReplyCode::OtherRequest as i64;

/// Start and end of the sales below.
const FIRST: i64 = START + 60_000;
const LAST: i64 = START + 100_000;

#[tokio::test]
async fn all_attempts_of_a_batch_are_decided_by_the_one_time_of_its_call() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    assert_eq!(open(&redis, &["opens_in_s", "60", "ends_in_s", "40"]).await, DONE);
    let early = (NOT_OPEN, format!("{FIRST} {}", FIRST - 1));
    assert_eq!(deduct(&redis, FIRST - 1, &["ann", "bob"]).await, [early.clone(), early]);
    assert_eq!(deduct(&redis, FIRST, &["ann", "bob"]).await, [(DONE, "9".to_owned()), (DONE, "8".to_owned())]);
    assert_eq!(deduct(&redis, LAST - 1, &["cid"]).await, [(DONE, "7".to_owned())]);
    // One's own answer comes first, whatever has happened since.
    let late = (EXPIRED, LAST.to_string());
    assert_eq!(deduct(&redis, LAST, &["dan", "ann"]).await, [late, (REPEAT, "9 deducted".to_owned())]);
    let stats: BTreeMap<String, i64> = redis.run("HGETALL", key("s", "stats")).await;
    assert_eq!((stats["not_open"], stats["won"], stats["ended"], stats["repeat"]), (2, 3, 1, 1));
}

#[tokio::test]
async fn a_sale_without_a_plan_has_none_of_its_fields() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    assert_eq!(open(&redis, &[]).await, DONE);
    let of_life = ["plan", "opens_at", "ends_at", "paused_at", "held_ms", "title_en", "currency", "changes"];
    let meta = meta(&redis).await;
    assert!(of_life.iter().all(|name| !meta.contains_key(*name)), "{:?}", meta.keys());
    assert!(!event(&redis).await.contains_key("plan"));
}

#[tokio::test]
async fn a_plan_is_a_term_of_the_sale() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let plan = ["opens_in_s", "60", "title_en", "Ten", "currency", "JPY"];
    assert_eq!((open(&redis, &plan).await, open(&redis, &plan).await), (DONE, REPEAT));
    for other in [&["opens_in_s", "61"][..], &[]] {
        assert_eq!(open(&redis, other).await, ReplyCode::Exists as i64, "{other:?}");
    }
    let stored = ["opens_at", "title_en", "currency"].map(|name| name.to_owned());
    let found: Vec<Option<String>> = redis.run("HMGET", (key("s", "meta"), &stored[..])).await;
    assert_eq!(found, [Some(FIRST.to_string()), Some("Ten".to_owned()), Some("JPY".to_owned())]);
}

#[tokio::test]
async fn a_plan_that_is_too_late_opens_nothing() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let (past, start) = (START.to_string(), FIRST.to_string());
    let (past, start) = (past.as_str(), start.as_str());
    for plan in [["opens_at", past], ["ends_at", past]] {
        assert_eq!(open(&redis, &plan).await, TOO_LATE, "{plan:?}");
    }
    assert_eq!(open(&redis, &["opens_in_s", "60", "ends_at", start]).await, TOO_LATE);
    assert_eq!(meta(&redis).await, BTreeMap::new());
}

#[tokio::test]
async fn a_pause_refuses_newcomers_and_may_stop_hold_time() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, &[]).await;
    let pause = ["reason", "rain, 雨", "hold_clock", "stops"];
    assert_eq!(change(&redis, START + 5, "p", "paused", &pause).await.0, DONE);
    let at = (START + 5).to_string();
    let event_of = |more: &[(&str, &str)]| {
        let mut all = fields(&[("at", &at), ("delta", "0"), ("sum", "10")]);
        all.extend(fields(more));
        all
    };
    let paused = [("type", "paused"), ("reason", "rain, 雨"), ("hold_clock", "stops")];
    assert_eq!(event(&redis).await, event_of(&paused));
    let before = meta(&redis).await;
    for (request, code) in [("p", REPEAT), ("q", REPEAT)] {
        assert_eq!(change(&redis, START + 6, request, "paused", &pause).await.0, code);
    }
    assert_eq!(change(&redis, START + 6, "p", "resumed", &[]).await.0, OTHER_REQUEST);
    assert_eq!(meta(&redis).await, before, "repeats change nothing");
    let told = format!("{at} rain, 雨");
    assert_eq!(deduct(&redis, START + 7, &["ann"]).await, [(PAUSED, told)]);

    assert_eq!(change(&redis, START + 15, "r", "resumed", &[]).await.0, DONE);
    assert_eq!(event(&redis).await["held_ms"], "10");
    assert_eq!(change(&redis, START + 16, "s", "resumed", &[]).await.0, REPEAT, "it is not paused");
    assert_eq!(deduct(&redis, START + 17, &["ann"]).await[0].0, DONE);
    assert_eq!((field(&redis, "state").await.as_deref(), field(&redis, "paused_at").await), (Some("open"), None));

    // Another one; closing ends it.
    change(&redis, START + 20, "t", "paused", &pause).await;
    redis.script(&CLOSE, &CLOSE.keys(KIND, "s"), &(UNSEEN, START + 25).to_redis_args()).await.expect("a reply");
    assert_eq!(event(&redis).await["held_ms"], "15");
    let left = ["state", "held_ms", "paused_at", "pause_reason", "hold_clock"].map(str::to_owned);
    let found: Vec<Option<String>> = redis.run("HMGET", (key("s", "meta"), &left[..])).await;
    assert_eq!(found, [Some("closed".to_owned()), Some("15".to_owned()), None, None, None]);
    assert_eq!(change(&redis, START + 26, "u", "resumed", &[]).await, (CLOSED, (START + 25).to_string()));
}

#[tokio::test]
async fn the_newest_changes_are_remembered_and_a_full_list_keeps_its_size() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, &[]).await;
    for number in 0..40 {
        let title = format!("Title {number}");
        let request = format!("q{number}");
        assert_eq!(change(&redis, START, &request, "described", &["title_en", &title]).await.0, DONE);
    }
    let stored: Vec<u8> = redis.run("HGET", (key("s", "meta"), "changes")).await;
    let changes: Vec<String> = rmp_serde::from_slice(&stored).expect("a list");
    assert_eq!((changes.len(), changes[0].as_str(), changes[62].as_str()), (64, "q39", "q8"));
    assert_eq!(change(&redis, START, "q8", "described", &["title_en", "Title 8"]).await.0, REPEAT);
    assert_eq!(change(&redis, START, "q8", "described", &["title_en", "other"]).await.0, OTHER_REQUEST);
    assert_eq!(change(&redis, START, "q7", "described", &["title_en", "other"]).await.0, DONE, "it is forgotten");
}

#[tokio::test]
async fn nothing_is_changed_in_a_sale_that_is_not_there_or_is_suspended() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let title = ["title_en", "Ten"];
    assert_eq!(change(&redis, START, "a", "described", &title).await.0, ReplyCode::UnknownSale as i64);
    open(&redis, &[]).await;
    redis.run::<i64>("HSET", (key("s", "meta"), "state", "suspended")).await;
    let before = meta(&redis).await;
    assert_eq!(change(&redis, START, "a", "described", &title).await.0, ReplyCode::Suspended as i64);
    assert_eq!(meta(&redis).await, before);
}
