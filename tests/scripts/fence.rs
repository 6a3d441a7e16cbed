//! `lib/fence.lua`: what a caller has seen of a sale, and this Redis no longer has.

use crate::support::{
    redis::{Raw, TestRedis},
    sale::{Chunk, END, START, Stored, claim, claim_args, open, refund_keys, stored},
};
use engine::red_packet::scripts::{CLAIM, KIND, REFUND, key};
use model::EventId;
use redis::{Value, from_redis_value};
use store::format::FORMAT;

/// A claim by a caller who has seen this: the code, and what the caller has seen then.
async fn claim_having_seen(redis: &Raw, user: &str, seen: &str) -> (i64, String) {
    let mut args = claim_args(START, &[user]);
    args[0] = seen.as_bytes().to_vec();
    let reply = redis.script(&CLAIM, &CLAIM.keys(KIND, "s"), &args).await.expect("a reply");
    let (code, _, seen): (i64, Value, String) = from_redis_value(reply).expect("code, detail, what was seen");
    (code, seen)
}

/// A sale of 100 packets, of which some users have one.
async fn sale_with(redis: &Raw, users: usize) {
    open(redis, "s", &[1; 100]).await;
    for user in 0..users {
        claim(redis, "s", &[&format!("u{user}")]).await;
    }
}

async fn ids(redis: &Raw) -> Vec<String> {
    stored(redis, "s").await.events.into_iter().map(|event| event.id).collect()
}

/// The sale, as if it were not suspended.
async fn but_for_the_state(redis: &Raw) -> Stored {
    let mut sale = stored(redis, "s").await;
    sale.meta.remove("state");
    sale.meta.remove("lost");
    sale
}

/// When the sale's history began.
async fn generation(redis: &Raw) -> String {
    redis.run("HGET", (key("s", "meta"), "generation")).await
}

#[tokio::test]
async fn a_caller_may_have_seen_whatever_is_in_the_stream_or_was_recorded() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    sale_with(&redis, 60).await;
    let ids = ids(&redis).await;
    assert_eq!(ids.len(), 61);
    // The ledger has the first forty.
    redis.run::<i64>("XTRIM", (key("s", "events"), "MINID", "=", &ids[40])).await;
    // The newest, those that `recent` no longer has, those that were trimmed.
    let began = generation(&redis).await;
    for (nth, id) in ids.iter().enumerate().rev() {
        let seen = format!("{began} {id}");
        // The stream cannot tell whether it ever had those that are before its head.
        let expected = if nth < 40 { (1034, String::new()) } else { (500, format!("{began} {}", ids[60])) };
        assert_eq!(claim_having_seen(&redis, "u0", &seen).await, expected, "event {nth}");
        assert_eq!(claim_having_seen(&redis, "u0", &format!("{seen} recorded")).await.0, 500, "event {nth}");
    }
    redis.run::<i64>("XDEL", (key("s", "events"), &ids[45])).await;
    let deleted = format!("{began} {}", ids[45]);
    assert_eq!(claim_having_seen(&redis, "u0", &deleted).await.0, 1034);
    assert_eq!(claim_having_seen(&redis, "u0", &format!("{deleted} recorded")).await.0, 500);
    for seen in ["", "1600000000000-0 9999999999999-0"] {
        assert_eq!(claim_having_seen(&redis, "u1", seen).await.0, 500, "{seen:?}: nothing, or before a recovery");
    }
    assert_eq!(stored(&redis, "s").await.meta["state"], "open");
    let missing = format!("{began} {} missing", ids[5]);
    assert_eq!(claim_having_seen(&redis, "u0", &missing).await, (1025, String::new()));
    assert_eq!(stored(&redis, "s").await.meta["state"], "suspended");
}

#[tokio::test]
async fn a_reply_says_what_the_caller_has_seen_then() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    sale_with(&redis, 0).await;
    let began = generation(&redis).await;
    let opened = &ids(&redis).await[0];
    assert_eq!(claim_having_seen(&redis, "ann", "").await.0, 0);
    let won = &ids(&redis).await[1];
    assert_eq!(claim_having_seen(&redis, "ann", "").await, (500, format!("{began} {won}")), "also without an event");
    assert_ne!(opened, won);
    let (code, seen) = claim_having_seen(&redis, "bob", &format!("{began} {won}")).await;
    assert_eq!((code, seen), (0, format!("{began} {}", ids(&redis).await[2])));
}

#[tokio::test]
async fn an_event_that_redis_no_longer_has_suspends_the_sale_and_nothing_else_changes() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    // Beyond the end; missing from the middle, where events have come since; seen after a recovery which is undone.
    for (what, lost) in [("the end", 0), ("the middle", 1), ("a recovery", 2)] {
        redis.run::<String>("FLUSHALL", "SYNC").await;
        sale_with(&redis, 50).await;
        let ids = ids(&redis).await;
        let next_to = |id: &str| {
            let (millis, sequence) = id.split_once('-').expect("an id");
            format!("{millis}-{}", sequence.parse::<u64>().expect("a number") + 1_000)
        };
        let began = generation(&redis).await;
        let seen = match lost {
            0 => format!("{began} {}", next_to(&ids[50])),
            1 => format!("{began} {}", next_to(&ids[20])),
            _ => format!("{} {}", next_to(&began), ids[50]),
        };
        let before = but_for_the_state(&redis).await;
        // Whatever the ledger has of it: it was recorded from another Redis.
        assert_eq!(
            claim_having_seen(&redis, "new", &format!("{seen} recorded")).await,
            (1025, String::new()),
            "{what}"
        );
        // A later generation is kept, so that the recovery goes on later than what the caller knows.
        assert_eq!(Some(generation(&redis).await.as_str()), seen.split(' ').next(), "{what}");
        assert_eq!(but_for_the_state(&redis).await, before, "{what}");
        let meta = stored(&redis, "s").await.meta;
        assert_eq!(
            (meta["state"].as_str(), Some(meta["lost"].as_str())),
            ("suspended", seen.split(' ').nth(1)),
            "{what}"
        );
        // Everybody else gets this answer from now on.
        assert_eq!(claim_having_seen(&redis, "new", "").await, (1012, String::new()));
        let refund = [Vec::new(), END.to_string().into_bytes()];
        let refund = redis.script(&REFUND, &refund_keys("s"), &refund).await.expect("a reply");
        assert_eq!(from_redis_value::<(i64, i64, String)>(refund).expect("a refusal"), (1012, 0, String::new()));
        assert_eq!(but_for_the_state(&redis).await, before);
    }
}

/// Redis has lost that the sale was opened to its end: it is not opened to its end again, and sold from the start.
#[tokio::test]
async fn a_sale_that_is_opening_again_is_suspended() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let whole = Chunk::whole(&[4, 3, 2, 1]);
    whole.part(1, 2).send(&redis, "s").await;
    let seen = async || format!("{} {START}-7", generation(&redis).await);
    assert_eq!(claim_having_seen(&redis, "ann", "").await.0, 1006);
    // Somebody who has seen nothing completes it.
    whole.part(3, 4).send(&redis, "s").await;
    assert_eq!(claim_having_seen(&redis, "ann", &seen().await).await.0, 1025);
    redis.run::<String>("FLUSHALL", "SYNC").await;
    whole.part(1, 2).send(&redis, "s").await;
    assert_eq!(claim_having_seen(&redis, "ann", &seen().await).await.0, 1025);
}

/// Redis itself counts from 0 in each millisecond: a replica that is promoted without the newest events, and whose clock
/// is a little behind, would give their ids to what comes next.
#[tokio::test]
async fn the_id_of_an_event_is_the_time_of_redis_to_the_microsecond() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    sale_with(&redis, 0).await;
    let time = async || {
        let (seconds, micros): (u64, u64) = redis.run("TIME", None::<&str>).await;
        seconds * 1_000_000 + micros
    };
    for user in 0..50 {
        let before = time().await;
        let (code, seen) = claim_having_seen(&redis, &format!("u{user}"), "").await;
        let after = time().await;
        let (_, id) = seen.split_once(' ').expect("generation and event id");
        let (millis, micros) = id.split_once('-').expect("two parts");
        let at = millis.parse::<u64>().expect("a number") * 1_000 + micros.parse::<u64>().expect("a number");
        assert_eq!(code, 0);
        assert!((before..=after).contains(&at), "{id} is not between {before} and {after}");
    }
}

/// While the clock is behind the last event, Redis would give the same ids in the same order, whatever was lost.
#[tokio::test]
async fn after_the_clock_went_back_no_other_event_gets_the_id_of_one_that_was_lost() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    sale_with(&redis, 0).await;
    let last = "9999999999999-5";
    redis.run::<String>("XADD", (key("s", "events"), last, "type", "claimed")).await;
    redis.run::<i64>("HSET", (key("s", "meta"), "recent", format!(" {last} "))).await;
    let parts = ["pending", "claimants", "meta", "stats", "events"].map(|part| key("s", part));
    let mut before = Vec::new();
    for part in &parts {
        before.push(redis.run::<Option<Vec<u8>>>("DUMP", part).await);
    }
    let (code, seen) = claim_having_seen(&redis, "ann", "").await;
    assert_eq!(code, 0);
    for (part, was) in parts.iter().zip(before) {
        redis.run::<i64>("DEL", part).await;
        if let Some(was) = was {
            redis.run::<String>("RESTORE", (part, 0, was)).await;
        }
    }
    assert_eq!(claim_having_seen(&redis, "bob", "").await.0, 0);
    assert!(ids(&redis).await.iter().is_sorted_by_key(|id| id.parse::<EventId>().expect("an id")));
    assert_eq!(claim_having_seen(&redis, "cid", &seen).await.0, 1025, "{seen} is not what Bob has");
}

#[tokio::test]
async fn a_sale_that_a_newer_program_has_written_is_refused_and_stays_as_it_is() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    sale_with(&redis, 1).await;
    redis.run::<i64>("HSET", (key("s", "meta"), "format", FORMAT + 1)).await;
    let (before, began) = (stored(&redis, "s").await, generation(&redis).await);
    assert_eq!(claim_having_seen(&redis, "ann", &format!("{began} 9999999999999-0")).await, (1026, String::new()));
    assert_eq!(stored(&redis, "s").await, before);
}
