//! Mistakes found in public flash-sale projects, as far as they apply to red packets.
//! (Keys built inside a script and an instant given to EXPIRE: `contracts.rs`.)

use crate::support::{
    app::TestApp,
    eventually,
    proxy::FaultProxy,
    redis::TestRedis,
    sale::{Chunk, LIFE_S, claim, clock, open, refund_at, stored, terms, wins},
};
use engine::{
    kind::KindService,
    red_packet::{
        scripts::{KIND, SCRIPTS, key},
        service::RedPackets,
    },
};
use futures::future::join_all;
use ledger::kind::DeadLetters;
use model::{
    Verdict,
    crowd::{Arrival, ArrivalKind, RunConfig},
    error::Code,
    red_packet::{Outcome, Refund, State},
};

async fn claims(red_packet: &RedPackets, users: &[&str]) -> Vec<Outcome> {
    let attempts = users.iter().map(|user| red_packet.claim("s", (*user).to_owned(), None));
    join_all(attempts).await.into_iter().map(|outcome| outcome.expect("an outcome")).collect()
}

/// 1: stock deducted before the duplicate check, so that a double click drains it.
#[tokio::test]
async fn a_hundred_clicks_of_one_user_take_one_packet() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    let outcomes = claims(&app.red_packet, &["ann"; 100]).await;
    assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Won { .. })).count(), 1);
    assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Repeat { packet: 1, .. })).count(), 99);
    assert_eq!(app.red_packet.snapshot("s").await.expect("a snapshot").pending, 9);
}

/// 2: the answer is lost on its way, and with it the packet.
#[tokio::test]
async fn a_winner_that_was_never_told_is_told_when_it_asks_again() {
    let redis = TestRedis::start().await;
    let proxy = FaultProxy::before(&redis).await;
    let (cut_off, healthy) = (TestApp::at(&redis, &proxy.url, clock(), 1).await, TestApp::on(&redis).await);
    healthy.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    proxy.cut_before_the_next_answer();
    let lost = cut_off.red_packet.claim("s", "ann".into(), Some("r1".into())).await;
    assert_eq!(lost.expect_err("nobody heard").code, Code::Unavailable);
    // Through another server, too.
    let again = healthy.red_packet.claim("s", "ann".into(), Some("r1".into())).await.expect("an outcome");
    assert!(matches!(again, Outcome::Repeat { packet: 1, .. }), "{again:?}");
}

/// 4: a refund replayed pays twice.
#[tokio::test]
async fn a_refund_replayed_pays_once() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    app.time.advance(LIFE_S * 1_000);
    assert_eq!(app.red_packet.refund("s").await, Ok(Refund::Refunded { refunded_cents: 1_000 }));
    for _ in 0..5 {
        assert_eq!(app.red_packet.refund("s").await, Ok(Refund::Repeat { refunded_cents: 1_000 }));
    }
    let snapshot = app.red_packet.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.refunded, snapshot.refunded_cents, snapshot.pending_cents), (10, 1_000, 0));
    assert_eq!(app.red_packet.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

/// 5: claim and refund under different locks, so that both win the last packets.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claims_and_the_refund_racing_share_the_money_exactly() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let (early, late) = (TestApp::on(&redis).await, TestApp::on(&redis).await);
    // One server's clock is past the end, the other's is not.
    late.time.advance(LIFE_S * 1_000);
    for round in 0..10 {
        let sale = format!("s{round}");
        early.red_packet.open(terms(&sale, 5_000, 50)).await.expect("a sale");
        let attempts = join_all((0..40).map(|user| early.red_packet.claim(&sale, format!("u{user}"), None)));
        let (outcomes, refund) = futures::join!(attempts, late.red_packet.refund(&sale));
        let Refund::Refunded { refunded_cents } = refund.expect("a refund") else { panic!("a first refund") };
        let won: i64 = outcomes
            .into_iter()
            .map(|outcome| match outcome.expect("an outcome") {
                Outcome::Won { cents, .. } => cents,
                Outcome::Expired { .. } | Outcome::Closed { .. } => 0,
                other => panic!("{other:?}"),
            })
            .sum();
        assert_eq!(won + refunded_cents, 5_000);
        assert_eq!(stored(&raw, &sale).await.pending, [""; 0]);
    }
}

/// 6: the same user twice in one batch, each checked against the state before it.
#[tokio::test]
async fn the_last_packet_is_not_given_twice_within_a_batch() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    open(&raw, "s", &[3]).await;
    let reply = claim(&raw, "s", &["ann", "ann", "bob", "cid"]).await;
    assert_eq!(reply.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [0, 500, 1003, 1003]);
    assert_eq!(wins(&raw, "s").await.len(), 1);
}

/// 7: one user's failure is remembered for everyone.
#[tokio::test]
async fn one_users_failure_is_nobody_elses() {
    let redis = TestRedis::start().await;
    let proxy = FaultProxy::before(&redis).await;
    let (cut_off, healthy) = (TestApp::at(&redis, &proxy.url, clock(), 1).await, TestApp::on(&redis).await);
    healthy.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    proxy.cut();
    cut_off.red_packet.claim("s", "ann".into(), None).await.expect_err("out of reach");
    // A bad attempt, an attempt at no sale, and then others' good ones at the same server.
    healthy.red_packet.claim("s", "x".repeat(65), None).await.expect_err("too long");
    healthy.red_packet.claim("nope", "ann".into(), None).await.expect_err("no such sale");
    assert!(matches!(claims(&healthy.red_packet, &["bob"]).await[0], Outcome::Won { .. }));
    assert!(matches!(claims(&healthy.red_packet, &["ann"]).await[0], Outcome::Won { .. }));
}

/// 8: a request before the start takes something.
#[tokio::test]
async fn before_the_sale_is_open_nothing_is_taken() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let app = TestApp::on(&redis).await;
    let whole = Chunk::whole(&[5, 4, 3]);
    whole.part(1, 2).send(&raw, "s").await;
    for _ in 0..3 {
        let error = app.red_packet.claim("s", "ann".into(), None).await.expect_err("not open");
        assert_eq!((error.code, error.code.status()), (Code::SaleOpening, 409));
    }
    assert_eq!(app.red_packet.snapshot("s").await.expect("a snapshot").state, State::Opening);
    whole.part(3, 3).send(&raw, "s").await;
    assert_eq!(claims(&app.red_packet, &["bob"]).await, [Outcome::Won { packet: 1, cents: 5 }]);
}

/// 10: "already claimed" and "sold out" answered alike.
#[tokio::test]
async fn every_refusal_has_its_own_name() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 9, 1)).await.expect("a sale");
    let outcomes = claims(&app.red_packet, &["ann", "ann", "bob"]).await;
    assert_eq!(
        outcomes,
        [Outcome::Won { packet: 1, cents: 9 }, Outcome::Repeat { packet: 1, cents: 9 }, Outcome::SoldOut]
    );
    app.time.advance(LIFE_S * 1_000);
    let expired_at = app.red_packet.snapshot("s").await.expect("a snapshot").expires_at;
    let late = claims(&app.red_packet, &["cid", "ann"]).await;
    assert_eq!(late, [Outcome::Expired { expired_at }, Outcome::Repeat { packet: 1, cents: 9 }]);
    let written: Vec<String> =
        [outcomes, late].concat().iter().map(|outcome| serde_json::to_string(outcome).expect("JSON")).collect();
    assert_eq!(
        written,
        [
            r#"{"outcome":"won","packet":1,"cents":9}"#.to_owned(),
            r#"{"outcome":"repeat","packet":1,"cents":9}"#.to_owned(),
            r#"{"outcome":"sold_out"}"#.to_owned(),
            format!(r#"{{"outcome":"expired","expired_at":{expired_at}}}"#),
            r#"{"outcome":"repeat","packet":1,"cents":9}"#.to_owned(),
        ]
    );
}

/// A crowd at sale `s` that outlasts the test.
async fn slow_crowd(app: &TestApp) -> String {
    let orders = RunConfig {
        sale: "s".into(),
        users: 1_000,
        concurrency: 1,
        repeat_rate: 0.0,
        arrival: Arrival { kind: ArrivalKind::Constant, per_s: 1, over_s: 1 },
        seed: 1,
        behavior: None,
    };
    app.crowds.start("red_packet", orders).await.expect("a run").run
}

/// 12: an EXPIRE given an instant keeps a key for 50,000 years. What expires does so within its day.
#[tokio::test]
async fn what_expires_expires_after_a_duration_and_what_counts_never_does() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 100, 10)).await.expect("a sale");
    let run = slow_crowd(&app).await;
    // By another server: its own would stop it without a key.
    TestApp::on(&redis).await.crowds.stop(&run).await.expect("a status");
    let ttl = async |key: String| raw.run::<i64>("PTTL", key).await;
    for key in [key("s", "crowd"), store::keys::run(&run), store::keys::run_stop(&run)] {
        let ttl = ttl(key.clone()).await;
        assert!((1..=86_400_000).contains(&ttl), "{key}: {ttl}");
    }
    for part in ["pending", "meta", "events"] {
        assert_eq!(ttl(key("s", part)).await, -1, "{part}");
    }
}

/// 14: a lock that outlives its holder, or expires before it is done. A crowd's lock is renewed while it
/// runs and released when it is done.
#[tokio::test]
async fn the_place_of_a_crowd_is_held_for_seconds_and_by_its_run() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 100, 10)).await.expect("a sale");
    let run = slow_crowd(&app).await;
    assert_eq!(raw.run::<String>("GET", key("s", "crowd_lock")).await, run);
    let ttl = raw.run::<i64>("PTTL", key("s", "crowd_lock")).await;
    assert!((1..=5_000).contains(&ttl), "{ttl}");
    // It is renewed before it expires.
    raw.run::<i64>("PEXPIRE", (key("s", "crowd_lock"), 1_000)).await;
    crate::support::eventually("the place is renewed", async || {
        (raw.run::<i64>("PTTL", key("s", "crowd_lock")).await > 1_000).then_some(())
    })
    .await;
    app.crowds.stop(&run).await.expect("a status");
    crate::support::eventually("the place is free", async || {
        (raw.run::<i64>("EXISTS", key("s", "crowd_lock")).await == 0).then_some(())
    })
    .await;
}

/// 15: SCRIPT FLUSH in the middle of a sale reaches the user.
#[tokio::test]
async fn scripts_flushed_in_mid_sale_are_not_felt() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 1_000, 100)).await.expect("a sale");
    for round in 0..5 {
        raw.run::<()>("SCRIPT", "FLUSH").await;
        let users: Vec<String> = (0..20).map(|user| format!("u{round}-{user}")).collect();
        let outcomes = claims(&app.red_packet, &users.iter().map(String::as_str).collect::<Vec<_>>()).await;
        assert!(outcomes.iter().all(|outcome| matches!(outcome, Outcome::Won { .. })), "{outcomes:?}");
    }
    // At least once a round, at most once for each batch in flight.
    let healed = eventually("the retries are counted", async || {
        let healed = app.red_packet.script().await.expect("the script").healed;
        (healed >= 5).then_some(healed)
    });
    assert!(healed.await <= 10);

    // Every script of the kind is retried.
    raw.run::<()>("SCRIPT", "FLUSH").await;
    app.red_packet.open(terms("t", 1_000, 100)).await.expect("a sale");
    app.red_packet.snapshot("t").await.expect("a snapshot");
    app.red_packet.audit("t").await.expect("an audit");
    app.red_packet.refund("t").await.expect("a refund");
    claims(&app.red_packet, &["ann"]).await;
    // Lost, and rebuilt from the ledger.
    let mut writer = app.writer("one");
    writer.catch_up().await.expect("a ledger");
    raw.run::<i64>("DEL", key("t", "meta")).await;
    app.ledger_service.recover(KIND, "t", DeadLetters::Refuse).await.expect("a recovery");
    app.red_packet.close("s").await.expect("an end");
    for script in SCRIPTS {
        let counted = async || app.store.healed(script).await.is_ok_and(|count| count >= 1).then_some(());
        eventually(script.name, counted).await;
    }
    assert_eq!(refund_at(&raw, "t", 0).await.0, 1009);
}
