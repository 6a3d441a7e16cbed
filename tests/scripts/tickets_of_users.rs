//! How many tickets a user has, where somebody has changed that number by hand: it stops the attempts and the orders of
//! that user only, and falls below zero.

use super::cases::{Call, Case, pack};
use crate::{
    support::{
        redis::{Raw, TestRedis},
        sale::START,
    },
    tickets::cases::{call, categories, held},
};
use engine::ticket::scripts::{CANCEL, EXPIRE, RESERVE, key};
use redis::{Value, from_redis_value};

/// What cannot be the number of Bob's tickets, who has one.
const DAMAGES: [Option<&str>; 5] = [Some("-2"), Some("?"), Some("01"), Some("1.0"), Some("")];

/// A sale at which Ann holds two seats and Bob one, with this number of tickets for Bob.
async fn sale_with(redis: &Raw, of_bob: Option<&str>) {
    let none = call(&CANCEL, ("", START, categories(), "o-x"));
    Case::new(held(), none).prepare(redis).await;
    match of_bob {
        Some(number) => _ = redis.run::<i64>("HSET", (key("s", "bought"), "bob", number)).await,
        None => _ = redis.run::<i64>("HDEL", (key("s", "bought"), "bob")).await,
    }
}

/// The reply of a call that must have one.
async fn reply(redis: &Raw, call: Call) -> Vec<Value> {
    from_redis_value(call.run(redis).await.expect("a reply")).expect("a list")
}

fn number(value: &Value) -> i64 {
    from_redis_value(value.clone()).expect("a number")
}

async fn bought(redis: &Raw, user: &str) -> Option<String> {
    redis.run("HGET", (key("s", "bought"), user)).await
}

#[tokio::test]
async fn attempts_of_that_user_only_are_refused() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let none: [u32; 0] = [];
    for damage in DAMAGES {
        sale_with(&redis, damage).await;
        let wanted = (
            ("bob", "r-bob", "o-1", [1, 1, 0], none, [""; 0]),
            ("bob", "r-2", "o-2", [1, 1, 1], none, [""; 0]),
            ("dan", "r-3", "o-3", [1, 1, 1], none, [""; 0]),
        );
        let reply = reply(&redis, call(&RESERVE, ("", START, categories(), pack(wanted)))).await;
        let codes: Vec<i64> = reply[..6].iter().step_by(2).map(number).collect();
        assert_eq!(codes, [500, 1018, 0], "{damage:?}");
        assert_eq!(
            (bought(&redis, "bob").await.as_deref(), bought(&redis, "dan").await.as_deref()),
            (damage, Some("1"))
        );
    }
}

#[tokio::test]
async fn orders_of_that_user_only_stay_as_they_are() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    for damage in DAMAGES.into_iter().chain([Some("0"), None]) {
        sale_with(&redis, damage).await;
        let cancelled = call(&CANCEL, ("", START, categories(), "o-bob", "o-ann", "o-ann"));
        let codes: Vec<i64> = reply(&redis, cancelled).await[..6].iter().step_by(2).map(number).collect();
        assert_eq!(codes, [1018, 0, 500], "{damage:?}");
        assert_eq!(
            (bought(&redis, "ann").await.as_deref(), bought(&redis, "bob").await.as_deref()),
            (Some("0"), damage)
        );
        assert_eq!(redis.run::<i64>("HGET", (key("s", "counts"), "held:1")).await, 1, "{damage:?}");

        sale_with(&redis, damage).await;
        let expired = call(&EXPIRE, ("", START + 60_000, categories(), 64));
        let reply = reply(&redis, expired).await;
        let [code, ended, next, unreadable] = [0, 1, 2, 3].map(|at| number(&reply[at]));
        assert_eq!((code, ended, unreadable), (0, 1, 1), "{damage:?}");
        assert_eq!(next, START + 120_000, "Bob's is tried again after another hold time");
        assert_eq!(
            (bought(&redis, "ann").await.as_deref(), bought(&redis, "bob").await.as_deref()),
            (Some("0"), damage)
        );
        assert_eq!(redis.run::<i64>("ZCARD", key("s", "deadlines")).await, 1);
    }
}
