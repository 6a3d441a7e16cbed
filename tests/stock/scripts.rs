//! The scripts by themselves: batches, repeats, the low mark, the load.

use super::cached;
use crate::support::{
    redis::{Raw, TestRedis},
    sale::START,
};
use engine::stock::scripts::{
    ADJUST, Attempt, DEDUCT, GIVE_BACK, KIND, LOAD, OPEN, RequestRecord, RequestState, attempts_list, key,
};
use redis::{ToRedisArgs, Value, from_redis_value};
use serde::Serialize;
use std::collections::BTreeMap;
use store::script::Script;

fn pack(value: impl Serialize) -> Vec<u8> {
    rmp_serde::to_vec(&value).expect("packed")
}

async fn call(redis: &Raw, script: &Script, args: impl ToRedisArgs) -> Vec<Value> {
    let reply = redis.script(script, &script.keys(KIND, "s"), &args.to_redis_args()).await.expect("a reply");
    from_redis_value(reply).expect("a list")
}

fn number(value: &Value) -> i64 {
    from_redis_value(value.clone()).expect("a number")
}

/// Opens the sale "s" and caches its quantity.
async fn opened(quantity: i64, low_mark: &str) -> (TestRedis, Raw) {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    assert_eq!(number(&call(&redis, &OPEN, (START, quantity, 300_000, low_mark, "", "", "", "")).await[0]), 0);
    load(&redis, "0", "0-0").await;
    (server, redis)
}

/// Loads with a lock of its own: code, quantity, and by how much the ledger differs.
async fn load(redis: &Raw, recorded: &str, applied: &str) -> (i64, i64, Option<i64>) {
    redis.run::<String>("SET", (key("s", "rebuild"), "mine", "PX", 3_000)).await;
    let reply = call(redis, &LOAD, ("", START, "mine", recorded, applied, "server")).await;
    let difference = from_redis_value(reply[2].clone()).expect("a number, or nothing");
    (number(&reply[0]), number(&reply[1]), difference)
}

/// The return of all that a request deducted.
fn all(request: &str) -> (&str, &str, &str, &str) {
    (request, "", "", "")
}

fn attempts(wanted: &[(&str, &str, u64)]) -> (usize, Vec<u8>) {
    let attempts: Vec<Attempt> = wanted
        .iter()
        .map(|(user, request, quantity)| Attempt {
            user: (*user).to_owned(),
            request_id: (*request).to_owned(),
            quantity: *quantity,
        })
        .collect();
    (attempts.len(), attempts_list(&attempts))
}

/// Code and detail of each attempt.
async fn deduct(redis: &Raw, wanted: &[(&str, &str, u64)]) -> Vec<(i64, String)> {
    let reply = call(redis, &DEDUCT, ("", START, attempts(wanted))).await;
    let pairs = reply[..reply.len() - 1].chunks_exact(2);
    pairs.map(|pair| (number(&pair[0]), from_redis_value(pair[1].clone()).expect("a detail"))).collect()
}

fn reported(answers: &[(i64, &str)]) -> Vec<(i64, String)> {
    answers.iter().map(|(code, detail)| (*code, (*detail).to_owned())).collect()
}

type Fields = BTreeMap<String, Vec<u8>>;

async fn events(redis: &Raw) -> Vec<(String, Fields)> {
    redis.run("XRANGE", (key("s", "events"), "-", "+")).await
}

fn field(fields: &Fields, name: &str) -> String {
    String::from_utf8(fields[name].clone()).expect("text")
}

async fn stats(redis: &Raw) -> BTreeMap<String, i64> {
    redis.run("HGETALL", key("s", "stats")).await
}

async fn sum(redis: &Raw) -> i64 {
    redis.run("HGET", (key("s", "meta"), "sum")).await
}

#[tokio::test]
async fn attempts_of_a_batch_see_what_those_before_them_did() {
    let (_server, redis) = opened(10, "").await;
    let batch = [
        ("ann", "r1", 4),
        ("bob", "r2", 5),
        ("cid", "r3", 2),
        // The same request once more, of another user, and with another quantity.
        ("ann", "r1", 4),
        ("bob", "r1", 4),
        ("ann", "r1", 3),
        ("dan", "r4", 1),
        ("eve", "r5", 1),
    ];
    let answers = [(0, "6"), (0, "1"), (1032, "1"), (500, "6 deducted"), (1015, ""), (1024, ""), (0, "0"), (1032, "0")];
    assert_eq!(deduct(&redis, &batch).await, reported(&answers));
    assert_eq!((cached(&redis).await, sum(&redis).await), (Some(0), 0));
    let entries = events(&redis).await;
    let (_, event) = &entries[1];
    assert_eq!(
        (field(event, "type"), field(event, "delta"), field(event, "sum")),
        ("deducted".into(), "-10".into(), "0".into())
    );
    let data = pack(("ann", "r1", 4, 6, "bob", "r2", 5, 1, "dan", "r4", 1, 0));
    assert_eq!((field(event, "n"), &event["data"], entries.len()), ("3".into(), &data, 2));
    let stats = stats(&redis).await;
    assert_eq!((stats["won"], stats["deducted"], stats["repeat"], stats["not_enough"]), (3, 10, 1, 2));
    let record: Vec<u8> = redis.run("HGET", (key("s", "requests"), "r2")).await;
    let expected = RequestRecord::new("bob".into(), 5, RequestState::Deducted, 1);
    assert_eq!(rmp_serde::from_slice::<RequestRecord>(&record).expect("a record"), expected);
}

#[tokio::test]
async fn what_is_not_cached_is_neither_sold_out_nor_written() {
    let (_server, redis) = opened(10, "").await;
    deduct(&redis, &[("ann", "r1", 4)]).await;
    redis.run::<i64>("DEL", key("s", "quantity")).await;
    let before = (sum(&redis).await, events(&redis).await.len());
    // A repeat needs no quantity.
    let answers = [(500, "6 deducted"), (1031, ""), (1031, "")];
    assert_eq!(deduct(&redis, &[("ann", "r1", 4), ("bob", "r2", 1), ("bob", "r3", 99)]).await, reported(&answers));
    assert_eq!((sum(&redis).await, events(&redis).await.len()), before);
    assert_eq!(cached(&redis).await, None);
}

#[tokio::test]
async fn each_deduction_renews_the_time_to_live() {
    let (_server, redis) = opened(10, "").await;
    redis.run::<i64>("PEXPIRE", (key("s", "quantity"), 5_000)).await;
    deduct(&redis, &[("ann", "r1", 99)]).await;
    assert!(redis.run::<i64>("PTTL", key("s", "quantity")).await <= 5_000, "a refusal renews nothing");
    deduct(&redis, &[("ann", "r2", 1)]).await;
    let ttl: i64 = redis.run("PTTL", key("s", "quantity")).await;
    assert!((290_000..=300_000).contains(&ttl), "{ttl}");
    // What is given back, or added, keeps the time to live.
    redis.run::<i64>("PEXPIRE", (key("s", "quantity"), 5_000)).await;
    call(&redis, &GIVE_BACK, ("", START, all("r2"))).await;
    call(&redis, &ADJUST, ("", START, "a1", "restocked", 5, "")).await;
    let ttl: i64 = redis.run("PTTL", key("s", "quantity")).await;
    assert!((1..=5_000).contains(&ttl), "{ttl}");
    assert_eq!(cached(&redis).await, Some(15));
}

#[tokio::test]
async fn a_batch_holds_256_attempts_of_one_or_more() {
    let (_server, redis) = opened(1_000, "").await;
    let names: Vec<String> = (0..256).map(|nth| format!("r{nth}")).collect();
    let wanted: Vec<(&str, &str, u64)> = names.iter().map(|name| ("ann", name.as_str(), 1)).collect();
    assert!(deduct(&redis, &wanted).await.iter().all(|(code, _)| *code == 0));
    let keys = DEDUCT.keys(KIND, "s");
    let whole = attempts(&[("ann", "more", 1)]);
    let none: (usize, Vec<u8>) = attempts(&[]);
    let nothing = attempts(&[("ann", "r", 0)]);
    let fraction = (1_usize, pack(("ann", "r", 0.5)));
    let negative = (1_usize, pack(("ann", "r", -1)));
    for (keys, list) in [
        (&keys[..5], whole.clone()),
        (&keys[..], none),
        (&keys[..], (2, whole.1)),
        (&keys[..], nothing),
        (&keys[..], fraction),
        (&keys[..], negative),
    ] {
        redis.script(&DEDUCT, keys, &("", START, list).to_redis_args()).await.expect_err("wrong numbers");
    }
    assert_eq!(cached(&redis).await, Some(744));
}

#[tokio::test]
async fn crossing_the_low_mark_is_announced_once_per_crossing() {
    let (_server, redis) = opened(10, "5").await;
    let low = async || {
        let entries = events(&redis).await;
        entries.last().map(|(_, fields)| field(fields, "low")).expect("an event")
    };
    deduct(&redis, &[("ann", "r1", 4)]).await;
    assert_eq!(low().await, "");
    deduct(&redis, &[("ann", "r2", 1)]).await;
    assert_eq!(low().await, "5");
    deduct(&redis, &[("ann", "r3", 1)]).await;
    assert_eq!(low().await, "", "it is low already");
    call(&redis, &ADJUST, ("", START, "a1", "restocked", 3, "")).await;
    assert_eq!(low().await, "", "upwards");
    deduct(&redis, &[("ann", "r4", 1), ("ann", "r5", 1), ("ann", "r6", 1)]).await;
    assert_eq!(low().await, "4");
    call(&redis, &GIVE_BACK, ("", START, all("r1"))).await;
    call(&redis, &ADJUST, ("", START, "a2", "corrected", 2, "")).await;
    assert_eq!(low().await, "2");
    assert_eq!(stats(&redis).await["crossings"], 3);
}

#[tokio::test]
async fn what_a_request_got_is_given_back_once() {
    let (_server, redis) = opened(10, "").await;
    deduct(&redis, &[("ann", "r1", 4), ("bob", "r2", 3)]).await;
    call(&redis, &ADJUST, ("", START, "a1", "restocked", 1, "")).await;
    let reply = call(&redis, &GIVE_BACK, ("", START, all("r1"), all("r1"), all("none"), all("a1"))).await;
    let codes: Vec<i64> = reply[..8].iter().step_by(2).map(number).collect();
    assert_eq!(codes, [0, 500, 1033, 1033]);
    assert_eq!(from_redis_value::<Vec<u8>>(reply[1].clone()).expect("a detail"), pack(("ann", 4, 0)));
    assert_eq!((cached(&redis).await, sum(&redis).await), (Some(8), 8));
    // The attempt itself is answered as it was, with what became of it.
    assert_eq!(deduct(&redis, &[("ann", "r1", 4)]).await, reported(&[(500, "6 returned")]));
    // Where nothing is cached, nothing is written there.
    redis.run::<i64>("DEL", key("s", "quantity")).await;
    assert_eq!(number(&call(&redis, &GIVE_BACK, ("", START, all("r2"))).await[0]), 0);
    assert_eq!((cached(&redis).await, sum(&redis).await), (None, 11));
}

#[tokio::test]
async fn adjustments_are_differences_and_have_request_ids() {
    let (_server, redis) = opened(10, "").await;
    let adjust = async |request: &str, how: &str, number_of: i64, expected: &str| {
        let reply = call(&redis, &ADJUST, ("", START, request, how, number_of, expected)).await;
        (number(&reply[0]), number(&reply[1]), number(&reply[2]))
    };
    assert_eq!(adjust("a1", "restocked", 5, "").await, (0, 15, 5));
    assert_eq!(adjust("a1", "restocked", 5, "").await, (500, 15, 5));
    assert_eq!(adjust("a1", "restocked", 6, "").await.0, 1024);
    assert_eq!(adjust("a1", "corrected", 15, "").await.0, 1024);
    deduct(&redis, &[("ann", "r1", 3)]).await;
    assert_eq!(adjust("r1", "restocked", 3, "").await.0, 1024);
    // Fourteen were counted when there should have been fifteen; three went since.
    assert_eq!(adjust("a2", "corrected", 14, "15").await, (0, 11, -1));
    assert_eq!(adjust("a2", "corrected", 14, "15").await, (500, 11, -1));
    assert_eq!(adjust("a3", "corrected", 20, "").await, (0, 20, 9));
    assert_eq!(adjust("a4", "corrected", 0, "21").await, (1032, 20, 0), "less than nothing");
    redis.run::<i64>("DEL", key("s", "quantity")).await;
    assert_eq!(adjust("a5", "corrected", 1, "").await, (0, 1, -19), "nothing needs to be cached");
    assert_eq!(adjust("a6", "restocked", 1, "").await, (0, 2, 1));
    assert_eq!((cached(&redis).await, sum(&redis).await), (None, 2));
    let stats = stats(&redis).await;
    assert_eq!((stats["restocked"], stats["corrected"]), (6, -11));
}

#[tokio::test]
async fn a_load_takes_the_sum_and_notes_by_how_much_the_ledger_differs() {
    let (_server, redis) = opened(10, "").await;
    for nth in 0..4 {
        deduct(&redis, &[("ann", &format!("r{nth}"), 1)]).await;
    }
    let entries = events(&redis).await;
    let mut cases: Vec<(String, &str, Option<i64>)> = ["10", "9", "8", "7", "6"]
        .into_iter()
        .zip(&entries)
        .map(|(recorded, (id, _))| (recorded.into(), id.as_str(), Some(0)))
        .collect();
    // More or less than there was; nothing yet; less, as is known.
    cases.push(("100".into(), &entries[4].0, Some(94)));
    cases.push(("7".into(), &entries[1].0, Some(-2)));
    cases.push(("0".into(), "0-0", None));
    cases.push((String::new(), &entries[1].0, None));
    for (recorded, applied, difference) in &cases {
        redis.run::<i64>("DEL", key("s", "quantity")).await;
        assert_eq!(load(&redis, recorded, applied).await, (0, 6, *difference), "{recorded} at {applied}");
        assert_eq!(cached(&redis).await, Some(6));
        assert_eq!(redis.run::<i64>("EXISTS", key("s", "rebuild")).await, 0, "the lock is given back");
        let rebuilds: String = redis.run("HGET", (key("s", "meta"), "rebuilds")).await;
        let noted = difference.map_or_else(String::new, |difference| difference.to_string());
        assert!(rebuilds.starts_with(&format!("{START} server 6 {noted}\n")), "{rebuilds}");
    }
    assert_eq!(load(&redis, "6", &entries[4].0).await, (500, 6, None), "it is cached");
    assert_eq!(stats(&redis).await["rebuilds"], 1 + cases.len() as i64);
}

#[tokio::test]
async fn a_load_without_the_lock_changes_nothing() {
    let (_server, redis) = opened(10, "").await;
    deduct(&redis, &[("ann", "r1", 1)]).await;
    let entries = events(&redis).await;
    redis.run::<i64>("DEL", key("s", "quantity")).await;
    for holder in [None, Some("other")] {
        if let Some(holder) = holder {
            redis.run::<String>("SET", (key("s", "rebuild"), holder)).await;
        }
        let stale = call(&redis, &LOAD, ("", START, "mine", 10, &entries[0].0, "server")).await;
        assert_eq!(number(&stale[0]), 1010);
        assert_eq!(redis.run::<Option<String>>("GET", key("s", "rebuild")).await.as_deref(), holder);
    }
    assert_eq!(cached(&redis).await, None);
}

/// What was trimmed behind the ledger's last entry is not compared; where the stream never had that entry, or has lost
/// it, the sum is too old.
#[tokio::test]
async fn a_load_tells_what_was_trimmed_from_what_is_lost() {
    let (_server, redis) = opened(10, "").await;
    deduct(&redis, &[("ann", "r1", 1)]).await;
    deduct(&redis, &[("ann", "r2", 1)]).await;
    let entries = events(&redis).await;
    redis.run::<i64>("XTRIM", (key("s", "events"), "MINID", &entries[2].0)).await;
    for applied in ["0-0", &entries[0].0, &entries[1].0] {
        redis.run::<i64>("DEL", key("s", "quantity")).await;
        assert_eq!(load(&redis, "10", applied).await, (0, 8, None), "{applied}");
    }
    redis.run::<i64>("DEL", key("s", "quantity")).await;
    assert_eq!(load(&redis, "8", "9999999999999-0").await.0, 1025);
    assert_eq!(load(&redis, "8", &entries[2].0).await.0, 1012);
    assert_eq!(cached(&redis).await, None);
}

/// Below 2^53, which is more than anybody has, scripts and events are exact.
#[tokio::test]
async fn no_change_goes_beyond_the_numbers_that_are_exact() {
    const MOST: i64 = (1 << 53) - 1;
    let (_server, redis) = opened(10, "").await;
    deduct(&redis, &[("ann", "r1", 5)]).await;
    let set = async |sum: i64| {
        redis.run::<i64>("HSET", (key("s", "meta"), "sum", sum)).await;
        redis.run::<String>("SET", (key("s", "quantity"), sum, "KEEPTTL")).await;
    };
    let adjust = async |request: &str, how: &str, number_of: i64, expected: &str| {
        let reply = call(&redis, &ADJUST, ("", START, request, how, number_of, expected)).await;
        (number(&reply[0]), number(&reply[1]), number(&reply[2]))
    };
    set(MOST - 2).await;
    let before = events(&redis).await.len();
    assert_eq!(adjust("a1", "restocked", 3, "").await, (1014, MOST - 2, 0));
    assert_eq!(adjust("a2", "corrected", 9, "6").await, (1014, MOST - 2, 0));
    redis.run::<i64>("DEL", key("s", "quantity")).await;
    assert_eq!(adjust("a1", "restocked", 3, "").await, (1014, MOST - 2, 0), "it is not cached");
    let back = ("", START, all("r1")).to_redis_args();
    let too_much = redis.script(&GIVE_BACK, &GIVE_BACK.keys(KIND, "s"), &back).await.expect_err("too much");
    assert_eq!(too_much.code(), Some("UNTRIED"));
    assert_eq!((sum(&redis).await, events(&redis).await.len()), (MOST - 2, before));
    assert_eq!(redis.run::<i64>("HLEN", key("s", "requests")).await, 1);
    set(MOST - 2).await;
    assert_eq!(adjust("a1", "restocked", 2, "").await, (0, MOST, 2));
    let entries = events(&redis).await;
    let (_, event) = entries.last().expect("an event");
    assert_eq!((field(event, "sum"), sum(&redis).await, cached(&redis).await), (MOST.to_string(), MOST, Some(MOST)));
}
