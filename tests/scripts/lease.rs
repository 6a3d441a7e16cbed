//! `ledger/lease.lua`, alone.

use crate::support::redis::{Raw, TestRedis};
use ledger::scripts::LEASE;
use redis::from_redis_value;
use store::keys;

async fn ask(redis: &Raw, process: &str, for_ms: u64) -> (i64, String) {
    let args = [process.to_owned().into_bytes(), for_ms.to_string().into_bytes()];
    from_redis_value(redis.script(&LEASE, &[keys::WRITER.one.to_owned()], &args).await.expect("a reply"))
        .expect("a pair")
}

fn is(code: i64, process: &str) -> (i64, String) {
    (code, process.to_owned())
}

#[tokio::test]
async fn one_process_has_it_until_it_gives_it_back() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    assert_eq!(ask(&redis, "one", 60_000).await, is(0, "one"));
    assert_eq!(ask(&redis, "other", 60_000).await, is(1010, "one"));
    assert_eq!(ask(&redis, "other", 0).await, is(1010, "one"), "nobody gives back what another has");
    assert_eq!(ask(&redis, "one", 0).await, is(0, ""));
    assert_eq!(redis.keys().await, 0);
    assert_eq!(ask(&redis, "one", 0).await, is(0, ""), "giving back twice is no harm");
    assert_eq!(ask(&redis, "other", 60_000).await, is(0, "other"));
}

#[tokio::test]
async fn it_lasts_as_long_as_was_asked_for_and_renewing_begins_anew() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let left = async || redis.run::<i64>("PTTL", keys::WRITER.one).await;
    ask(&redis, "one", 1_000).await;
    assert!((1..=1_000).contains(&left().await));
    ask(&redis, "one", 60_000).await;
    assert!((50_000..=60_000).contains(&left().await));
    ask(&redis, "other", 90_000).await;
    assert!((1..=60_000).contains(&left().await), "who is refused prolongs nothing");
}

/// A lease ends at a time of Redis' clock. When that went back by an hour, a dead holder would have it for an hour.
#[tokio::test]
async fn a_lease_from_before_the_clock_went_back_lasts_no_longer_than_another() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    assert_eq!(ask(&redis, "gone", 3_600_000).await, is(0, "gone"));
    assert_eq!(ask(&redis, "other", 5_000).await, is(1010, "gone"), "it may be alive");
    let left: i64 = redis.run("PTTL", keys::WRITER.one).await;
    assert!((1..=5_000).contains(&left), "{left}");
    assert_eq!(ask(&redis, "other", 0).await, is(1010, "gone"), "who gives back asks for nothing");
    assert_eq!(ask(&redis, "gone", 5_000).await, is(0, "gone"), "who lives renews it");
}

/// Somebody copied it, or stored it again, without its end.
#[tokio::test]
async fn a_lease_that_lasts_for_ever_ends_when_another_asks() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    redis.run::<String>("SET", (keys::WRITER.one, "gone")).await;
    assert_eq!(ask(&redis, "other", 0).await, is(1010, "gone"), "who gives back asks for nothing");
    assert_eq!(redis.run::<i64>("PTTL", keys::WRITER.one).await, -1);
    assert_eq!(ask(&redis, "other", 5_000).await, is(1010, "gone"), "it may be alive");
    let left: i64 = redis.run("PTTL", keys::WRITER.one).await;
    assert!((1..=5_000).contains(&left), "{left}");
}
