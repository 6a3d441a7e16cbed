//! `ledger/stream_position.lua`, alone.

use crate::support::{
    redis::{Raw, TestRedis},
    sale::{START, claim, claim_at, open, stored},
};
use engine::red_packet::scripts::key;
use ledger::scripts::STREAM_POSITION;
use redis::from_redis_value;

type Figures = (i64, i64, String, i64, String, String, i64);

async fn mark(redis: &Raw, applied: &str) -> Figures {
    let args = [applied.to_owned().into_bytes()];
    from_redis_value(redis.script(&STREAM_POSITION, &[key("s", "events")], &args).await.expect("a reply"))
        .expect("figures")
}

fn text(value: &str) -> String {
    value.to_owned()
}

#[tokio::test]
async fn it_tells_where_the_stream_is_and_since_when_the_oldest_waits() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3, 2, 1]).await;
    claim(&redis, "s", &["ann"]).await;
    claim_at(&redis, "s", START + 500, &["bob"]).await;
    let ids: Vec<String> = stored(&redis, "s").await.events.into_iter().map(|event| event.id).collect();
    let figures = |waiting: &str| (0, 3, ids[2].clone(), 3, text(waiting), text("0-0"), 0);
    assert_eq!(mark(&redis, "0-0").await, figures(&START.to_string()));
    assert_eq!(mark(&redis, &ids[1]).await, figures(&(START + 500).to_string()));
    assert_eq!(mark(&redis, &ids[2]).await, figures(""));
    assert_eq!(mark(&redis, "").await, figures(&START.to_string()), "nothing is marked yet");
}

#[tokio::test]
async fn it_tells_what_is_left_and_what_is_marked() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3, 2, 1]).await;
    for user in ["ann", "bob", "cid"] {
        claim(&redis, "s", &[user]).await;
    }
    let ids: Vec<String> = stored(&redis, "s").await.events.into_iter().map(|event| event.id).collect();
    let events = key("s", "events");
    redis.run::<()>("XGROUP", ("CREATE", &events, "somebody", "$")).await;
    redis.run::<()>("XGROUP", ("CREATE", &events, "ledger", &ids[2], "ENTRIESREAD", 3)).await;
    redis.run::<i64>("XDEL", (&events, &ids[0])).await;
    let figures = |waiting: &str| (0, 3, ids[3].clone(), 4, text(waiting), ids[2].clone(), 3);
    assert_eq!(mark(&redis, "").await, figures(&START.to_string()), "seen from the mark");
    assert_eq!(mark(&redis, &ids[3]).await, figures(""));
    let before = stored(&redis, "s").await;
    assert_eq!(mark(&redis, "").await, figures(&START.to_string()));
    assert_eq!(stored(&redis, "s").await, before);
}

#[tokio::test]
async fn of_an_unknown_sale_there_is_nothing_to_tell() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let reply = redis.script(&STREAM_POSITION, &[key("s", "events")], &[b"0-0".to_vec()]).await.expect("a reply");
    assert_eq!(from_redis_value::<Vec<i64>>(reply).expect("a code"), [1005]);
    assert_eq!(redis.keys().await, 0);
}
