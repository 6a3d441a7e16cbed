//! `ledger/suspend.lua`, alone.

use crate::support::{
    redis::{Raw, TestRedis},
    sale::{Chunk, END, claim, open, refund_at, replies, stored},
};
use engine::red_packet::scripts::key;
use redis::from_redis_value;
use store::fence::SUSPEND;

fn keys() -> Vec<String> {
    vec![key("s", "meta"), key("s", "events")]
}

async fn suspend(redis: &Raw, millis: u64, sequence: u64) -> Vec<i64> {
    let args = [format!("{millis}-{sequence}").into_bytes(), b"0".to_vec()];
    from_redis_value(redis.script(&SUSPEND, &keys(), &args).await.expect("a reply")).expect("a code")
}

fn parts(id: &str) -> (u64, u64) {
    let (millis, sequence) = id.split_once('-').expect("an id");
    (millis.parse().expect("a number"), sequence.parse().expect("a number"))
}

/// The entries of the sale, each by its two numbers.
async fn entries(redis: &Raw) -> Vec<(u64, u64)> {
    stored(redis, "s").await.events.iter().map(|event| parts(&event.id)).collect()
}

async fn last(redis: &Raw) -> (u64, u64) {
    *entries(redis).await.last().expect("an event")
}

#[tokio::test]
async fn a_sale_that_knows_as_much_as_the_ledger_goes_on() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3, 2]).await;
    for user in ["ann", "bob"] {
        claim(&redis, "s", &[user]).await;
    }
    let before = stored(&redis, "s").await;
    let entries = entries(&redis).await;
    assert_eq!(suspend(&redis, 0, 0).await, [1011], "the ledger has nothing yet");
    for (millis, sequence) in &entries {
        assert_eq!(suspend(&redis, *millis, *sequence).await, [1011]);
    }
    assert_eq!(stored(&redis, "s").await, before);
    // Behind the ledger the head is trimmed.
    redis.run::<i64>("XTRIM", (key("s", "events"), "MAXLEN", 1)).await;
    assert_eq!(suspend(&redis, entries[1].0, entries[1].1).await, [1011]);
}

/// Redis came back without its latest entries, and there was a claim before the check: its end is newer than the
/// ledger's.
#[tokio::test]
async fn a_sale_whose_middle_is_missing_is_suspended() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3, 2]).await;
    claim(&redis, "s", &["ann"]).await;
    let (millis, sequence) = last(&redis).await;
    let lost = (millis, sequence + 1);
    redis.run::<()>("XSETID", (key("s", "events"), format!("{millis}-{}", sequence + 5))).await;
    claim(&redis, "s", &["bob"]).await;
    assert!(last(&redis).await > lost);
    assert_eq!(suspend(&redis, lost.0, lost.1).await, [0]);
}

/// Redis lacks an entry of the same millisecond, or one of the next millisecond with a lower sequence.
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
        assert_eq!(after.meta.remove("lost"), Some(format!("{}-{sequence}", millis + later)), "what is missing");
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

/// An operator wants it to be rebuilt from the ledger.
#[tokio::test]
async fn with_an_empty_id_a_sale_is_suspended_whatever_it_knows() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let suspend = async || redis.script(&SUSPEND, &keys(), &[Vec::new(), b"0".to_vec()]).await.expect("a reply");
    assert_eq!(from_redis_value::<Vec<i64>>(suspend().await).expect("a code"), [1005]);
    open(&redis, "s", &[4, 3]).await;
    assert_eq!(from_redis_value::<Vec<i64>>(suspend().await).expect("a code"), [0]);
    assert_eq!(from_redis_value::<Vec<i64>>(suspend().await).expect("a code"), [500]);
    assert!(!stored(&redis, "s").await.meta.contains_key("lost"), "nothing is missing");
    assert_eq!(claim(&redis, "s", &["ann"]).await, replies(&[(1012, "")]));
    redis.run::<i64>("HSET", (key("s", "meta"), "state", "archived")).await;
    assert_eq!(from_redis_value::<Vec<i64>>(suspend().await).expect("a code"), [0], "the ledger has not archived it");
}

#[tokio::test]
async fn what_is_left_of_an_archived_sale_is_no_loss() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    redis.run::<i64>("HSET", (key("s", "meta"), "state", "archived")).await;
    assert_eq!(suspend(&redis, 1, 0).await, [1005]);
    assert_eq!(redis.run::<String>("HGET", (key("s", "meta"), "state")).await, "archived");
}

/// A Redis that evicts: the end of the stream is there, and all that was given is gone.
#[tokio::test]
async fn a_sale_that_lacks_a_key_is_suspended_once_something_was_given() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3, 2]).await;
    let applied = async || {
        let (millis, sequence) = last(&redis).await;
        format!("{millis}-{sequence}").into_bytes()
    };
    let suspend = async |part: &str| {
        let all = [keys(), vec![key("s", part)]].concat();
        let reply = redis.script(&SUSPEND, &all, &[applied().await, b"0".to_vec()]).await.expect("a reply");
        from_redis_value::<Vec<i64>>(reply).expect("a code")
    };
    assert_eq!(suspend("claimants").await, [1011], "nobody has anything yet");
    // One that exists from the opening on.
    let all = [keys(), vec![key("s", "pending")]].concat();
    let args = [applied().await, b"1".to_vec()];
    let reply = redis.script(&SUSPEND, &all, &args).await.expect("a reply");
    assert_eq!(from_redis_value::<Vec<i64>>(reply).expect("a code"), [1011]);
    claim(&redis, "s", &["ann"]).await;
    assert_eq!(suspend("claimants").await, [1011]);
    redis.run::<i64>("DEL", key("s", "claimants")).await;
    assert_eq!(suspend("stats").await, [1011], "that one is there");
    let before = stored(&redis, "s").await.events;
    assert_eq!(suspend("claimants").await, [0]);
    assert_eq!(suspend("claimants").await, [500]);
    let after = stored(&redis, "s").await;
    assert_eq!((after.meta["state"].as_str(), after.events), ("suspended", before));
    assert!(!after.meta.contains_key("lost"), "no event is missing");
    // Of an archived sale, its keys are deleted one after the other.
    redis.run::<i64>("HSET", (key("s", "meta"), "state", "archived")).await;
    assert_eq!(suspend("claimants").await, [1011]);
}

#[tokio::test]
async fn a_call_with_other_numbers_of_keys_or_arguments_changes_nothing() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3]).await;
    let before = stored(&redis, "s").await;
    let [arg, none, one] = ["9999999999999-0", "0", "1"].map(|text| text.as_bytes().to_vec());
    for wrong in [vec![], vec![arg.clone()], vec![arg.clone(), none.clone(), none], vec![arg, one]] {
        redis.script(&SUSPEND, &keys(), &wrong).await.expect_err("a wrong number of arguments, or of keys");
    }
    assert_eq!(stored(&redis, "s").await, before);
}
