//! What a client chose can never forge a key, a field or an event.

use crate::support::{
    property::{holds_async, runtime},
    redis::{Raw, TestRedis},
    sale::{START, claim_at, open, stored, wins},
};
use engine::red_packet::{
    history::winning_requests,
    scripts::{Attempt, CLAIM, ClaimArgs, KIND, read_claim},
};
use model::red_packet::Outcome;
use proptest::{collection::vec, prelude::*, test_runner::TestCaseError};
use redis::{ToRedisArgs, Value, from_redis_value};
use store::{keys, reply::AttemptReply, stream::Entry};

const HOSTILE: [&str; 16] = [
    "x:9:9",
    "9:9",
    "\u{7fff}",
    "\u{10ffff}",
    "{a}:claimants",
    "}:pending",
    "\"quoted\" and 'quoted'",
    "\\u0000\\",
    "-1",
    "best_cents",
    "\u{93}\u{a1}x",
    "*3\u{a0}$1",
    "won",
    "]] .. redis.call('FLUSHALL') --[[",
    "0123456789012345678901234567890123456789012345678901234567890123",
    "红包 🧧",
];

async fn batch(redis: &Raw, sale: &str, attempts: &[(String, String)]) -> Vec<Outcome> {
    let attempts: Vec<Attempt> = attempts
        .iter()
        .map(|(user, request_id)| Attempt { user: user.clone(), request_id: request_id.clone() })
        .collect();
    let mut args = vec![Vec::new()];
    args.extend(ClaimArgs { now: &START.to_string(), attempts: &attempts }.to_redis_args());
    let reply = redis.script(&CLAIM, &CLAIM.keys(KIND, sale), &args).await.expect("a reply");
    let mut values: Vec<Value> = from_redis_value(reply).expect("a list");
    values.pop().expect("what was seen");
    let replies = AttemptReply::read_batch(&CLAIM, values, attempts.len()).expect("replies");
    replies.iter().map(|reply| read_claim(reply, sale).expect("an outcome")).collect()
}

#[tokio::test]
async fn hostile_users_and_request_ids_come_through_the_event_as_they_are() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "s", &[3; 16]).await;
    let attempts: Vec<(String, String)> =
        HOSTILE.iter().zip(HOSTILE.iter().rev()).map(|(user, id)| ((*user).to_owned(), (*id).to_owned())).collect();
    let replies = batch(&redis, "s", &attempts).await;
    for (no, reply) in (1..).zip(&replies) {
        assert_eq!(*reply, Outcome::Won { packet: no, cents: 3 });
    }
    let expected: Vec<(String, String, String)> =
        (1..).zip(&attempts).map(|(no, (user, id))| (user.clone(), id.clone(), format!("{no}:3"))).collect();
    assert_eq!(wins(&redis, "s").await, expected);
    let events: Vec<Entry> = redis.run("XRANGE", (keys::sale("red_packet", "s", "events"), "-", "+")).await;
    let requests: Vec<String> = expected.iter().map(|(_, request, _)| request.clone()).collect();
    assert_eq!(winning_requests(&events[1]).expect("request ids"), requests);
    let sale = stored(&redis, "s").await;
    assert_eq!(sale.claimants.len(), HOSTILE.len());
    assert_eq!(sale.claimants["x:9:9"], "1:3");
    assert_eq!(redis.keys().await, 4, "claimants, meta, stats, events");
}

#[tokio::test]
async fn hostile_sale_ids_stay_among_their_own_keys() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    for sale in HOSTILE {
        open(&redis, sale, &[5]).await;
    }
    for sale in HOSTILE {
        assert_eq!(claim_at(&redis, sale, START, &["ann"]).await, [(0, "1:5".to_owned())], "{sale}");
    }
    for sale in HOSTILE {
        assert_eq!(stored(&redis, sale).await.stats["won"], 1, "{sale}");
        assert_eq!(redis.run::<i64>("EXISTS", keys::sale("red_packet", sale, "claimants")).await, 1);
    }
    assert_eq!(redis.keys().await, 4 * HOSTILE.len() as i64);
}

#[test]
fn whatever_users_are_called_each_gets_one_packet_and_the_event_says_so() {
    let runtime = runtime();
    let (_server, redis) = runtime.block_on(async {
        let server = TestRedis::start().await;
        let redis = server.raw().await;
        (server, redis)
    });
    let id = "\\PC{1,16}";
    let mut nth = 0;
    let sales = std::cell::RefCell::new(&mut nth);
    holds_async(48, vec((id, id), 1..20), &runtime, async |attempts: Vec<(String, String)>| {
        let sale = {
            let mut nth = sales.borrow_mut();
            **nth += 1;
            format!("s{nth}")
        };
        open(&redis, &sale, &[2; 20]).await;
        let mut expected = Vec::new();
        let mut packets = std::collections::HashMap::new();
        let mut replies = Vec::new();
        for (user, request_id) in &attempts {
            let fresh = packets.len() + 1;
            let packet = *packets.entry(user.clone()).or_insert(fresh);
            let won = packet == fresh && !expected.iter().any(|(had, _, _): &(String, String, String)| had == user);
            if won {
                expected.push((user.clone(), request_id.clone(), format!("{packet}:2")));
            }
            let packet = packet as u32;
            replies.push(if won { Outcome::Won { packet, cents: 2 } } else { Outcome::Repeat { packet, cents: 2 } });
        }
        prop_assert_eq!(batch(&redis, &sale, &attempts).await, replies);
        prop_assert_eq!(wins(&redis, &sale).await, expected);
        Ok::<(), TestCaseError>(())
    });
}
