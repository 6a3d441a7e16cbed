//! `red_packet/resume.lua`, alone.

use crate::support::{
    redis::{Raw, TestRedis},
    sale::{START, claim, claim_at, open, recovery_keys, replies, stored, texts},
};
use engine::{
    recovery::BEGIN_RECOVERY,
    red_packet::scripts::{RECOVER, RESUME, key},
};
use model::EventId;
use redis::{ToRedisArgs, from_redis_value};

/// The terms of a sale of ten cents, as they come back.
const META: [&str; 18] = [
    "state",
    "open",
    "total_cents",
    "10",
    "count",
    "4",
    "splitter",
    "equal",
    "seed",
    "7",
    "life_s",
    "60",
    "bucket_cents",
    "1",
    "expires_at",
    "1700000060000",
    "best_cents",
    "4",
];
const STATS: [&str; 4] = ["won", "1", "claimed_cents", "4"];

fn args(token: &str, waiting: u64, holding: u64, applied: &str, entries: u64) -> Vec<Vec<u8>> {
    let generation = applied.parse::<EventId>().expect("an id").next().expect("a later id").to_string();
    let mut args = (token, START, waiting, holding, applied, entries, generation, 5, META.len() / 2).to_redis_args();
    args.extend(META.iter().chain(&STATS).map(|text| text.as_bytes().to_vec()));
    args
}

async fn resume(redis: &Raw, args: &[Vec<u8>]) -> Vec<i64> {
    from_redis_value(redis.script(&RESUME, &recovery_keys("s"), args).await.expect("a reply")).expect("a code")
}

/// Ann has packet 1; 2 to 4 wait.
async fn put_back(redis: &Raw) {
    redis.script(&BEGIN_RECOVERY, &[key("s", "meta")], &[b"t".to_vec()]).await.expect("a reply");
    let chunk = ("t", 0, 3, "2:3", "3:2", "4:1", "ann", "1:4").to_redis_args();
    let reply = redis.script(&RECOVER, &recovery_keys("s"), &chunk).await.expect("a reply");
    assert_eq!(from_redis_value::<Vec<i64>>(reply).expect("a code"), [0]);
}

#[tokio::test]
async fn the_sale_goes_on_where_the_ledger_has_it() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    put_back(&redis).await;
    // The clock behind the ledger's last entry was ahead of this machine's.
    assert_eq!(resume(&redis, &args("t", 3, 1, "9999999999999-3", 17)).await, [0]);
    let sale = stored(&redis, "s").await;
    let mut meta: Vec<(&str, &str)> = META.chunks(2).map(|pair| (pair[0], pair[1])).collect();
    meta.push(("given", "1"));
    assert_eq!(sale.meta, texts(&meta), "the recovery has left nothing");
    assert_eq!((sale.stats["won"], sale.stats["claimed_cents"]), (1, 4));
    let [event] = sale.events.as_slice() else { panic!("{:?}", sale.events) };
    assert_eq!(event.id, "9999999999999-4", "after all that the ledger has");
    let at = START.to_string();
    assert_eq!(event.fields(), [("type", "recovered"), ("at", at.as_str()), ("won", "1"), ("unseen", "5")]);
    let generation: String = redis.run("HGET", (key("s", "meta"), "generation")).await;
    assert_eq!(generation, event.id);
    let marked: Vec<redis::Value> = redis.run("XINFO", ("STREAM", key("s", "events"))).await;
    let field = |name: &str| {
        let pair = marked.chunks(2).find(|pair| pair[0] == redis::Value::BulkString(name.as_bytes().to_vec()));
        from_redis_value::<String>(pair.expect("a field")[1].clone()).expect("text")
    };
    assert_eq!((field("entries-added").as_str(), field("max-deleted-entry-id").as_str()), ("18", "9999999999999-3"));
    let expected = replies(&[(500, "1:4"), (0, "2:3")]);
    assert_eq!(claim_at(&redis, "s", START + 1, &["ann", "bob"]).await, expected);
}

#[tokio::test]
async fn resuming_again_changes_nothing() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    put_back(&redis).await;
    resume(&redis, &args("t", 3, 1, "5-3", 17)).await;
    claim(&redis, "s", &["bob"]).await;
    let before = stored(&redis, "s").await;
    assert_eq!(resume(&redis, &args("t", 3, 1, "5-3", 17)).await, [500]);
    assert_eq!(resume(&redis, &args("other", 0, 0, "5-3", 17)).await, [500]);
    assert_eq!(stored(&redis, "s").await, before);
}

#[tokio::test]
async fn what_is_not_put_back_whole_stays_suspended() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    assert_eq!(resume(&redis, &args("t", 3, 1, "5-3", 17)).await, [1005]);
    assert_eq!(redis.keys().await, 0);
    put_back(&redis).await;
    let before = stored(&redis, "s").await;
    assert_eq!(resume(&redis, &args("t", 4, 1, "5-3", 17)).await, [1013]);
    assert_eq!(resume(&redis, &args("t", 3, 2, "5-3", 17)).await, [1013]);
    assert_eq!(resume(&redis, &args("other", 3, 1, "5-3", 17)).await, [1008]);
    assert_eq!(stored(&redis, "s").await, before);
}

#[tokio::test]
async fn a_call_with_other_numbers_of_keys_or_arguments_changes_nothing() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3]).await;
    redis.run::<i64>("HSET", (key("s", "meta"), "state", "suspended", "recovery", "t")).await;
    let before = stored(&redis, "s").await;
    let args = args("t", 2, 0, "5-3", 17);
    redis.script(&RESUME, &recovery_keys("s")[..4], &args).await.expect_err("a key is missing");
    redis.script(&RESUME, &recovery_keys("s"), &args[..7]).await.expect_err("an argument is missing");
    redis.script(&RESUME, &recovery_keys("s"), &args[..13]).await.expect_err("fields are missing");
    let mut early = args.clone();
    early[6] = b"5-3".to_vec();
    redis.script(&RESUME, &recovery_keys("s"), &early).await.expect_err("no later than the ledger");
    assert_eq!(stored(&redis, "s").await, before);
}
