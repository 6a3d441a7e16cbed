//! `red_packet/claim.lua`, alone.

use crate::support::{
    redis::{TestRedis, healed_are},
    sale::{Chunk, END, START, claim, claim_args, claim_at, map, open, refund_at, replies, stored, texts},
};
use engine::red_packet::scripts::{CLAIM, KIND, key};
use store::reply::{AttemptReply, ReplyCode};

#[tokio::test]
async fn a_first_attempt_wins_the_head_of_the_queue() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3, 3]).await;
    assert_eq!(claim_at(&redis, "s", START + 5, &["ann|r1"]).await, replies(&[(0, "1:4")]));

    let sale = stored(&redis, "s").await;
    assert_eq!(sale.pending, ["2:3", "3:3"]);
    assert_eq!(sale.claimants, texts(&[("ann", "1:4")]));
    assert_eq!(sale.stats, map(&[("calls", 1), ("won", 1), ("claimed_cents", 4), ("amount:3", 1)]));
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
            ("opened_at", "1700000000000"),
            ("expires_at", "1700000060000"),
            ("best_cents", "4"),
            ("best_user", "ann"),
            ("best_packet", "1:4"),
            ("best_at", "1700000000005"),
            ("given", "1"),
        ])
    );
    assert_eq!(sale.events.len(), 2, "opened, claimed");
    assert_eq!(sale.events[1].fields(), [("type", "claimed"), ("at", "1700000000005"), ("n", "1")]);
    assert_eq!(sale.events[1].data, ["ann", "r1", "1:4"]);
    assert_eq!(sale.attempts, []);
}

#[tokio::test]
async fn a_repeat_gets_the_original_packet_and_moves_no_money() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3, 3]).await;
    claim(&redis, "s", &["ann|r1"]).await;
    let before = stored(&redis, "s").await;

    // The same request again, and another of the same user.
    assert_eq!(claim(&redis, "s", &["ann|r1"]).await, replies(&[(500, "1:4")]));
    assert_eq!(claim_at(&redis, "s", START + 9, &["ann|r2"]).await, replies(&[(500, "1:4")]));

    let mut after = stored(&redis, "s").await;
    assert_eq!(after.stats, map(&[("calls", 3), ("won", 1), ("claimed_cents", 4), ("amount:3", 1), ("repeat", 2)]));
    assert_eq!(after.attempts.len(), 2);
    assert_eq!(after.attempts[1].fields(), [("at", "1700000000009")]);
    assert_eq!(after.attempts[1].data, ["ann", "500"]);
    (after.stats, after.attempts) = (before.stats.clone(), before.attempts.clone());
    assert_eq!(after, before);
}

#[tokio::test]
async fn the_second_attempt_of_a_user_in_a_batch_sees_what_the_first_did() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[5, 4, 3, 2]).await;
    let reply = claim(&redis, "s", &["ann|1", "bob|2", "ann|3", "cid|4", "bob|5", "ann|6"]).await;
    assert_eq!(reply, replies(&[(0, "1:5"), (0, "2:4"), (500, "1:5"), (0, "3:3"), (500, "2:4"), (500, "1:5")]));
    let sale = stored(&redis, "s").await;
    assert_eq!(sale.pending, ["4:2"]);
    assert_eq!(sale.claimants, texts(&[("ann", "1:5"), ("bob", "2:4"), ("cid", "3:3")]));
    assert_eq!(sale.events[1].fields(), [("type", "claimed"), ("at", "1700000000000"), ("n", "3")]);
    assert_eq!(sale.events[1].data, ["ann", "1", "1:5", "bob", "2", "2:4", "cid", "4", "3:3"]);
    assert_eq!((sale.stats["won"], sale.stats["repeat"], sale.stats["claimed_cents"]), (3, 3, 12));
}

#[tokio::test]
async fn a_user_twice_in_a_batch_does_not_take_the_last_packet_from_another() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[2, 1]).await;
    let reply = claim(&redis, "s", &["ann", "ann", "bob", "cid", "ann", "cid"]).await;
    assert_eq!(reply, replies(&[(0, "1:2"), (500, "1:2"), (0, "2:1"), (1003, ""), (500, "1:2"), (1003, "")]));
    let sale = stored(&redis, "s").await;
    assert_eq!(sale.pending, [""; 0]);
    assert_eq!(sale.claimants, texts(&[("ann", "1:2"), ("bob", "2:1")]));
    assert_eq!((sale.stats["won"], sale.stats["repeat"], sale.stats["sold_out"]), (2, 2, 2));
    assert_eq!(sale.attempts[0].data, ["ann", "500", "cid", "1003", "ann", "500", "cid", "1003"]);
}

#[tokio::test]
async fn a_sold_out_sale_refuses_newcomers_and_still_answers_its_winners() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[9]).await;
    claim(&redis, "s", &["ann"]).await;
    let before = stored(&redis, "s").await;
    assert_eq!(claim(&redis, "s", &["bob", "ann"]).await, replies(&[(1003, ""), (500, "1:9")]));
    let after = stored(&redis, "s").await;
    assert_eq!((after.events, after.claimants), (before.events, before.claimants));
    assert_eq!(
        after.stats,
        map(&[("calls", 2), ("won", 1), ("claimed_cents", 9), ("amount:8", 1), ("sold_out", 1), ("repeat", 1)])
    );
}

#[tokio::test]
async fn the_sale_ends_at_its_very_millisecond() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3, 3]).await;
    assert_eq!(claim_at(&redis, "s", END - 1, &["ann"]).await, replies(&[(0, "1:4")]));
    let before = stored(&redis, "s").await;
    assert_eq!(
        claim_at(&redis, "s", END, &["bob", "ann", "bob"]).await,
        replies(&[(1004, "1700000060000"), (500, "1:4"), (1004, "1700000060000")])
    );
    let after = stored(&redis, "s").await;
    assert_eq!((after.stats["expired"], after.stats["repeat"]), (2, 1));
    assert_eq!(after.stats.get("sold_out"), None);
    assert_eq!((after.pending, after.events, after.claimants), (before.pending, before.events, before.claimants));
}

#[tokio::test]
async fn after_the_refund_winners_keep_theirs_and_nobody_else_gets_any() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[4, 3, 3]).await;
    claim(&redis, "s", &["ann"]).await;
    assert_eq!(refund_at(&redis, "s", END).await, (0, 6));
    // Even for a server whose clock is behind.
    assert_eq!(claim_at(&redis, "s", START, &["ann", "bob"]).await, replies(&[(500, "1:4"), (1004, "1700000060000")]));
    assert_eq!(stored(&redis, "s").await.claimants, texts(&[("ann", "1:4")]));
}

#[tokio::test]
async fn an_unknown_sale_is_named_as_such_and_leaves_no_key_behind() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    assert_eq!(claim(&redis, "nope", &["ann", "bob"]).await, replies(&[(1005, ""), (1005, "")]));
    assert_eq!(redis.keys().await, 0);
}

#[tokio::test]
async fn a_half_opened_sale_gives_nothing() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let whole = Chunk::whole(&[4, 3, 3]);
    assert_eq!(whole.part(1, 2).send(&redis, "s").await, (0, 2));
    let before = stored(&redis, "s").await;
    assert_eq!(claim(&redis, "s", &["ann", "bob"]).await, replies(&[(1006, ""), (1006, "")]));
    // Not even after the end that its first chunk implied.
    assert_eq!(claim_at(&redis, "s", END + 1, &["ann"]).await, replies(&[(1006, "")]));
    assert_eq!(stored(&redis, "s").await, before);
}

/// What cannot be read or written ends the script before it has changed anything: nothing is half done.
#[tokio::test]
async fn a_key_of_another_type_and_a_packet_that_cannot_be_read_change_nothing() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let keys = CLAIM.keys(KIND, "s");
    let everything = async || {
        let mut all = Vec::new();
        for key in &keys {
            all.push(redis.run::<Option<Vec<u8>>>("DUMP", key).await);
        }
        all
    };
    let refused = async |what: &str| {
        let before = everything().await;
        // One comes too late, so that the batch writes to every key.
        redis.script(&CLAIM, &keys, &claim_args(START, &["ann", "bob", "cid", "dan"])).await.expect_err(what);
        assert_eq!(everything().await, before, "{what}");
    };
    // Only the sample of attempts does not matter.
    for key in &keys[..5] {
        redis.run::<String>("FLUSHALL", "SYNC").await;
        open(&redis, "s", &[4, 3, 3]).await;
        redis.run::<String>("SET", (key, "of another type")).await;
        refused(key).await;
    }
    for (broken, field) in ["2", "2:", "2:many", "2:1.5", "2:nan", "2:1e300", "2:-1e300", "2:-1", "2:0"]
        .map(|packet| (packet, None))
        .into_iter()
        .chain([("", Some("bucket_cents")), ("", Some("best_cents"))])
    {
        redis.run::<String>("FLUSHALL", "SYNC").await;
        open(&redis, "s", &[4, 3, 3]).await;
        match field {
            Some(field) => _ = redis.run::<i64>("HDEL", (key("s", "meta"), field)).await,
            None => _ = redis.run::<String>("LSET", (key("s", "pending"), 1, broken)).await,
        }
        refused(&format!("{broken:?} {field:?}")).await;
    }
}

#[tokio::test]
async fn a_batch_holds_256_attempts() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[1; 256]).await;
    let users: Vec<String> = (0..256).map(|user| format!("u{user}")).collect();
    let users: Vec<&str> = users.iter().map(String::as_str).collect();
    let reply = claim(&redis, "s", &users).await;
    assert_eq!(reply.len(), 256);
    for (no, answer) in (1..).zip(&reply) {
        assert_eq!(*answer, (0, format!("{no}:1")));
    }
    let sale = stored(&redis, "s").await;
    assert_eq!(sale.events[1].fields(), [("type", "claimed"), ("at", "1700000000000"), ("n", "256")]);
    assert_eq!(sale.events[1].data.len(), 768);
    assert_eq!((sale.claimants.len(), sale.pending.len()), (256, 0));
}

#[tokio::test]
async fn of_equal_packets_the_earliest_claim_is_the_luckiest() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[2, 5, 5, 3, 5, 6]).await;
    let luckiest = async || {
        let meta = stored(&redis, "s").await.meta;
        ["best_user", "best_packet", "best_cents", "best_at"].map(|field| meta[field].clone())
    };
    claim_at(&redis, "s", START, &["ann", "bob", "cid", "dan"]).await;
    assert_eq!(luckiest().await, ["bob", "2:5", "5", "1700000000000"]);
    claim_at(&redis, "s", START + 1, &["eve"]).await;
    assert_eq!(luckiest().await, ["bob", "2:5", "5", "1700000000000"]);
    claim_at(&redis, "s", START + 2, &["bob", "fay"]).await;
    assert_eq!(luckiest().await, ["fay", "6:6", "6", "1700000000002"]);
}

#[tokio::test]
async fn amounts_are_counted_in_columns_of_equal_width() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let chunk = Chunk { bucket_cents: 10, ..Chunk::whole(&[1, 10, 11, 20, 21, 240]) };
    assert_eq!(chunk.send(&redis, "s").await, (0, 6));
    claim(&redis, "s", &["a", "b", "c"]).await;
    claim(&redis, "s", &["d", "e", "f"]).await;
    let stats = stored(&redis, "s").await.stats;
    let columns: Vec<(&str, i64)> =
        stats.iter().filter(|(name, _)| name.starts_with("amount:")).map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!(columns, [("amount:0", 2), ("amount:1", 2), ("amount:2", 1), ("amount:23", 1)]);
}

#[tokio::test]
async fn of_attempts_that_change_nothing_a_sample_is_kept_and_the_count_is_exact() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[1]).await;
    claim(&redis, "s", &["winner"]).await;
    let crowd: Vec<String> = (0..20).map(|user| format!("u{user}")).collect();
    let crowd: Vec<&str> = crowd.iter().map(String::as_str).collect();
    for _ in 0..400 {
        claim(&redis, "s", &crowd).await;
    }
    let sale = stored(&redis, "s").await;
    assert_eq!(sale.stats["sold_out"], 8_000);
    assert_eq!(sale.stats["calls"], 401);
    // Redis trims whole nodes of 100 entries.
    assert!((100..=200).contains(&sale.attempts.len()), "{}", sale.attempts.len());
    assert_eq!(sale.attempts[0].data.len(), 16, "8 attempts of each call");
    assert_eq!(sale.attempts[0].data[..4], ["u0", "1003", "u1", "1003"]);
}

#[tokio::test]
async fn the_cost_does_not_grow_with_the_batch() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "one", &[1; 300]).await;
    open(&redis, "many", &[1; 300]).await;
    let crowd: Vec<String> = (0..256).map(|user| format!("u{user}")).collect();
    let crowd: Vec<&str> = crowd.iter().map(String::as_str).collect();
    let cost = async |sale: &str, users: &[&str]| {
        redis.run::<()>("CONFIG", "RESETSTAT").await;
        claim(&redis, sale, users).await;
        redis.commands_in_scripts().await
    };
    // 6, and for the first winners 9 and one for their one column.
    assert_eq!(cost("one", &["u0"]).await, 6 + 9 + 1);
    // That something was given is noted once, and this is not the luckiest.
    assert_eq!(cost("one", &["u1"]).await, 6 + 7 + 1);
    assert_eq!(cost("many", &crowd).await, 6 + 9 + 1);
    // Repeats alone: nothing is popped, and no time is asked for; one counter, and one entry of the sample.
    assert_eq!(cost("many", &crowd).await, 5 + 2);
}

#[tokio::test]
async fn a_flushed_script_is_healed_in_the_same_call_and_counted() {
    let server = TestRedis::start().await;
    let (redis, store) = (server.raw().await, server.store().await);
    open(&redis, "s", &[4, 3]).await;
    assert_eq!(store.healed(&CLAIM).await, Ok(0));
    redis.run::<()>("SCRIPT", "FLUSH").await;

    let replies = store.attempt(&CLAIM, (KIND, "s"), &claim_args(START, &["ann"])[1..], 1).await.expect("a reply");
    assert_eq!(replies, [AttemptReply { code: ReplyCode::Done, detail: b"1:4".to_vec() }]);
    healed_are(&store, &CLAIM, 1).await;
    // The script is known again: no further retry, and the attempt was made once.
    store.attempt(&CLAIM, (KIND, "s"), &claim_args(START, &["ann"])[1..], 1).await.expect("a reply");
    assert_eq!(store.healed(&CLAIM).await, Ok(1));
    assert_eq!(redis.run::<i64>("HGET", ("stampede:healed", "red_packet/claim.lua")).await, 1);
    let stats = stored(&redis, "s").await.stats;
    assert_eq!((stats["calls"], stats["won"], stats["repeat"]), (2, 1, 1));
}
