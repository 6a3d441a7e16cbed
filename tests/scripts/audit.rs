//! `red_packet/audit.lua`, alone.

use crate::support::{
    redis::{Raw, TestRedis},
    sale::{Chunk, END, audit_keys, claim, open, refund_at, stored},
};
use engine::red_packet::scripts::{AUDIT, KIND, key};
use redis::from_redis_value;
use std::collections::BTreeMap;
use store::reply::ReplyCode;

/// Code, last event, pending, claimants, won, claimed cents; the record is looked at apart.
type Figures = (i64, String, i64, i64, i64, i64);

async fn figures(redis: &Raw, sale: &str) -> Figures {
    let reply = redis.script(&AUDIT, &audit_keys(sale), &[]).await.expect("a reply");
    type Reply = (i64, String, BTreeMap<String, String>, i64, i64, i64, i64);
    let (code, last, record, pending, claimants, won, cents): Reply = from_redis_value(reply).expect("figures");
    assert_eq!(record, redis.run("HGETALL", key(sale, "meta")).await);
    (code, last, pending, claimants, won, cents)
}

#[tokio::test]
async fn the_figures_are_those_of_the_sale_and_asking_changes_nothing() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3, 2, 1]).await;
    claim(&redis, "s", &["ann", "bob", "ann"]).await;
    let before = stored(&redis, "s").await;
    let last = before.events[1].id.clone();
    assert_eq!(figures(&redis, "s").await, (0, last, 2, 2, 2, 7));
    assert_eq!(stored(&redis, "s").await, before);

    refund_at(&redis, "s", END).await;
    let last = stored(&redis, "s").await.events[2].id.clone();
    assert_eq!(figures(&redis, "s").await, (0, last, 0, 2, 2, 7));
}

#[tokio::test]
async fn an_untouched_sale_counts_nothing() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3]).await;
    let last = stored(&redis, "s").await.events[0].id.clone();
    assert_eq!(figures(&redis, "s").await, (0, last, 2, 0, 0, 0));
}

#[tokio::test]
async fn an_unknown_and_a_half_opened_sale_have_no_figures() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let reply = async |sale: &str| {
        let reply = redis.script(&AUDIT, &audit_keys(sale), &[]).await.expect("a reply");
        from_redis_value::<Vec<i64>>(reply).expect("a code")
    };
    assert_eq!(reply("nope").await, [1005]);
    Chunk::whole(&[4, 3]).part(1, 1).send(&redis, "s").await;
    assert_eq!(reply("s").await, [1006]);
}

#[tokio::test]
async fn a_flushed_script_is_healed_in_the_same_call_and_counted() {
    let server = TestRedis::start().await;
    let (redis, store) = (server.raw().await, server.store().await);
    open(&redis, "s", &[4, 3]).await;
    redis.run::<()>("SCRIPT", "FLUSH").await;
    let mut figures = store.eval(&AUDIT, (KIND, "s"), &[] as &[&str]).await.expect("figures");
    assert_eq!(figures.code, ReplyCode::Done);
    let (last, record): (String, BTreeMap<String, String>) =
        (figures.next_value().expect("an id"), figures.next_value().expect("a record"));
    assert_eq!((&last, record["state"].as_str()), (&stored(&redis, "s").await.events[0].id, "open"));
    assert_eq!(store.healed(&AUDIT).await, Ok(1));
}
