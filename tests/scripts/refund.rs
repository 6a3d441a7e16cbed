//! `red_packet/refund.lua`, alone.

use crate::support::{
    redis::{TestRedis, healed_are},
    sale::{Chunk, END, START, claim, open, refund_at, stored},
};
use engine::red_packet::scripts::{KIND, REFUND};
use store::reply::ReplyCode;

#[tokio::test]
async fn before_the_end_nothing_goes_back() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3, 3]).await;
    let before = stored(&redis, "s").await;
    assert_eq!(refund_at(&redis, "s", START).await, (1009, END));
    assert_eq!(refund_at(&redis, "s", END - 1).await, (1009, END));
    assert_eq!(stored(&redis, "s").await, before);
}

#[tokio::test]
async fn from_the_end_on_the_unclaimed_money_goes_back_once() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3, 2, 1]).await;
    claim(&redis, "s", &["ann"]).await;
    let before = stored(&redis, "s").await;
    assert_eq!(refund_at(&redis, "s", END).await, (0, 6));

    let after = stored(&redis, "s").await;
    assert_eq!(after.pending, [""; 0]);
    assert_eq!(after.meta["state"], "refunded");
    assert_eq!((after.meta["refunded"].as_str(), after.meta["refunded_cents"].as_str()), ("3", "6"));
    assert_eq!((&after.claimants, &after.stats), (&before.claimants, &before.stats));
    assert_eq!(after.events.len(), 3, "opened, claimed, refunded");
    assert_eq!(
        after.events[2].fields(),
        [("type", "refunded"), ("at", "1700000060000"), ("cents", "6"), ("packets", "3")]
    );

    assert_eq!(refund_at(&redis, "s", END + 1).await, (500, 6));
    assert_eq!(refund_at(&redis, "s", START).await, (500, 6), "also by a clock that is behind");
    assert_eq!(stored(&redis, "s").await, after);
}

#[tokio::test]
async fn of_a_sold_out_sale_nothing_goes_back() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3]).await;
    claim(&redis, "s", &["ann", "bob"]).await;
    assert_eq!(refund_at(&redis, "s", END).await, (0, 0));
    assert_eq!(refund_at(&redis, "s", END).await, (500, 0));
    let sale = stored(&redis, "s").await;
    assert_eq!((sale.meta["refunded"].as_str(), sale.meta["state"].as_str()), ("0", "refunded"));
}

#[tokio::test]
async fn of_an_untouched_sale_everything_goes_back() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3]).await;
    assert_eq!(refund_at(&redis, "s", END + 86_400_000).await, (0, 7));
    assert_eq!(stored(&redis, "s").await.meta["refunded"], "2");
}

#[tokio::test]
async fn an_unknown_and_a_half_opened_sale_refund_nothing() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    assert_eq!(refund_at(&redis, "nope", END).await, (1005, 0));
    assert_eq!(redis.keys().await, 0);
    Chunk::whole(&[4, 3]).part(1, 1).send(&redis, "s").await;
    let before = stored(&redis, "s").await;
    assert_eq!(refund_at(&redis, "s", END + 1).await, (1006, 0));
    assert_eq!(stored(&redis, "s").await, before);
}

#[tokio::test]
async fn a_flushed_script_is_healed_in_the_same_call_and_counted() {
    let server = TestRedis::start().await;
    let (redis, store) = (server.raw().await, server.store().await);
    open(&redis, "s", &[4, 3]).await;
    redis.run::<()>("SCRIPT", "FLUSH").await;
    let mut reply = store.change(&REFUND, (KIND, "s"), &[END]).await.expect("a reply");
    assert_eq!((reply.code, reply.next_value()), (ReplyCode::Done, Ok(7)));
    healed_are(&store, &REFUND, 1).await;
    assert_eq!(stored(&redis, "s").await.events.len(), 2);
}
