//! `red_packet/recover.lua`, alone.

use crate::support::{
    redis::{Raw, TestRedis},
    sale::{claim, open, recovery_keys, replies, stored, texts},
};
use engine::{
    recovery::BEGIN_RECOVERY,
    red_packet::scripts::{RECOVER, key},
};
use redis::from_redis_value;

/// Begins a recovery of a lost or suspended sale.
async fn begin(redis: &Raw, token: &str) -> Vec<i64> {
    let reply = redis.script(&BEGIN_RECOVERY, &[key("s", "meta"), key("s", "attempts")], &[token.into()]).await;
    from_redis_value(reply.expect("a reply")).expect("a code")
}

/// Puts a chunk back: packets, and user and packet in turn.
async fn put(redis: &Raw, token: &str, chunk: u64, packets: &[&str], claims: &[&str]) -> Vec<i64> {
    let head = [token.to_owned(), chunk.to_string(), packets.len().to_string()];
    let args = head.iter().map(String::as_str).chain(packets.iter().copied()).chain(claims.iter().copied());
    let args: Vec<Vec<u8>> = args.map(|arg| arg.as_bytes().to_vec()).collect();
    from_redis_value(redis.script(&RECOVER, &recovery_keys("s"), &args).await.expect("a reply")).expect("a code")
}

#[tokio::test]
async fn chunks_are_put_back_in_their_order_and_the_sale_stays_suspended() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    assert_eq!(begin(&redis, "t").await, [0]);
    assert_eq!(put(&redis, "t", 0, &["3:2", "4:1"], &["ann", "1:4"]).await, [0]);
    assert_eq!(put(&redis, "t", 1, &["5:1"], &["bob", "2:3"]).await, [0]);
    let sale = stored(&redis, "s").await;
    assert_eq!(sale.pending, ["3:2", "4:1", "5:1"]);
    assert_eq!(sale.claimants, texts(&[("ann", "1:4"), ("bob", "2:3")]));
    let of_meta = [("state", "suspended"), ("recovery", "t"), ("next_chunk", "2"), ("lost", "0-0")];
    assert_eq!(sale.meta, texts(&of_meta), "it was gone, which stays known until the end");
    assert_eq!(claim(&redis, "s", &["eve"]).await, replies(&[(1012, "")]));
}

#[tokio::test]
async fn a_chunk_that_comes_again_or_out_of_turn_changes_nothing() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    assert_eq!(put(&redis, "t", 0, &["1:1"], &[]).await, [1008], "it has not begun");
    assert_eq!(redis.keys().await, 0);
    begin(&redis, "t").await;
    assert_eq!(put(&redis, "t", 1, &["1:1"], &[]).await, [1008], "the first is missing");
    assert_eq!(redis.keys().await, 1);
    put(&redis, "t", 0, &["1:4", "2:3"], &[]).await;
    put(&redis, "t", 1, &["3:2"], &["ann", "5:9"]).await;
    let before = stored(&redis, "s").await;
    assert_eq!(put(&redis, "t", 0, &["1:4", "2:3"], &[]).await, [500]);
    assert_eq!(put(&redis, "t", 1, &["3:2"], &["ann", "5:9"]).await, [500]);
    assert_eq!(put(&redis, "t", 3, &["4:1"], &[]).await, [1008], "the third is missing");
    assert_eq!(put(&redis, "other", 1, &["3:2"], &[]).await, [1008], "another recovery is at it");
    assert_eq!(stored(&redis, "s").await, before);
}

#[tokio::test]
async fn only_the_newest_recovery_restores_a_sale() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    begin(&redis, "t").await;
    begin(&redis, "other").await;
    assert_eq!(put(&redis, "t", 0, &["1:4", "2:3"], &[]).await, [1008], "it has read the ledger before the other");
    assert_eq!(put(&redis, "other", 0, &["1:4", "2:3"], &["ann", "3:2"]).await, [0]);
    begin(&redis, "third").await;
    assert_eq!(put(&redis, "other", 1, &["9:9"], &[]).await, [1008]);
    assert_eq!(put(&redis, "third", 0, &["1:4"], &["bob", "2:3"]).await, [0]);
    let sale = stored(&redis, "s").await;
    assert_eq!((sale.pending, sale.claimants), (vec!["1:4".to_owned()], texts(&[("bob", "2:3")])));
    // The sale was live since, and is suspended once more.
    redis.run::<i64>("HDEL", (key("s", "meta"), "recovery", "next_chunk")).await;
    assert_eq!(put(&redis, "third", 0, &["1:4"], &[]).await, [1008]);
}

#[tokio::test]
async fn a_recovery_that_begins_deletes_what_it_does_not_restore_and_keeps_the_rest() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3, 2]).await;
    claim(&redis, "s", &["ann"]).await;
    redis.run::<String>("XADD", (key("s", "attempts"), "*", "user", "bob")).await;
    assert_eq!(begin(&redis, "t").await, [1007], "it is live");
    redis.run::<i64>("HSET", (key("s", "meta"), "state", "suspended")).await;
    let before = stored(&redis, "s").await;
    assert_eq!(begin(&redis, "t").await, [0]);
    let after = stored(&redis, "s").await;
    assert_eq!(
        (after.claimants, after.pending, after.events.len()),
        (before.claimants, before.pending, before.events.len())
    );
    assert_eq!(redis.run::<i64>("EXISTS", key("s", "attempts")).await, 0);
    // Something else in the place of the record is a loss.
    redis.run::<String>("SET", (key("s", "meta"), "x")).await;
    assert_eq!(begin(&redis, "t").await, [0]);
    assert_eq!(
        stored(&redis, "s").await.meta,
        texts(&[("state", "suspended"), ("recovery", "t"), ("next_chunk", "0")])
    );
}

#[tokio::test]
async fn what_is_left_of_a_suspended_sale_is_cleared_away() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3, 2]).await;
    claim(&redis, "s", &["ann"]).await;
    redis.run::<i64>("HSET", (key("s", "meta"), "state", "suspended", "lost", "7-1")).await;
    begin(&redis, "t").await;
    assert_eq!(put(&redis, "t", 0, &[], &["bob", "1:4"]).await, [0]);
    let sale = stored(&redis, "s").await;
    assert_eq!((sale.pending.len(), sale.events.len(), sale.stats.len()), (0, 0, 0));
    assert_eq!(sale.claimants, texts(&[("bob", "1:4")]));
    let of_meta = [("state", "suspended"), ("recovery", "t"), ("next_chunk", "1"), ("lost", "7-1")];
    assert_eq!(sale.meta, texts(&of_meta), "and why it is suspended stays known");
}

#[tokio::test]
async fn a_living_sale_is_left_alone() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3]).await;
    for state in ["open", "opening", "refunded"] {
        redis.run::<i64>("HSET", (key("s", "meta"), "state", state)).await;
        let before = stored(&redis, "s").await;
        assert_eq!(put(&redis, "t", 0, &["1:4"], &[]).await, [1007], "{state}");
        assert_eq!(stored(&redis, "s").await, before);
    }
}
