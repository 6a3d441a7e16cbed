//! `sale/schedule.lua` and `sale/unlist.lua`, alone.

use crate::support::redis::{Raw, TestRedis};
use engine::archiving_schedule::SCHEDULE;
use redis::from_redis_value;
use store::{keys, listing::UNLIST};

async fn schedule(redis: &Raw, name: &str, at: i64, mode: &str) -> i64 {
    let args = [name, &at.to_string(), mode].map(|arg| arg.as_bytes().to_vec());
    let reply = redis.script(&SCHEDULE, &[keys::CLOSED.one.to_owned()], &args).await.expect("a reply");
    from_redis_value::<Vec<i64>>(reply).expect("a code")[0]
}

#[tokio::test]
async fn a_sale_is_scheduled_only_where_it_is_or_only_where_it_is_not() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let at = async |name: &str| redis.run::<Option<i64>>("ZSCORE", (keys::CLOSED.one, name)).await;
    assert_eq!((schedule(&redis, "a", 5, "XX").await, at("a").await), (500, None));
    assert_eq!((schedule(&redis, "a", 5, "NX").await, at("a").await), (0, Some(5)));
    assert_eq!((schedule(&redis, "a", 6, "NX").await, at("a").await), (500, Some(5)));
    assert_eq!((schedule(&redis, "a", 7, "XX").await, at("a").await), (500, Some(7)));
    assert_eq!((schedule(&redis, "a", 0, "").await, at("a").await), (500, Some(0)));
    assert_eq!((schedule(&redis, "b", 9, "").await, at("b").await), (0, Some(9)));
    // A sale with an end is closed before it.
    assert_eq!((schedule(&redis, "b", 10, "LT").await, at("b").await), (500, Some(9)));
    assert_eq!((schedule(&redis, "b", 8, "LT").await, at("b").await), (500, Some(8)));
    assert_eq!((schedule(&redis, "c", 8, "LT").await, at("c").await), (0, Some(8)));
}

#[tokio::test]
async fn a_name_is_taken_out_of_everything_and_that_is_counted() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    for name in ["a", "b"] {
        redis.run::<i64>("ZADD", (keys::SALES.one, 1, name)).await;
        redis.run::<i64>("HSET", (keys::AUDITS.one, name, "{}")).await;
        schedule(&redis, name, 1, "").await;
    }
    let all = [keys::SALES.one, keys::AUDITS.one, keys::CLOSED.one, keys::UNLISTED.one].map(str::to_owned);
    for _ in 0..2 {
        redis.script(&UNLIST, &all, &[b"a".to_vec()]).await.expect("a reply");
    }
    assert_eq!(redis.run::<Vec<String>>("ZRANGE", (keys::SALES.one, 0, -1)).await, ["b"]);
    assert_eq!(redis.run::<Vec<String>>("HKEYS", keys::AUDITS.one).await, ["b"]);
    assert_eq!(redis.run::<Vec<String>>("ZRANGE", (keys::CLOSED.one, 0, -1)).await, ["b"]);
    assert_eq!(redis.run::<i64>("GET", keys::UNLISTED.one).await, 2);
}
