//! The crowd: it takes the path of every attempt, counts exactly, and is verified against what is stored.

use crate::support::{
    app::TestApp,
    eventually,
    proxy::{FaultProxy, Hold},
    redis::TestRedis,
    sale::{Chunk, clock, stored, terms, wins},
};
use engine::red_packet::scripts::key;
use model::{
    Verdict,
    crowd::{Arrival, ArrivalKind, MAX_PER_S, MAX_RUNS, Phase, RunConfig, Status, Verification},
    error::{Code, Error},
    life::{Currency, Plan, When},
    red_packet::Terms,
    runs::Started,
};
use std::collections::BTreeMap;
use store::runtime::Clock;

fn config(users: u32) -> RunConfig {
    RunConfig {
        sale: "s".into(),
        users,
        concurrency: 500,
        repeat_rate: 0.0,
        arrival: Arrival::BURST,
        seed: 11,
        behavior: None,
    }
}

fn constant(per_s: u32) -> Arrival {
    Arrival { kind: ArrivalKind::Constant, per_s, over_s: 10 }
}

async fn over(app: &TestApp, Started { run }: Started) -> Status {
    eventually("the crowd is over", async || {
        let status = app.crowds.status(&run).await.expect("a status");
        status.phase.is_over().then_some(status)
    })
    .await
}

#[tokio::test]
async fn attempts_without_an_answer_are_counted_by_their_reason() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    redis.raw().await.run::<i64>("HSET", (key("s", "meta"), "state", "suspended")).await;
    let started = app.crowds.start("red_packet", config(100)).await.expect("a run");
    let status = over(&app, started).await;
    assert_eq!((status.answered, status.unknown, status.not_tried(), status.outcomes.total()), (100, 0, 100, 0));
    assert_eq!(status.unanswered, BTreeMap::from([(Code::SaleSuspended, 100)]));
    assert_eq!(
        serde_json::to_value(&status).expect("JSON")["unanswered"],
        serde_json::json!({ "sale_suspended": 100 })
    );
}

/// As after a pause of the server, or while another Redis feeds the ledger: nothing may be sold, but whoever looks is told how
/// the crowd ended.
#[tokio::test]
async fn a_crowd_at_a_server_that_may_change_nothing_says_how_it_ended() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    app.store.note_displaced(Some(Error::new(Code::StoreRefused, "Another one feeds the ledger.")));
    let started = app.crowds.start("red_packet", config(100)).await.expect("a run");
    let status = over(&app, started).await;
    assert_eq!(status.unanswered, BTreeMap::from([(Code::StoreRefused, 100)]));
    // Nobody waited for Redis, and still it took some time.
    assert!(status.elapsed_ms > 0, "{status:?}");
    let raw = redis.raw().await;
    eventually("it is published", async || {
        let json: Option<String> = raw.run("GET", key("s", "crowd")).await;
        let published: Status = serde_json::from_str(&json?).expect("a status");
        (published.phase == Phase::Done && published.verdict == Some(Verdict::Holds)).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_users_on_a_thousand_packets_get_a_clean_verdict() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 888_800, 1_000)).await.expect("a sale");
    let started =
        app.crowds.start("red_packet", RunConfig { repeat_rate: 0.25, ..config(10_000) }).await.expect("a run");
    let status = over(&app, started).await;

    assert_eq!((status.phase, status.verdict), (Phase::Done, Some(Verdict::Holds)));
    let nothing = Verification {
        verdict: Verdict::Holds,
        oversold: 0,
        doubled: 0,
        lost: 0,
        unexpected: 0,
        before_start: None,
        expected_cents: 888_800,
        found_cents: 888_800,
        currency: Currency::CNY,
        reason: None,
    };
    assert_eq!(status.verification, Some(nothing));
    assert_eq!((status.answered, status.unknown, status.left_ms), (status.attempts, 0, None));
    // Derived from the seed: about a quarter click again, the same in every run.
    assert_eq!(status.attempts, 10_000 + CLICK_AGAIN);
    assert_eq!(status.outcomes.get("won"), 1_000);
    assert_eq!(status.outcomes.total(), status.attempts);
    assert!(status.p50_us <= status.p90_us && status.p90_us <= status.p99_us && status.p99_us <= status.max_us);
    assert!(status.p50_us > 0 && status.mean_per_s > 0);
    let history = status.history.iter().map(|point| point.at_ms);
    assert!(!status.history.is_empty() && history.is_sorted());
    // The course has every answer once, in the order of their names, and last those that never came.
    let of_course = |at: usize| status.history.iter().map(|point| point.answers[at]).sum::<u64>();
    for (at, (name, count)) in status.outcomes.0.iter().enumerate() {
        assert_eq!(of_course(at), *count, "{name}");
    }
    assert_eq!((of_course(status.outcomes.0.len()), status.history[0].answers.len()), (0, status.outcomes.0.len() + 1));

    // What the crowd counted is what Redis counted, and what the events say.
    let raw = redis.raw().await;
    let snapshot = app.red_packet.snapshot("s").await.expect("a snapshot");
    let counted = snapshot.outcomes;
    let counted = [counted.won, counted.repeat, counted.sold_out, counted.expired];
    assert_eq!(["won", "repeat", "sold_out", "expired"].map(|name| status.outcomes.get(name)), counted);
    assert_eq!((snapshot.pending, snapshot.claimed, snapshot.claimed_cents), (0, 1_000, 888_800));
    assert_eq!(wins(&raw, "s").await.len(), 1_000);
    assert_eq!(snapshot.crowd, Some(status));
    assert!(snapshot.calls < snapshot.outcomes.total() / 5, "{} calls", snapshot.calls);
}

/// Of 10,000 users with seed 11 and a rate of a quarter.
const CLICK_AGAIN: u64 = 2_549;

/// The name of a run's user, by its place.
fn user(run: &str, place: u32) -> String {
    let suffix = run.rsplit('-').next().expect("an id of several parts");
    format!("u{place}-{suffix}")
}

#[tokio::test]
async fn everyone_clicks_twice_and_still_gets_one_packet() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 10_000, 400)).await.expect("a sale");
    let started = app.crowds.start("red_packet", RunConfig { repeat_rate: 1.0, ..config(300) }).await.expect("a run");
    let status = over(&app, started).await;
    assert_eq!((status.attempts, status.outcomes.get("won"), status.outcomes.get("repeat")), (600, 300, 300));
    assert_eq!(status.verdict, Some(Verdict::Holds));
    let users: std::collections::BTreeSet<String> =
        wins(&redis.raw().await, "s").await.into_iter().map(|(user, _, _)| user).collect();
    assert_eq!(users.len(), 300);
    for place in [0, 299] {
        assert!(users.contains(&user(&status.run, place)), "users are named by place and run");
    }
}

#[tokio::test]
async fn a_packet_taken_from_a_winner_in_mid_run_is_lost_and_the_verdict_broken() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 100, 10)).await.expect("a sale");
    // They come slowly until the damage is done.
    let started =
        app.crowds.start("red_packet", RunConfig { arrival: constant(10), ..config(100) }).await.expect("a run");
    // With the only one, the key itself would be gone, which a script notices.
    eventually("two have won", async || (raw.run::<i64>("HLEN", key("s", "claimants")).await >= 2).then_some(())).await;
    eventually("the first has won", async || {
        (raw.run::<i64>("HDEL", (key("s", "claimants"), user(&started.run, 0))).await == 1).then_some(())
    })
    .await;
    app.crowds.change(&started.run, 100_000).await.expect("a status");
    let status = over(&app, started).await;
    assert_eq!((status.phase, status.verdict, status.outcomes.get("won")), (Phase::Done, Some(Verdict::Broken), 10));
    let verification = status.verification.expect("a verification");
    // Lost once according to the user, once according to the event.
    assert_eq!((verification.lost, verification.doubled, verification.oversold, verification.unexpected), (2, 0, 0, 0));
}

/// What is not in Redis is not lost: the ledger has it, and a recovery brings it back.
#[tokio::test]
async fn a_crowd_at_a_sale_that_redis_has_lost_is_not_judged() {
    for damage in ["suspended", "gone"] {
        let redis = TestRedis::start().await;
        let raw = redis.raw().await;
        let app = TestApp::on(&redis).await;
        app.red_packet.open(terms("s", 100, 10)).await.expect("a sale");
        let started =
            app.crowds.start("red_packet", RunConfig { arrival: constant(10), ..config(100) }).await.expect("a run");
        eventually("two have won", async || (raw.run::<i64>("HLEN", key("s", "claimants")).await >= 2).then_some(()))
            .await;
        match damage {
            "suspended" => _ = raw.run::<i64>("HSET", (key("s", "meta"), "state", "suspended")).await,
            _ => {
                _ = raw
                    .run::<i64>("DEL", ["meta", "pending", "claimants", "stats"].map(|part| key("s", part)).to_vec())
                    .await
            }
        }
        app.crowds.change(&started.run, 100_000).await.expect("a status");
        let status = over(&app, started).await;
        assert_eq!((status.phase, status.verdict), (Phase::Done, Some(Verdict::Unknown)), "{damage}");
        let verification = status.verification.expect("a verification");
        assert_eq!((verification.lost, verification.unexpected), (0, 0), "{damage}");
        let reason = verification.reason.expect("a reason");
        assert!(reason.contains("Redis has lost") && reason.contains("stampede recover s"), "{reason}");
    }
}

#[tokio::test]
async fn a_packet_slipped_to_a_loser_in_mid_run_is_unexpected() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 100, 1)).await.expect("a sale");
    let started =
        app.crowds.start("red_packet", RunConfig { arrival: constant(10), ..config(100) }).await.expect("a run");
    eventually("the second was refused", async || {
        (stored(&raw, "s").await.stats.contains_key("sold_out")).then_some(())
    })
    .await;
    raw.run::<i64>("HSET", (key("s", "claimants"), user(&started.run, 1), "1:100")).await;
    app.crowds.change(&started.run, 100_000).await.expect("a status");
    let status = over(&app, started).await;
    let verification = status.verification.expect("a verification");
    assert_eq!(verification.verdict, Verdict::Broken);
    assert_eq!((verification.oversold, verification.lost), (1, 0), "{verification:?}");
    assert_eq!(verification.unexpected, 2, "by the user who was refused, and by the events");
}

#[tokio::test]
async fn a_stopped_crowd_is_judged_all_the_same() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 100, 10)).await.expect("a sale");
    let started =
        app.crowds.start("red_packet", RunConfig { arrival: constant(1), ..config(1_000) }).await.expect("a run");
    let asked = app.crowds.stop(&started.run).await.expect("a status");
    assert_eq!(asked.run, started.run);
    let status = over(&app, started).await;
    assert_eq!((status.phase, status.verdict), (Phase::Stopped, Some(Verdict::Holds)));
    assert!(status.answered < 100 && status.attempts == 1_000, "{status:?}");
    // Stopping what is over changes nothing.
    assert_eq!(app.crowds.stop(&status.run).await, Ok(status.clone()));
    assert_eq!(app.crowds.status(&status.run).await, Ok(status));
}

#[tokio::test]
async fn the_load_can_be_changed_during_a_run() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let other = TestApp::at(&redis, &redis.url(), app.time.clone(), 2).await;
    app.red_packet.open(terms("s", 100, 10)).await.expect("a sale");
    // The last would come after a quarter of an hour.
    let started =
        app.crowds.start("red_packet", RunConfig { arrival: constant(1), ..config(1_000) }).await.expect("a run");
    let run = started.run.clone();
    for wrong in [0, MAX_PER_S + 1] {
        let error = other.crowds.change(&run, wrong).await.expect_err("no such rate");
        assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some("per_s")));
    }
    // At any server.
    other.crowds.change(&run, 100_000).await.expect("a status");
    let status = over(&app, started).await;
    assert_eq!((status.phase, status.verdict, status.answered), (Phase::Done, Some(Verdict::Holds), 1_000));
    assert_eq!(status.changes.iter().map(|change| change.per_s).collect::<Vec<_>>(), [100_000]);
    assert!(status.elapsed_ms > status.changes[0].at_ms && status.elapsed_ms < 600_000, "{status:?}");
    // What it was started with stays.
    assert_eq!(status.config.arrival, constant(1));
    assert_eq!(app.crowds.change(&run, 7).await, Ok(status.clone()), "a run that is over is not changed");
    assert_eq!(app.crowds.change("nobody", 7).await.expect_err("no run").code, Code::UnknownRun);
}

#[tokio::test]
async fn a_second_crowd_waits_for_the_first() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    for sale in ["s", "other"] {
        app.red_packet.open(terms(sale, 1_000, 10)).await.expect("a sale");
    }
    let slow = RunConfig { arrival: constant(1), ..config(1_000) };
    let first = app.crowds.start("red_packet", slow.clone()).await.expect("a run");
    let error = app.crowds.start("red_packet", slow.clone()).await.expect_err("a crowd is there");
    assert_eq!((error.code, error.code.status()), (Code::CrowdRunning, 409));
    // Another sale has a place of its own.
    let other = app.crowds.start("red_packet", RunConfig { sale: "other".into(), ..config(5) }).await.expect("a run");
    assert_eq!(over(&app, other).await.verdict, Some(Verdict::Holds));

    app.crowds.stop(&first.run).await.expect("a status");
    let run = first.run.clone();
    over(&app, first).await;
    eventually("it is kept, and its lock given back", async || app.run_history.report(&run).await.ok()).await;
    // As if its end was published, but the lock not given back yet.
    redis.raw().await.run::<String>("SET", (key("s", "crowd_lock"), &run, "PX", 60_000)).await;
    let next = app.crowds.start("red_packet", config(5)).await.expect("a run");
    let next = over(&app, next).await;
    assert_eq!((next.phase, next.answered), (Phase::Done, 5));
}

#[tokio::test]
async fn a_crowd_whose_server_went_away_is_lost() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    let started =
        app.crowds.start("red_packet", RunConfig { arrival: constant(1), ..config(1_000) }).await.expect("a run");
    app.shutdown.cancel();
    app.time.advance(60_000);
    let status = eventually("the run is given up", async || {
        let status = app.crowds.status(&started.run).await.expect("a status");
        (status.phase == Phase::Lost).then_some(status)
    })
    .await;
    assert_eq!((status.verdict, status.left_ms), (None, None), "never a pass");
}

#[tokio::test]
async fn a_crowd_that_ends_while_redis_is_away_is_verified_when_it_is_back() {
    let redis = TestRedis::start().await;
    let proxy = FaultProxy::before(&redis).await;
    let app = TestApp::at(&redis, &proxy.url, clock(), 1).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    // What is asked first when every attempt is answered: who has a packet.
    proxy.hold(Hold::Command, "HMGET\r\n$24\r\n{red_packet:s}:claimants");
    let started = app.crowds.start("red_packet", config(30)).await.expect("a run");
    proxy.holds().await;
    proxy.cut();
    app.time.advance(60_000);
    proxy.heal();
    let status = eventually("the crowd has a verdict", async || {
        let status = app.crowds.status(&started.run).await.ok()?;
        status.verdict.is_some().then_some(status)
    })
    .await;
    assert_eq!((status.phase, status.verdict), (Phase::Done, Some(Verdict::Holds)), "{status:?}");
}

#[tokio::test]
async fn a_crowd_is_stopped_by_its_server_while_redis_is_away() {
    let redis = TestRedis::start().await;
    let proxy = FaultProxy::before(&redis).await;
    let app = TestApp::at(&redis, &proxy.url, clock(), 1).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    let started =
        app.crowds.start("red_packet", RunConfig { arrival: constant(1), ..config(1_000) }).await.expect("a run");
    proxy.cut();
    let asked = app.crowds.stop(&started.run).await.expect("no answer of Redis is needed");
    assert_eq!((asked.run.as_str(), asked.phase), (started.run.as_str(), Phase::Running));
    proxy.heal();
    let status = eventually("the crowd has stopped", async || {
        let status = app.crowds.status(&started.run).await.ok()?;
        (status.phase == Phase::Stopped).then_some(status)
    })
    .await;
    assert_eq!(status.verdict, Some(Verdict::Holds), "{status:?}");
    assert!(status.answered < 100, "{status:?}");
}

/// A machine that slept: its clock has moved on, and the run with it.
#[tokio::test]
async fn a_crowd_that_was_silent_for_a_while_goes_on_and_can_be_stopped() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    let started =
        app.crowds.start("red_packet", RunConfig { arrival: constant(1), ..config(1_000) }).await.expect("a run");
    app.time.advance(60_000);
    let asked = app.crowds.stop(&started.run).await.expect("a status");
    assert!(!matches!(asked.phase, Phase::Done | Phase::Stopped), "{asked:?}");
    let status = eventually("the crowd has stopped", async || {
        let status = app.crowds.status(&started.run).await.expect("a status");
        (status.phase == Phase::Stopped).then_some(status)
    })
    .await;
    assert_eq!(status.verdict, Some(Verdict::Holds));
}

/// The second run's users are others than the first's, so nothing that those hold is taken for theirs.
#[tokio::test]
async fn a_second_run_with_the_same_seed_that_is_stopped_early_is_verified_by_its_own_users() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 10_000, 1_000)).await.expect("a sale");
    let first = app.crowds.start("red_packet", config(900)).await.expect("a run");
    assert_eq!(over(&app, first).await.outcomes.get("won"), 900);
    let slow = RunConfig { arrival: constant(1), ..config(900) };
    let second =
        eventually("the place is free", async || app.crowds.start("red_packet", slow.clone()).await.ok()).await;
    app.crowds.stop(&second.run).await.expect("a status");
    let verification = over(&app, second).await.verification.expect("a verification");
    assert_eq!((verification.verdict, verification.unexpected), (Verdict::Holds, 0), "{verification:?}");
}

/// After a long silence another crowd may have come: the sale is its, and so is its lock.
#[tokio::test]
async fn a_crowd_whose_lock_another_has_stops_and_leaves_it_alone() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    let started =
        app.crowds.start("red_packet", RunConfig { arrival: constant(1), ..config(1_000) }).await.expect("a run");
    raw.run::<String>("SET", (key("s", "crowd_lock"), "another", "PX", 60_000)).await;
    raw.run::<String>("SET", (key("s", "crowd"), "of another")).await;
    assert_eq!(over(&app, started).await.phase, Phase::Stopped);
    app.crowds.ended().await;
    assert_eq!(raw.run::<String>("GET", key("s", "crowd_lock")).await, "another");
    assert_eq!(raw.run::<String>("GET", key("s", "crowd")).await, "of another");
}

#[tokio::test]
async fn a_crowd_at_a_full_redis_is_heard_of_and_can_be_stopped() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    let slow = RunConfig { arrival: constant(1), ..config(1_000) };
    let started = app.crowds.start("red_packet", slow).await.expect("a run");
    raw.run::<String>("CONFIG", ("SET", "maxmemory", "1mb")).await;
    // Longer than a run may be silent.
    app.time.advance(60_000);
    let now = eventually("it says that it goes on", async || {
        let status = app.crowds.status(&started.run).await.expect("a status");
        (status.phase == Phase::Running).then_some(status.reported_at)
    });
    assert_eq!(now.await, app.time.now());
    app.crowds.stop(&started.run).await.expect("a status");
    let status = over(&app, started).await;
    assert_eq!((status.phase, status.verdict), (Phase::Stopped, Some(Verdict::Holds)));
    assert_eq!(app.red_packet.snapshot("s").await.expect("a snapshot").crowd, Some(status));
}

#[tokio::test]
async fn a_process_runs_a_limited_number_of_crowds_at_a_time() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let mut started = Vec::new();
    for nth in 0..=MAX_RUNS {
        let sale = format!("s{nth}");
        app.red_packet.open(terms(&sale, 1_000, 10)).await.expect("a sale");
        let slow = RunConfig { sale, arrival: constant(1), ..config(1_000) };
        match app.crowds.start("red_packet", slow).await {
            Ok(run) => started.push(run),
            Err(error) => assert_eq!((nth, error.code), (MAX_RUNS, Code::Busy)),
        }
    }
    assert_eq!(started.len(), MAX_RUNS);
    app.crowds.stop(&started[0].run).await.expect("a status");
    let last = RunConfig { sale: format!("s{MAX_RUNS}"), ..config(10) };
    eventually("there is a place", async || app.crowds.start("red_packet", last.clone()).await.ok()).await;
}

#[tokio::test]
async fn nobody_attempts_anything_after_the_server_has_stopped() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 100_000, 10_000)).await.expect("a sale");
    let busy = RunConfig { arrival: constant(2_000), ..config(100_000) };
    app.crowds.start("red_packet", busy).await.expect("a run");
    eventually("somebody has won", async || {
        (app.red_packet.snapshot("s").await.expect("a snapshot").claimed > 0).then_some(())
    })
    .await;
    app.shutdown.cancel();
    app.crowds.ended().await;
    let claimed = app.red_packet.snapshot("s").await.expect("a snapshot").claimed;
    // As many as would have come in a while: a task of the run that still lived would be served first.
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(app.red_packet.snapshot("s").await.expect("a snapshot").claimed, claimed);
}

#[tokio::test]
async fn invalid_crowd_settings_are_refused_by_field() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    let good = config(5);
    let arrival = |per_s, over_s| Arrival { kind: ArrivalKind::Ramp, per_s, over_s };
    let bad = [
        (RunConfig { users: 0, ..good.clone() }, "users"),
        (RunConfig { users: 1_000_001, ..good.clone() }, "users"),
        (RunConfig { concurrency: 0, ..good.clone() }, "concurrency"),
        (RunConfig { concurrency: 10_001, ..good.clone() }, "concurrency"),
        (RunConfig { repeat_rate: -0.01, ..good.clone() }, "repeat_rate"),
        (RunConfig { repeat_rate: 1.01, ..good.clone() }, "repeat_rate"),
        (RunConfig { repeat_rate: f64::NAN, ..good.clone() }, "repeat_rate"),
        (RunConfig { repeat_rate: f64::INFINITY, ..good.clone() }, "repeat_rate"),
        (RunConfig { arrival: arrival(0, 1), ..good.clone() }, "arrival.per_s"),
        (RunConfig { arrival: arrival(1_000_001, 1), ..good.clone() }, "arrival.per_s"),
        (RunConfig { arrival: arrival(1, 0), ..good.clone() }, "arrival.over_s"),
        (RunConfig { arrival: arrival(1, 3_601), ..good.clone() }, "arrival.over_s"),
        (RunConfig { sale: " ".into(), ..good.clone() }, "sale"),
    ];
    for (config, field) in bad {
        let error = app.crowds.start("red_packet", config.clone()).await.expect_err(field);
        assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some(field)), "{config:?}");
    }
    let code = async |config| app.crowds.start("red_packet", config).await.expect_err("no run").code;
    assert_eq!(code(RunConfig { sale: "nope".into(), ..good.clone() }).await, Code::UnknownSale);
    Chunk::whole(&[2, 1]).part(1, 1).send(&redis.raw().await, "half").await;
    assert_eq!(code(RunConfig { sale: "half".into(), ..good.clone() }).await, Code::SaleOpening);
    assert_eq!(app.crowds.status("nope").await.expect_err("no run").code, Code::UnknownRun);
    assert_eq!(app.crowds.stop("nope").await.expect_err("no run").code, Code::UnknownRun);
}

#[tokio::test]
async fn the_stop_key_of_a_run_is_not_a_run() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    let started =
        app.crowds.start("red_packet", RunConfig { arrival: constant(1), ..config(1_000) }).await.expect("a run");
    app.crowds.stop(&started.run).await.expect("a status");
    for name in [format!("{}:stop", started.run), format!("stop:{}", started.run)] {
        assert_eq!(app.crowds.status(&name).await.expect_err("no run").code, Code::UnknownRun, "{name}");
    }
    over(&app, started).await;
}

#[test]
fn a_burst_arrives_at_once() {
    assert_eq!([0, 1, 999_999].map(|place| Arrival::BURST.due_us(place)), [0, 0, 0]);
}

#[test]
fn constant_arrivals_are_evenly_spaced() {
    assert_eq!([0, 1, 4, 999_999].map(|place| constant(4).due_us(place)), [0, 250_000, 1_000_000, 249_999_750_000]);
}

#[test]
fn a_ramp_rises_to_full_flow_and_stays_there() {
    let ramp = Arrival { kind: ArrivalKind::Ramp, per_s: 100, over_s: 10 };
    // per_s * t² / (2 * over_s) users after t seconds: 5 after one, 125 after five, 500 at the top.
    assert_eq!([0, 5, 125, 500].map(|place| ramp.due_us(place)), [0, 1_000_000, 5_000_000, 10_000_000]);
    assert_eq!([600, 1_500].map(|place| ramp.due_us(place)), [11_000_000, 20_000_000]);
    let mut due = (0..2_000).map(|place| ramp.due_us(place));
    assert!(due.by_ref().is_sorted(), "nobody overtakes");
}

#[test]
fn an_arrival_is_read_by_name_or_with_its_figures() {
    let read = |json: &str| serde_json::from_str::<Arrival>(json).map_err(|error| error.to_string());
    assert_eq!(read(r#""burst""#), Ok(Arrival::BURST));
    assert_eq!(
        read(r#"{"kind":"constant","per_s":7}"#),
        Ok(Arrival { kind: ArrivalKind::Constant, per_s: 7, over_s: 10 })
    );
    assert_eq!(
        read(r#"{"kind":"ramp","per_s":7,"over_s":3}"#),
        Ok(Arrival { kind: ArrivalKind::Ramp, per_s: 7, over_s: 3 })
    );
    for bad in [r#""rain""#, r#"{"kind":"rain"}"#, r#"{"per_s":7}"#, "7", r#"{"kind":"ramp","per_s":-1}"#] {
        assert!(read(bad).is_err(), "{bad}");
    }
    let there_and_back = serde_json::to_string(&constant(9)).expect("JSON");
    assert_eq!(read(&there_and_back), Ok(constant(9)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_that_waits_for_the_start_gets_nothing_before_it() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let plan = Plan { opens: Some(When::InSeconds(2)), ..Plan::default() };
    app.red_packet.open(Terms { plan, ..terms("s", 1_000, 100) }).await.expect("a sale");
    let started = app.crowds.start("red_packet", RunConfig { repeat_rate: 0.5, ..config(200) }).await.expect("a run");
    eventually("they have clicked again and again", async || {
        let status = app.crowds.status(&started.run).await.expect("a status");
        (status.outcomes.get("not_open") > 600).then_some(())
    })
    .await;
    // Less than the time after which a silent run counts as lost.
    app.time.advance(2_000);
    let status = over(&app, started).await;
    assert_eq!(status.verdict, Some(Verdict::Holds), "{status:?}");
    assert_eq!(status.verification.and_then(|verification| verification.before_start), Some(0));
    assert_eq!(status.outcomes.get("won"), 100);
    assert!(status.outcomes.get("sold_out") >= 100, "{:?}", status.outcomes);
    assert_eq!(status.outcomes.total(), status.attempts);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_given_before_the_start_breaks_the_verdict() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 1_000, 100)).await.expect("a sale");
    let early = app.crowds.start("red_packet", config(7)).await.expect("a run");
    let status = over(&app, early).await;
    assert_eq!(status.verification.and_then(|verification| verification.before_start), None, "it has no start");
    // As if the script had not looked at it.
    let opens_at = app.time.now() + 1_000;
    redis.raw().await.run::<i64>("HSET", (key("s", "meta"), "opens_at", opens_at)).await;
    app.time.advance(2_000);
    let late = app.crowds.start("red_packet", config(7)).await.expect("a run");
    let verification = over(&app, late).await.verification.expect("a verification");
    assert_eq!((verification.verdict, verification.before_start), (Verdict::Broken, Some(7)));
}
