//! The connection to Redis is cut in the middle of a run, and Redis itself crashes: nothing that was
//! acknowledged is lost, nothing is given twice, and repeated attempts get the original answer.

use crate::support::{
    app::TestApp,
    eventually,
    proxy::FaultProxy,
    redis::{Raw, TestRedis},
    sale::{clock, stored, terms, wins},
};
use futures::{StreamExt, stream};
use model::{
    Verdict,
    error::{Code, Result},
    red_packet::Outcome,
};
use std::collections::BTreeMap;

/// The packet in an answer, if there is one.
fn packet(outcome: &Outcome) -> Option<u32> {
    match outcome {
        Outcome::Won { packet, .. } | Outcome::Repeat { packet, .. } => Some(*packet),
        _ => None,
    }
}

async fn claim(app: &TestApp, user: usize) -> Result<Outcome> {
    app.red_packet.claim("s", format!("u{user}"), Some(format!("r{user}"))).await
}

/// Claims until the server answers: after its connection is restored, it may take a moment to reconnect.
async fn claim_until_answered(app: &TestApp, user: usize) -> Outcome {
    eventually("an answer", async || match claim(app, user).await {
        Ok(outcome) => Some(outcome),
        Err(error) if error.code == Code::Unavailable => None,
        Err(error) => panic!("{error:?}"),
    })
    .await
}

/// Asserts that events, claimants and counts agree, user by user.
async fn assert_one_story(redis: &Raw, app: &TestApp, acknowledged: &BTreeMap<usize, u32>) {
    let sale = stored(redis, "s").await;
    let wins = wins(redis, "s").await;
    assert_eq!(wins.len() as i64, sale.stats["won"]);
    assert_eq!(wins.len(), sale.claimants.len());
    for (user, request_id, packet) in &wins {
        assert_eq!(sale.claimants.get(user), Some(packet), "{user}");
        assert_eq!(*request_id, user.replace('u', "r"), "the request that won is the one that was sent");
    }
    for (user, packet) in acknowledged {
        let held = sale.claimants.get(&format!("u{user}")).unwrap_or_else(|| panic!("u{user} lost packet {packet}"));
        assert!(held.starts_with(&format!("{packet}:")), "u{user} won {packet} and has {held}");
    }
    // A connection that was cut while idle fails for the first caller.
    let audit = eventually("somebody can look", async || {
        let audit = app.red_packet.audit("s").await.expect("an audit");
        (audit.verdict != Verdict::Unknown).then_some(audit)
    })
    .await;
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
}

#[tokio::test]
async fn a_claim_whose_answer_is_lost_is_answered_with_the_original_when_sent_again() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let proxy = FaultProxy::before(&redis).await;
    let app = TestApp::at(&redis, &proxy.url, clock(), 1).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");

    proxy.cut_before_the_next_answer();
    let error = claim(&app, 0).await.expect_err("the answer is lost");
    assert_eq!(error.code, Code::Unavailable);
    assert!(error.message.contains("the outcome is unknown"), "{}", error.message);
    assert!(error.message.contains("Send the same request id again"), "{}", error.message);
    // Redis executed the script nevertheless.
    let given = wins(&raw, "s").await;
    assert_eq!(given.len(), 1);
    assert_eq!((given[0].0.as_str(), given[0].1.as_str()), ("u0", "r0"));

    proxy.heal();
    let Outcome::Repeat { packet, cents } = claim_until_answered(&app, 0).await else { panic!("a repeat") };
    assert_eq!(format!("{packet}:{cents}"), given[0].2);
    assert_eq!(wins(&raw, "s").await, given, "nothing was given again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wire_cut_in_mid_run_loses_no_acknowledged_claim_and_doubles_none() {
    const USERS: usize = 3_000;
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let proxy = FaultProxy::before(&redis).await;
    let app = TestApp::at(&redis, &proxy.url, clock(), 1).await;
    app.red_packet.open(terms("s", 50_000, 2_000)).await.expect("a sale");

    let mut acknowledged = BTreeMap::new();
    let mut unknown = Vec::new();
    let mut answered = 0;
    let app = &app;
    let mut attempts =
        stream::iter(0..USERS).map(|user| async move { (user, claim(app, user).await) }).buffer_unordered(64);
    while let Some((user, outcome)) = attempts.next().await {
        match outcome {
            Ok(outcome) => {
                answered += 1;
                if let Some(packet) = packet(&outcome) {
                    acknowledged.insert(user, packet);
                }
                match answered {
                    200 => proxy.cut_before_the_next_answer(),
                    600 => proxy.cut(),
                    _ => {}
                }
            }
            Err(error) => {
                assert_eq!(error.code, Code::Unavailable, "{error:?}");
                unknown.push(user);
                proxy.heal();
            }
        }
    }
    drop(attempts);
    assert!(!unknown.is_empty(), "the cut was felt");
    assert_eq!(answered + unknown.len(), USERS);
    assert_one_story(&raw, app, &acknowledged).await;

    // Every user with an unknown outcome tries again, with the same request.
    let before: BTreeMap<String, String> = stored(&raw, "s").await.claimants;
    for &user in &unknown {
        let outcome = claim_until_answered(app, user).await;
        let had = before.get(&format!("u{user}"));
        match (&outcome, had) {
            (Outcome::Repeat { packet, cents }, Some(had)) => assert_eq!(format!("{packet}:{cents}"), *had),
            (Outcome::Won { .. } | Outcome::SoldOut, None) => {}
            (outcome, had) => panic!("u{user} has {had:?} and got the answer {outcome:?}"),
        }
        acknowledged.extend(packet(&outcome).map(|packet| (user, packet)));
    }
    assert_eq!(acknowledged.len(), 2_000, "every packet has found its user");
    assert_one_story(&raw, app, &acknowledged).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_crashes_keeps_what_it_has_acknowledged() {
    let mut redis = TestRedis::durable().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 9_000, 300)).await.expect("a sale");
    let mut acknowledged = BTreeMap::new();
    for user in 0..100 {
        acknowledged.extend(packet(&claim(&app, user).await.expect("an outcome")).map(|packet| (user, packet)));
    }
    assert_eq!(acknowledged.len(), 100);
    let before = stored(&redis.raw().await, "s").await;

    redis.crash_and_restart().await;
    let raw = redis.raw().await;
    assert_eq!(stored(&raw, "s").await, before);
    // The scripts are gone with the old process; the server continues as if nothing had happened.
    for user in 90..150 {
        let outcome = claim_until_answered(&app, user).await;
        assert_eq!(matches!(outcome, Outcome::Repeat { .. }), user < 100, "u{user}: {outcome:?}");
        acknowledged.extend(packet(&outcome).map(|packet| (user, packet)));
    }
    assert_eq!(acknowledged.len(), 150);
    assert_one_story(&raw, &app, &acknowledged).await;
}
