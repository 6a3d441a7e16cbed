//! `red_packet/open.lua`, alone.

use super::cases::cases;
use crate::support::{
    redis::{TestRedis, healed_are},
    sale::{Chunk, END, LIFE_S, START, claim, claim_at, refund_at, replies, stored, texts},
};
use engine::red_packet::scripts::{KIND, OPEN, key};
use model::EventId;
use store::reply::ReplyCode;

#[tokio::test]
async fn a_sale_in_one_chunk_is_open_at_once() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    assert_eq!(Chunk::whole(&[4, 3, 3]).send(&redis, "s").await, (0, 3));
    let sale = stored(&redis, "s").await;
    assert_eq!(sale.pending, ["1:4", "2:3", "3:3"]);
    assert_eq!(
        sale.meta,
        texts(&[
            ("state", "open"),
            ("total_cents", "10"),
            ("count", "3"),
            ("splitter", "equal"),
            ("seed", "7"),
            ("life_s", "60"),
            ("bucket_cents", "1"),
            ("best_cents", "0"),
            ("opened_at", "1700000000000"),
            ("expires_at", "1700000060000"),
        ])
    );
    assert_eq!(sale.events.len(), 1);
    assert_eq!(
        sale.events[0].fields(),
        [
            ("type", "opened"),
            ("at", "1700000000000"),
            ("total_cents", "10"),
            ("count", "3"),
            ("splitter", "equal"),
            ("seed", "7"),
            ("life_s", "60"),
            ("bucket_cents", "1"),
            ("expires_at", "1700000060000"),
        ]
    );
    assert_eq!(redis.keys().await, 3, "pending, meta, events");
}

#[tokio::test]
async fn the_last_chunk_opens_the_sale_and_starts_its_clock() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let whole = Chunk::whole(&[4, 3, 3, 2, 2]);
    assert_eq!(whole.part(1, 2).send(&redis, "s").await, (0, 2));
    assert_eq!(whole.part(3, 4).send(&redis, "s").await, (0, 4));
    let half = stored(&redis, "s").await;
    assert_eq!(half.meta["state"], "opening");
    assert_eq!(half.events, [], "nobody hears of a half-opened sale");
    assert_eq!(claim(&redis, "s", &["ann"]).await, replies(&[(1006, "")]));

    let last = Chunk { now: START + 1_000, ..whole.part(5, 5) };
    assert_eq!(last.send(&redis, "s").await, (0, 5));
    let sale = stored(&redis, "s").await;
    assert_eq!(sale.pending, ["1:4", "2:3", "3:3", "4:2", "5:2"]);
    assert_eq!(sale.meta["state"], "open");
    assert_eq!(sale.meta["opened_at"], "1700000001000");
    assert_eq!(sale.meta["expires_at"], "1700000061000");
    assert_eq!(sale.events.len(), 1);
    assert_eq!(claim_at(&redis, "s", END + 999, &["ann"]).await, replies(&[(0, "1:4")]));
}

#[tokio::test]
async fn a_chunk_sent_again_changes_nothing() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let whole = Chunk::whole(&[4, 3, 3, 2]);
    whole.part(1, 2).send(&redis, "s").await;
    let before = stored(&redis, "s").await;
    let later = Chunk { now: START + 5, ..whole.part(1, 2) };
    assert_eq!(later.send(&redis, "s").await, (0, 2));
    assert_eq!(whole.part(2, 2).send(&redis, "s").await, (0, 2));
    assert_eq!(stored(&redis, "s").await, before);
}

#[tokio::test]
async fn a_chunk_out_of_turn_changes_nothing() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let whole = Chunk::whole(&[4, 3, 3, 2]);
    assert_eq!(whole.part(3, 4).send(&redis, "s").await, (1008, 0));
    assert_eq!(redis.keys().await, 0);

    whole.part(1, 2).send(&redis, "s").await;
    let before = stored(&redis, "s").await;
    assert_eq!(whole.part(4, 4).send(&redis, "s").await, (1008, 2), "one is missing");
    assert_eq!(whole.part(2, 3).send(&redis, "s").await, (1008, 2), "one is in already");
    let beyond = Chunk { first: 3, cents: vec![1, 1, 1], ..whole.clone() };
    assert_eq!(beyond.send(&redis, "s").await, (1008, 2), "more than the sale has");
    assert_eq!(stored(&redis, "s").await, before);
}

#[tokio::test]
async fn opening_again_on_the_same_terms_is_a_repeat_whatever_happened_since() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let whole = Chunk::whole(&[4, 3, 3]);
    whole.send(&redis, "s").await;
    claim(&redis, "s", &["ann", "bob"]).await;
    let before = stored(&redis, "s").await;
    assert_eq!(Chunk { now: START + 5, ..whole.clone() }.send(&redis, "s").await, (500, 3));
    assert_eq!(stored(&redis, "s").await, before);

    refund_at(&redis, "s", END).await;
    let refunded = stored(&redis, "s").await;
    assert_eq!(whole.send(&redis, "s").await, (500, 3));
    assert_eq!(stored(&redis, "s").await, refunded);
}

#[tokio::test]
async fn the_same_id_on_other_terms_is_refused_open_or_opening() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let whole = Chunk::whole(&[4, 3, 3]);
    whole.send(&redis, "open").await;
    whole.part(1, 2).send(&redis, "opening").await;
    let others = [
        Chunk { total: 11, ..whole.clone() },
        Chunk { count: 4, ..whole.clone() },
        Chunk { splitter: "line_cut", ..whole.clone() },
        Chunk { seed: 8, ..whole.clone() },
        Chunk { life_s: LIFE_S + 1, ..whole.clone() },
    ];
    for sale in ["open", "opening"] {
        let before = stored(&redis, sale).await;
        for other in &others {
            assert_eq!(other.send(&redis, sale).await, (1007, before.pending.len() as i64));
            assert_eq!(other.part(3, 3).send(&redis, sale).await, (1007, before.pending.len() as i64));
        }
        assert_eq!(stored(&redis, sale).await, before);
    }
}

/// Servers tell generations apart by Redis' clock. The caller's may be wrong by a jump of Redis' that it has not heard of.
#[tokio::test]
async fn the_generation_is_of_redis_own_time_and_the_event_is_not_before_it() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let generation = async |sale: &str| {
        redis.run::<String>("HGET", (key(sale, "meta"), "generation")).await.parse::<EventId>().expect("an id")
    };
    let ahead = Chunk { now: 9_999_999_999_999, ..Chunk::whole(&[4, 3, 3]) };
    ahead.part(1, 2).send(&redis, "s").await;
    let (began, (seconds, _)) = (generation("s").await, redis.run::<(u64, u64)>("TIME", None::<&str>).await);
    assert!(began.millis / 1_000 <= seconds && seconds - began.millis / 1_000 < 60, "{began}");
    ahead.part(3, 3).send(&redis, "s").await;
    assert_eq!(generation("s").await, began, "the opening goes on");
    assert!(stored(&redis, "s").await.events[0].id.parse::<EventId>().expect("an id") >= began);

    // As if the clock had gone back since the first chunk.
    ahead.part(1, 2).send(&redis, "t").await;
    redis.run::<i64>("HSET", (key("t", "meta"), "generation", "9999999999999-7")).await;
    ahead.part(3, 3).send(&redis, "t").await;
    let opened: EventId = stored(&redis, "t").await.events[0].id.parse().expect("an id");
    assert!(opened > generation("t").await, "{opened}");
    assert_eq!(claim(&redis, "t", &["ann"]).await, replies(&[(0, "1:4")]));
}

#[tokio::test]
async fn an_expiry_far_away_stays_a_whole_number_of_milliseconds() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let chunk = Chunk { life_s: 366 * 86_400, ..Chunk::whole(&[1]) };
    assert_eq!(chunk.send(&redis, "s").await, (0, 1));
    assert_eq!(stored(&redis, "s").await.meta["expires_at"], "1731622400000");
}

#[tokio::test]
async fn a_flushed_script_is_healed_in_the_same_call_and_counted() {
    let server = TestRedis::start().await;
    let (redis, store) = (server.raw().await, server.store().await);
    redis.run::<()>("SCRIPT", "FLUSH").await;
    let mut reply = store.eval(&OPEN, (KIND, "s"), &Chunk::whole(&[4, 3]).args()).await.expect("a reply");
    assert_eq!((reply.code, reply.next_value()), (ReplyCode::Done, Ok(2)));
    healed_are(&store, &OPEN, 1).await;
    assert_eq!(stored(&redis, "s").await.pending, ["1:4", "2:3"]);
}

/// They would be sold beside those of the sale that is opened.
#[tokio::test]
async fn packets_that_another_opening_has_left_are_not_sold() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let lost = Chunk::whole(&[9, 8, 7, 6]);
    for left in [2, 3, 4] {
        redis.run::<String>("FLUSHALL", "SYNC").await;
        lost.part(1, left).send(&redis, "s").await;
        redis.run::<i64>("DEL", key("s", "meta")).await;
        // That opening does not go on where it was.
        if left < 4 {
            assert_eq!(lost.part(left + 1, 4).send(&redis, "s").await, (1008, 0));
        }
        let whole = Chunk::whole(&[4, 3, 3]);
        assert_eq!(whole.part(1, 2).send(&redis, "s").await, (0, 2));
        let half = stored(&redis, "s").await;
        assert_eq!(half.pending, ["1:4", "2:3"]);
        assert_eq!(whole.part(1, 2).send(&redis, "s").await, (0, 2), "the first chunk once more");
        assert_eq!(stored(&redis, "s").await, half);
        assert_eq!(whole.part(3, 3).send(&redis, "s").await, (0, 3));
        assert_eq!(stored(&redis, "s").await.pending, ["1:4", "2:3", "3:3"]);
    }
    redis.run::<i64>("DEL", key("s", "meta")).await;
    assert_eq!(Chunk::whole(&[5, 5]).send(&redis, "s").await, (0, 2), "all in one chunk");
    assert_eq!(stored(&redis, "s").await.pending, ["1:5", "2:5"]);
}

/// The clock has gone back since, and `meta` is gone.
#[tokio::test]
async fn a_sale_of_any_kind_opens_behind_a_stream_that_is_later_than_the_clock() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let mut opened = 0;
    for case in cases().into_iter().filter(|case| case.call.script.name.ends_with("/open.lua")) {
        let part = |name: &str| {
            let key = case.call.keys.iter().find(|key| key.ends_with(name));
            key.unwrap_or_else(|| panic!("a key {name}")).clone()
        };
        for last in ["9999999999999-7", "9999999999999-0"] {
            case.prepare(&redis).await;
            redis.run::<String>("XADD", (part(":events"), last, "type", "closed")).await;
            case.call.run(&redis).await.unwrap_or_else(|error| panic!("{}: {error}", case.call.script.name));
            let state: String = redis.run("HGET", (part(":meta"), "state")).await;
            if state == "opening" {
                continue;
            }
            assert_eq!(state, "open", "{}", case.call.script.name);
            let id = redis.last_entry(&part(":events")).await.expect("an entry");
            assert!(id.parse::<EventId>().expect("an id") > last.parse().expect("an id"), "{id}");
            opened += 1;
        }
    }
    // Stock is opened with and without a limit and a hold time.
    assert_eq!(opened, 2 * 5);
}
