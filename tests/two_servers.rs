//! Two servers on one Redis behave as one.

use crate::support::{
    app::TestApp,
    eventually,
    redis::TestRedis,
    sale::{LIFE_S, clock, stored, terms, wins},
};
use engine::hub::{Hub, HubState};
use futures::future::join_all;
use model::{
    Verdict,
    crowd::{Arrival, ArrivalKind, Phase, RunConfig},
    error::Code,
    list::ListQuery,
    red_packet::{Outcome, Refund, State},
};
use std::collections::{BTreeMap, BTreeSet};

async fn two(redis: &TestRedis) -> (TestApp, TestApp) {
    let time = clock();
    (TestApp::at(redis, &redis.url(), time.clone(), 1).await, TestApp::at(redis, &redis.url(), time, 2).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_users_at_both_servers_get_one_packet_each() {
    let redis = TestRedis::start().await;
    let (one, other) = two(&redis).await;
    one.red_packet.open(terms("s", 5_000, 200)).await.expect("a sale");
    let attempts = (0..900).map(|nth| {
        let server = if nth % 2 == 0 { &one } else { &other };
        // 300 users, three times each, at whichever server.
        let user = format!("u{}", nth % 300);
        async move { (user.clone(), server.red_packet.claim("s", user, None).await.expect("an outcome")) }
    });
    let mut given: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    let (mut won, mut repeat, mut sold_out) = (0, 0, 0);
    for (user, outcome) in join_all(attempts).await {
        match outcome {
            Outcome::Won { packet, .. } => {
                won += 1;
                given.entry(user).or_default().insert(packet);
            }
            Outcome::Repeat { packet, .. } => {
                repeat += 1;
                given.entry(user).or_default().insert(packet);
            }
            Outcome::SoldOut => sold_out += 1,
            outcome => panic!("the sale runs: {outcome:?}"),
        }
    }
    assert_eq!(won, 200);
    assert_eq!(won + repeat + sold_out, 900);
    assert_eq!(given.len(), 200, "each winner is another user");
    assert!(given.values().all(|packets| packets.len() == 1), "one packet each");
    let packets: BTreeSet<u32> = given.values().flatten().copied().collect();
    assert_eq!(packets, (1..=200).collect());

    let (one, other) = (one.red_packet.snapshot("s").await, other.red_packet.snapshot("s").await);
    assert_eq!(one, other);
    let outcomes = one.expect("a snapshot").outcomes;
    assert_eq!((outcomes.won, outcomes.repeat, outcomes.sold_out), (won, repeat, sold_out));
}

#[tokio::test]
async fn a_refund_through_both_at_once_happens_once() {
    let redis = TestRedis::start().await;
    let (one, other) = two(&redis).await;
    one.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    let Outcome::Won { cents, .. } = other.red_packet.claim("s", "ann".into(), None).await.expect("an outcome") else {
        panic!("the first wins")
    };
    one.time.advance(LIFE_S * 1_000);
    let refunds =
        (0..20).map(|nth| if nth % 2 == 0 { &one } else { &other }).map(|server| server.red_packet.refund("s"));
    let refunds: Vec<Refund> = join_all(refunds).await.into_iter().map(|refund| refund.expect("a refund")).collect();
    let refunded_cents = 1_000 - cents;
    assert_eq!(refunds.iter().filter(|&&refund| refund == Refund::Refunded { refunded_cents }).count(), 1);
    assert_eq!(refunds.iter().filter(|&&refund| refund == Refund::Repeat { refunded_cents }).count(), 19);
    let events = stored(&redis.raw().await, "s").await.events;
    assert_eq!(events.iter().filter(|event| event.is("refunded")).count(), 1);
    assert_eq!(other.red_packet.snapshot("s").await.expect("a snapshot").state, State::Refunded);
}

#[tokio::test]
async fn opening_the_same_sale_through_both_at_once_makes_one_sale() {
    let redis = TestRedis::start().await;
    let (one, other) = two(&redis).await;
    // Three chunks, so that the two come into each other's way.
    let both = futures::join!(
        one.red_packet.open(terms("s", 20_000, 10_000)),
        other.red_packet.open(terms("s", 20_000, 10_000))
    );
    let both = (both.0.expect("opened"), both.1.expect("opened"));
    assert_eq!((both.0.sale, both.1.sale), ("s".to_owned(), "s".to_owned()));
    assert_ne!(both.0.existed, both.1.existed, "one of them has opened it");
    let snapshot = one.red_packet.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.state, snapshot.pending, snapshot.pending_cents), (State::Open, 10_000, 20_000));
    assert_eq!(stored(&redis.raw().await, "s").await.events.len(), 1, "opened once");
    assert_eq!(one.red_packet.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

#[tokio::test]
async fn a_crowd_of_one_server_is_seen_and_stopped_through_the_other() {
    let redis = TestRedis::start().await;
    let (one, other) = two(&redis).await;
    one.red_packet.open(terms("s", 1_000, 100)).await.expect("a sale");
    let orders = RunConfig {
        sale: "s".into(),
        users: 100_000,
        concurrency: 4,
        repeat_rate: 0.0,
        arrival: Arrival { kind: ArrivalKind::Constant, per_s: 100, over_s: 10 },
        seed: 3,
        behavior: None,
    };
    let run = one.crowds.start("red_packet", orders.clone()).await.expect("a run").run;
    let status = other.crowds.status(&run).await.expect("a status");
    assert_eq!((status.run.as_str(), status.phase, &status.config), (run.as_str(), Phase::Running, &orders));
    let has_crowd = async || other.lists.list(ListQuery::default()).await.expect("the sales").sales[0].crowd;
    assert!(has_crowd().await);
    // One crowd a sale, on whichever server.
    assert_eq!(other.crowds.start("red_packet", orders).await.expect_err("a crowd is there").code, Code::CrowdRunning);

    other.crowds.stop(&run).await.expect("a status");
    let stopped = eventually("the crowd has stopped", async || {
        let status = other.crowds.status(&run).await.expect("a status");
        status.phase.is_over().then_some(status)
    })
    .await;
    assert_eq!((stopped.phase, stopped.verdict), (Phase::Stopped, Some(Verdict::Holds)));
    assert!(stopped.answered < 100_000);
    assert_eq!(one.crowds.status(&run).await, Ok(stopped.clone()));
    assert_eq!(wins(&redis.raw().await, "s").await.len() as u64, stopped.outcomes.get("won"));
    assert!(!has_crowd().await);
}

#[tokio::test]
async fn both_live_views_end_at_the_same_state() {
    let redis = TestRedis::start().await;
    let (one, other) = two(&redis).await;
    one.red_packet.open(terms("s", 1_000, 100)).await.expect("a sale");
    let hub = |app: &TestApp| Hub::new(app.red_packet.clone(), app.shutdown.clone());
    let (mut here, mut there) =
        (hub(&one).watch("s", None).await.expect("a view"), hub(&other).watch("s", None).await.expect("a view"));
    for user in 0..50 {
        let server = if user % 2 == 0 { &one } else { &other };
        server.red_packet.claim("s", format!("u{user}"), None).await.expect("an outcome");
    }
    let last = one.red_packet.snapshot("s").await.expect("a snapshot");
    let shows_last = |state: &HubState<String>| match state {
        HubState::Frame(frame) => frame.id == last.event_id,
        HubState::Down | HubState::Gone => false,
    };
    let here = crate::support::within("one shows the last", here.wait_for(shows_last)).await.expect("a state").clone();
    let there = crate::support::within("the other does", there.wait_for(shows_last)).await.expect("a state").clone();
    let [here, there] = [here, there].map(|state| match state {
        HubState::Frame(frame) => Some((frame.id, frame.state.clone())),
        HubState::Down | HubState::Gone => None,
    });
    assert_eq!(here, there);
}
