//! `red_packet/snapshot.lua`, alone.

use crate::support::{
    redis::{Raw, TestRedis, healed_are},
    sale::{Chunk, END, claim, open, refund_at, snapshot_keys, stored},
};
use engine::red_packet::{
    history::claims,
    scripts::{KIND, SNAPSHOT, key},
};
use redis::{Value, from_redis_value};
use std::collections::BTreeMap;
use store::{reply::ReplyCode, stream::Entry};

type Fields = BTreeMap<String, String>;
type Reply = (i64, Fields, Fields, i64, String, Vec<Entry>, Vec<Entry>, Option<String>);

async fn snapshot(redis: &Raw, sale: &str, wanted: [usize; 2]) -> Reply {
    let args = wanted.map(|wanted| wanted.to_string().into_bytes());
    from_redis_value(redis.script(&SNAPSHOT, &snapshot_keys(sale), &args).await.expect("a reply")).expect("a snapshot")
}

#[tokio::test]
async fn the_snapshot_is_all_of_one_moment_and_asking_changes_nothing() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3, 2, 1]).await;
    claim(&redis, "s", &["ann", "bob", "ann"]).await;
    redis.run::<()>("SET", (key("s", "crowd"), "{}")).await;
    let before = stored(&redis, "s").await;
    let (code, meta, stats, pending, last, events, attempts, crowd) = snapshot(&redis, "s", [32, 16]).await;
    assert_eq!((code, pending, crowd.as_deref()), (0, 2, Some("{}")));
    // But for what no page shows.
    let mut shown = before.meta.clone();
    shown.retain(|field, _| !["seed", "life_s", "best_cents", "given"].contains(&field.as_str()));
    assert_eq!(meta, shown);
    assert_eq!(stats, before.stats.iter().map(|(name, n)| (name.clone(), n.to_string())).collect());
    assert_eq!(last, before.events[1].id);
    assert_eq!(events.len(), 1, "only claims");
    let users: Vec<String> = claims(&events[0]).expect("claims").into_iter().map(|claim| claim.user).collect();
    assert_eq!(users, ["ann", "bob"]);
    assert_eq!(attempts.len(), 1);
    assert_eq!(attempts[0].0, before.attempts[0].id);
    assert_eq!(stored(&redis, "s").await, before);
}

#[tokio::test]
async fn the_newest_claims_come_first_and_no_more_entries_than_it_takes() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[1; 40]).await;
    for user in 0..30 {
        claim(&redis, "s", &[&format!("u{user}")]).await;
    }
    let ids: Vec<String> = stored(&redis, "s").await.events.into_iter().map(|event| event.id).rev().collect();
    let seen = async |wanted: usize| {
        let events = snapshot(&redis, "s", [wanted, 16]).await.5;
        events.into_iter().map(|(id, _)| id).collect::<Vec<_>>()
    };
    assert_eq!(seen(1).await, ids[..1]);
    assert_eq!(seen(5).await, ids[..5]);
    assert_eq!(seen(32).await, ids[..30], "all there are, without the opening");

    // A batch of eight is enough for eight, and one more entry brings the ninth.
    let batch: Vec<String> = (0..8).map(|user| format!("b{user}")).collect();
    claim(&redis, "s", &batch.iter().map(String::as_str).collect::<Vec<_>>()).await;
    assert_eq!(seen(8).await.len(), 1);
    assert_eq!(seen(9).await.len(), 2);

    // An event that is not a claim does not take the place of one.
    refund_at(&redis, "s", END).await;
    assert_eq!(seen(9).await.len(), 2);
    assert_eq!(seen(10).await.len(), 3);
}

#[tokio::test]
async fn a_refund_as_the_newest_event_hides_no_claim() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[1; 5]).await;
    for user in ["ann", "bob", "cid", "dan"] {
        claim(&redis, "s", &[user]).await;
    }
    refund_at(&redis, "s", END).await;
    assert_eq!(snapshot(&redis, "s", [3, 16]).await.5.len(), 3);
    assert_eq!(snapshot(&redis, "s", [1, 16]).await.5.len(), 1);
}

#[tokio::test]
async fn a_half_opened_sale_is_shown_without_history() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    Chunk::whole(&[4, 3]).part(1, 1).send(&redis, "s").await;
    let (code, meta, stats, pending, last, events, attempts, crowd) = snapshot(&redis, "s", [32, 16]).await;
    assert_eq!((code, meta["state"].as_str(), pending, last.as_str()), (0, "opening", 1, "0-0"));
    assert_eq!((stats.len(), events.len(), attempts.len(), crowd), (0, 0, 0, None));
    assert_eq!(redis.keys().await, 2, "looking made no stream");
}

#[tokio::test]
async fn an_unknown_sale_is_only_named_as_such() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let args = [b"32".to_vec(), b"16".to_vec()];
    let reply = redis.script(&SNAPSHOT, &snapshot_keys("nope"), &args).await.expect("a reply");
    assert_eq!(reply, Value::Array(vec![Value::Int(1005)]));
    assert_eq!(redis.keys().await, 0);
}

#[tokio::test]
async fn a_flushed_script_is_healed_in_the_same_call_and_counted() {
    let server = TestRedis::start().await;
    let (redis, store) = (server.raw().await, server.store().await);
    open(&redis, "s", &[4, 3]).await;
    redis.run::<()>("SCRIPT", "FLUSH").await;
    let reply = store.eval(&SNAPSHOT, (KIND, "s"), &[32, 16]).await.expect("a snapshot");
    assert_eq!(reply.code, ReplyCode::Done);
    healed_are(&store, &SNAPSHOT, 1).await;
}
