//! `ledger/suspend.lua`, alone.

use super::refuses_other_numbers;
use crate::support::{
    redis::{Raw, TestRedis},
    sale::{Chunk, END, claim, open, refund_at, replies, stored},
};
use redis::from_redis_value;
use stampede::{ledger::script::SUSPEND, sales::red_packet::service::key};

fn keys() -> Vec<String> {
    vec![key("s", "meta"), key("s", "events")]
}

async fn suspend(redis: &Raw, millis: u64, sequence: u64) -> Vec<i64> {
    let args = [millis, sequence].map(|part| part.to_string().into_bytes());
    from_redis_value(redis.script(&SUSPEND, &keys(), &args).await.expect("a reply")).expect("a code")
}

async fn last(redis: &Raw) -> (u64, u64) {
    let events = stored(redis, "s").await.events;
    let (millis, sequence) = events.last().expect("an event").id.split_once('-').expect("an id");
    (millis.parse().expect("a number"), sequence.parse().expect("a number"))
}

#[tokio::test]
async fn a_sale_that_knows_as_much_as_the_ledger_goes_on() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3]).await;
    claim(&redis, "s", &["ann"]).await;
    let before = stored(&redis, "s").await;
    let (millis, sequence) = last(&redis).await;
    assert_eq!(suspend(&redis, 0, 0).await, [1011]);
    assert_eq!(suspend(&redis, millis, sequence).await, [1011]);
    assert_eq!(suspend(&redis, millis - 1, u64::MAX >> 12).await, [1011]);
    assert_eq!(stored(&redis, "s").await, before);
}

/// By one entry of the same millisecond, or by one of the next, whose number is lower.
#[tokio::test]
async fn a_sale_that_knows_less_is_suspended_and_gives_nothing_away() {
    for (later, sequence) in [(0, 1), (1, 0)] {
        let server = TestRedis::start().await;
        let redis = server.raw().await;
        open(&redis, "s", &[4, 3]).await;
        claim(&redis, "s", &["ann"]).await;
        let before = stored(&redis, "s").await;
        let (millis, last) = last(&redis).await;
        let sequence = if later == 0 { last + sequence } else { sequence };
        assert_eq!(suspend(&redis, millis + later, sequence).await, [0]);
        assert_eq!(suspend(&redis, millis + later, sequence).await, [500]);
        let mut after = stored(&redis, "s").await;
        assert_eq!(after.meta.insert("state".into(), "open".into()).as_deref(), Some("suspended"));
        assert_eq!(after, before, "and nothing else has changed");
        assert_eq!(claim(&redis, "s", &["bob", "ann"]).await, replies(&[(1012, ""), (1012, "")]));
        assert_eq!(refund_at(&redis, "s", END).await, (1012, 0));
        assert_eq!(stored(&redis, "s").await.claimants, before.claimants);
    }
}

#[tokio::test]
async fn a_sale_without_its_stream_is_suspended_and_an_unknown_one_is_not_made() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    assert_eq!(suspend(&redis, 1, 0).await, [1005]);
    assert_eq!(redis.keys().await, 0);
    Chunk::whole(&[4, 3]).part(1, 1).send(&redis, "s").await;
    assert_eq!(suspend(&redis, 1, 0).await, [0], "the ledger has an entry, and it has no stream");
}

#[tokio::test]
async fn a_call_with_other_numbers_of_keys_or_arguments_changes_nothing() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3]).await;
    let args = [b"9999999999999".to_vec(), b"0".to_vec()];
    refuses_other_numbers(&redis, &SUSPEND, &keys(), &args, &[0, 1, 3]).await;
}
