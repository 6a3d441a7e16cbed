//! Several writers: one writes, and the ledger stays correct even if two believe that they hold the lease.

use super::{Bench, in_ledger, rows_of, write_all};
use crate::support::{
    app::TestApp,
    eventually,
    redis::TestRedis,
    sale::{self, Event, clock, terms},
    within,
};
use ledger::writer::{Step, Writer};
use std::{collections::BTreeMap, time::Duration};
use tokio_util::sync::CancellationToken;

async fn step(writer: &mut Writer) -> Step {
    writer.step(Duration::ZERO).await.expect("a step")
}

#[tokio::test]
async fn one_writes_and_another_stands_by_until_it_gives_up() {
    let bench = Bench::new().await;
    bench.app.red_packet.open(terms("s", 100, 5)).await.expect("a sale");
    let (mut one, mut other) = (bench.app.writer("one"), bench.app.writer("other"));
    let has = async || bench.redis.run::<Option<String>>("GET", "stampede:writer").await;
    assert_eq!(step(&mut one).await, Step::Wrote { entries: 1, rows: 1 });
    bench.claim("s", 0..2).await;
    assert_eq!((step(&mut other).await, has().await.as_deref()), (Step::Standby, Some("one")));
    other.give_up().await;
    assert_eq!(has().await.as_deref(), Some("one"), "who has no lease gives none back");

    one.give_up().await;
    assert_eq!(has().await, None);
    assert_eq!((step(&mut other).await, has().await.as_deref()), (Step::Wrote { entries: 2, rows: 2 }, Some("other")));
    assert_eq!(step(&mut one).await, Step::Standby);
    assert_eq!(in_ledger(&bench.app, "s").await, rows_of(&bench.events("s").await));
}

#[tokio::test]
async fn the_lease_of_a_silent_writer_runs_out() {
    let bench = Bench::new().await;
    let (mut one, mut other) = (bench.app.writer("one"), bench.app.writer("other"));
    assert_eq!(step(&mut one).await, Step::Idle);
    let left: i64 = bench.redis.run("PTTL", "stampede:writer").await;
    assert!((1..=5_000).contains(&left), "{left} ms");
    // As if the time were over.
    bench.redis.run::<i64>("PEXPIRE", ("stampede:writer", 1)).await;
    eventually("another takes over", async || (step(&mut other).await == Step::Idle).then_some(())).await;
}

/// A writer asks for its lease once a second: for the rest of the second both write.
#[tokio::test]
async fn two_writers_that_both_believe_they_hold_the_lease_write_nothing_twice_and_skip_nothing() {
    let bench = Bench::new().await;
    sale::open(&bench.redis, "s", &[1; 400]).await;
    bench.app.red_packet.open(terms("t", 400, 400)).await.expect("a sale");
    bench.redis.run::<i64>("ZADD", ("stampede:sales", 1, "red_packet:s")).await;
    let mut writers = [bench.app.writer("one"), bench.app.writer("other")];
    let mut seen: BTreeMap<(&str, String), Event> = BTreeMap::new();
    let mut overtaken = 0;
    for round in 0..90_u32 {
        let sale = if round % 3 == 0 { "t" } else { "s" };
        bench.claim(sale, round * 4..round * 4 + 1 + round % 4).await;
        // Before it is trimmed.
        for sale in ["s", "t"] {
            seen.extend(bench.events(sale).await.into_iter().map(|event| ((sale, event.id.clone()), event)));
        }
        // Now one, now the other, now both, each with what it believed before.
        for nth in [&[0][..], &[0, 1], &[1], &[1, 0]][(round / 2) as usize % 4] {
            bench.lease_runs_out().await;
            match writers[*nth].step(Duration::ZERO).await {
                Ok(Step::Standby) => panic!("there is no lease"),
                Ok(Step::Idle | Step::Wrote { .. }) => {}
                Ok(Step::Overtaken) => overtaken += 1,
                Err(error) => panic!("{error:?}"),
            }
        }
    }
    assert!(overtaken > 20, "the two came into each other's way {overtaken} times");
    // A writer that was overtaken recovers.
    for (nth, writer) in (90..).zip(&mut writers) {
        bench.claim("s", nth * 4..nth * 4 + 1).await;
        seen.extend(bench.events("s").await.into_iter().map(|event| (("s", event.id.clone()), event)));
        write_all(&bench, writer).await;
    }
    for sale in ["s", "t"] {
        let events: Vec<Event> =
            seen.iter().filter(|((of, _), _)| *of == sale).map(|(_, event)| event.clone()).collect();
        let mut expected = rows_of(&events);
        expected.sort();
        assert_eq!(in_ledger(&bench.app, sale).await, expected);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_servers_whose_lease_is_torn_away_all_the_time_write_everything_once() {
    const PACKETS: u32 = 3_000;
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let apps = [
        TestApp::at(&server, &server.url(), clock(), 1).await,
        TestApp::at(&server, &server.url(), clock(), 2).await,
        TestApp::at(&server, &server.url(), clock(), 3).await,
    ];
    apps[0].red_packet.open(terms("s", 30_000, PACKETS.into())).await.expect("a sale");
    let stop = CancellationToken::new();
    let running: Vec<_> = (0..)
        .zip(&apps)
        .map(|(nth, app)| tokio::spawn(app.writer(&format!("writer {nth}")).run(stop.clone())))
        .collect();
    let mut attempts = (0..PACKETS).map(|user| format!("u{user}"));
    loop {
        let users: Vec<String> = attempts.by_ref().take(25).collect();
        if users.is_empty() {
            break;
        }
        redis.run::<i64>("DEL", "stampede:writer").await;
        let claims = users.into_iter().map(|user| apps[0].red_packet.claim("s", user, None));
        for outcome in futures::future::join_all(claims).await {
            outcome.expect("an outcome");
        }
    }
    stop.cancel();
    for writer in running {
        within("the writer ends", writer).await.expect("no panic");
    }
    // What a writer had begun when it was told to stop may still be going in.
    let mut last = apps[0].writer("the last");
    eventually("the rest is written", async || last.catch_up().await.ok()).await;
    let rows = in_ledger(&apps[0], "s").await;
    let mut won: Vec<(String, String)> =
        rows.into_iter().filter_map(|row| Some((row.3?, format!("{}:{}", row.5?, row.6)))).collect();
    won.sort();
    let held = sale::stored(&redis, "s").await.claimants;
    assert_eq!(won.len(), PACKETS as usize);
    assert!(won.into_iter().eq(held), "the ledger has who has what");
}
