//! `ledger/ack_and_trim.lua`, alone.

use crate::support::{
    redis::{Raw, TestRedis},
    sale::{claim, open, stored},
};
use engine::red_packet::scripts::key;
use ledger::scripts::ACK_AND_TRIM;
use redis::{Value, from_redis_value};

async fn pass(redis: &Raw, applied: &str, count: u64, keep_from: &str) -> Vec<i64> {
    let args = [applied.to_owned(), count.to_string(), keep_from.to_owned()].map(String::into_bytes);
    from_redis_value(redis.script(&ACK_AND_TRIM, &[key("s", "events")], &args).await.expect("a reply")).expect("a code")
}

async fn ids(redis: &Raw) -> Vec<String> {
    stored(redis, "s").await.events.into_iter().map(|event| event.id).collect()
}

/// Last delivered id, entries read, lag of the only group.
async fn group(redis: &Raw) -> (String, i64, i64) {
    let groups: Vec<Vec<Value>> = redis.run("XINFO", ("GROUPS", key("s", "events"))).await;
    let [group] = groups.as_slice() else { panic!("{groups:?}") };
    let name: String = from_redis_value(group[1].clone()).expect("a name");
    assert_eq!(name, "ledger");
    let value = |at: usize| group[at].clone();
    (
        from_redis_value(value(7)).expect("an id"),
        from_redis_value(value(9)).expect("a number"),
        from_redis_value(value(11)).expect("a number"),
    )
}

async fn with_five_entries(redis: &Raw) -> Vec<String> {
    open(redis, "s", &[4, 3, 2, 1]).await;
    for user in ["ann", "bob", "cid", "dan"] {
        claim(redis, "s", &[user]).await;
    }
    ids(redis).await
}

#[tokio::test]
async fn it_marks_what_is_written_and_trims_what_is_older_than_it_is_told() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let all = with_five_entries(&redis).await;
    assert_eq!(pass(&redis, &all[1], 2, "0-0").await, [0]);
    assert_eq!((group(&redis).await, ids(&redis).await), ((all[1].clone(), 2, 3), all.clone()));
    assert_eq!(pass(&redis, &all[3], 4, &all[2]).await, [0]);
    assert_eq!((group(&redis).await, ids(&redis).await), ((all[3].clone(), 4, 1), all[2..].to_vec()));
    assert_eq!(pass(&redis, &all[3], 4, &all[2]).await, [0], "saying it again changes nothing");
    assert_eq!((group(&redis).await, ids(&redis).await), ((all[3].clone(), 4, 1), all[2..].to_vec()));
}

/// A writer that stalled acknowledges what it had recorded before another one took over.
#[tokio::test]
async fn a_late_mark_does_not_go_back() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let all = with_five_entries(&redis).await;
    assert_eq!(pass(&redis, &all[3], 4, "0-0").await, [0]);
    assert_eq!(pass(&redis, &all[1], 2, "0-0").await, [0]);
    assert_eq!((group(&redis).await, ids(&redis).await), ((all[3].clone(), 4, 1), all));
}

#[tokio::test]
async fn it_never_trims_entries_that_the_ledger_lacks() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let all = with_five_entries(&redis).await;
    pass(&redis, &all[1], 2, &all[4]).await;
    assert!(ids(&redis).await.contains(&all[2]), "entry 3 is not in the ledger, whatever the caller says");
}

/// Another Redis has taken the place of the one that the entries were read from: what it has was never recorded.
#[tokio::test]
async fn nothing_is_trimmed_behind_an_entry_that_is_not_there() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let all = with_five_entries(&redis).await;
    pass(&redis, &all[1], 2, "0-0").await;
    let before = group(&redis).await;
    let (millis, sequence) = all[3].split_once('-').expect("an id");
    let elsewhere = format!("{millis}-{}", sequence.parse::<u64>().expect("a number") + 1_000_000);
    for applied in [&elsewhere, "9999999999999-0"] {
        assert_eq!(pass(&redis, applied, 4, applied).await, [1025]);
        assert_eq!((group(&redis).await, ids(&redis).await), (before.clone(), all.clone()));
    }
}

#[tokio::test]
async fn an_unknown_sale_gets_no_mark() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    assert_eq!(pass(&redis, "1-1", 1, "0-0").await, [1005]);
    assert_eq!(redis.keys().await, 0);
}
