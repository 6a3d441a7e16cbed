//! What goes wrong with each strategy, established by playing every interleaving of its attempts on a real Redis.

use super::TestLab;
use lab::{
    home::Lab,
    orders::{Limits, orders},
    stepper::{Stage, replay},
    strategies::{STRATEGIES, Strategy, scene_of, strategy},
};
use model::lab::{
    Anomaly,
    orders::AnomalyCount,
    registry::{Safe, Scene},
    trace::Play,
};
use std::{collections::BTreeMap, time::Instant};

/// The schedule in which everybody who can go takes a step in turn, or all of them if `at_once`, to the end of all; time
/// passes only for those who would wait for ever. And what went wrong in it.
async fn orderly(lab: &Lab, play: &Play, at_once: bool) -> (String, Vec<Anomaly>) {
    let (mut stage, mut schedule) = (Stage::set(lab, play).await.expect("a stage"), String::new());
    let able = |stage: &Stage| -> Vec<char> {
        stage.participants().into_iter().filter(|one| one.can_go).map(|one| one.letter).collect()
    };
    let outcome = loop {
        let all = able(&stage);
        let but_time: Vec<char> = all.iter().copied().filter(|letter| *letter != 't').collect();
        let round = if but_time.is_empty() { all } else { but_time };
        for letter in round.into_iter().take(if at_once { 1 } else { usize::MAX }) {
            // Whose turn it was may wait by now.
            if able(&stage).contains(&letter) && !stage.is_over() {
                stage.step(letter).await.expect("a step");
                schedule.push(letter);
            }
        }
        assert!(schedule.len() < 200, "nobody comes to an end: {schedule}");
        if let Some(outcome) = stage.outcome().await.expect("an outcome") {
            break outcome;
        }
    };
    stage.clear().await.expect("a clean stage");
    (schedule, outcome)
}

/// An orderly schedule in which nothing goes wrong: in turn, or else one after the other.
async fn safe_schedule(lab: &Lab, play: &Play) -> String {
    for at_once in [false, true] {
        let (schedule, anomalies) = orderly(lab, play, at_once).await;
        if anomalies.is_empty() {
            return schedule;
        }
    }
    panic!("something goes wrong even one after the other: {play:?}");
}

fn play(strategy: &Strategy, scene: Scene, schedule: &str) -> Play {
    let Scene { stock, users } = scene;
    Play { strategy: strategy.id.to_owned(), stock, users, schedule: schedule.to_owned() }
}

/// No interleaving leads to other anomalies than those of the registry; and each of its schedules shows what it is there
/// for.
async fn is_as_registered(id: &str) {
    let scenes = strategy(id).expect("a strategy").scenes();
    check(id, scenes.into_iter().filter(|scene| !is_large(scene)).collect()).await;
}

/// Whether a scene has so many interleavings that not every change can wait for all of them. What is undersold shows in
/// no smaller one.
fn is_large(scene: &Scene) -> bool {
    scene.users.len() > 2 && *scene != scene_of(Anomaly::Undersold)
}

#[tokio::test]
#[ignore = "long"]
async fn nothing_else_goes_wrong_in_the_largest_scenes() {
    for strategy in &STRATEGIES {
        let scenes: Vec<Scene> = strategy.scenes().into_iter().filter(is_large).collect();
        if !scenes.is_empty() {
            check(strategy.id, scenes).await;
        }
    }
}

async fn check(id: &str, scenes: Vec<Scene>) {
    let strategy = strategy(id).expect("a strategy");
    let lab = TestLab::new().await;
    let (mut found, began) = (BTreeMap::new(), Instant::now());
    for scene in scenes {
        let orders = orders(&lab.lab, &play(strategy, scene.clone(), ""), &Limits::of_moments(usize::MAX))
            .await
            .expect("orders");
        assert!(orders.is_complete && orders.total > 0, "{orders:?}");
        println!("{id}: {} for {}, {} moments, {:?}", scene.users, scene.stock, orders.moments, began.elapsed());
        for AnomalyCount { anomaly, first, .. } in orders.anomalies {
            // What fails may drain the stock on top of it; the matrix has what runs look for.
            if Anomaly::ALL.contains(&anomaly) || strategy.failures.is_empty() {
                found.entry(anomaly).or_insert((scene.stock, scene.users.clone(), first));
            }
        }
    }
    let registered: Vec<Anomaly> = strategy.failures.iter().map(|failure| failure.anomaly).collect();
    assert!(found.keys().all(|anomaly| registered.contains(anomaly)), "{id}: {found:?}");
    for failure in strategy.info().failures {
        let trace = replay(&lab.lab, &failure.play).await;
        let outcome = trace.as_ref().map(|trace| trace.outcome.clone());
        let shows_it = matches!(&outcome, Ok(Some(anomalies)) if anomalies.contains(&failure.anomaly));
        assert!(shows_it, "{id}: {failure:?} ends in {outcome:?}; found: {found:?}");
    }
    let (schedule, _) = orderly(&lab.lab, &strategy.in_turns(""), false).await;
    assert_eq!(Some(schedule.as_str()), strategy.turns, "{id}");
    // What each ✓ leads to.
    let mut safe = Anomaly::ALL.map(|_| None);
    for (place, anomaly) in Anomaly::ALL.into_iter().enumerate().filter(|(_, anomaly)| !registered.contains(anomaly)) {
        safe[place] = Some(safe_schedule(&lab.lab, &play(strategy, scene_of(anomaly), "")).await);
    }
    assert_eq!(safe.each_ref().map(Option::as_deref), strategy.safe, "{id}");
    for Safe { play, .. } in strategy.info().safe {
        assert_eq!(replay(&lab.lab, &play).await.expect("a trace").outcome, Some(vec![]), "{id}: {play:?}");
    }
    assert_eq!(lab.raw().await.keys().await, 0, "nothing is left");
}

/// A test for each, so that they run side by side.
macro_rules! strategies {
    ($($test:ident: $id:literal),* $(,)?) => {
        const TESTED: &[(&str, &str)] = &[$((stringify!($test), $id)),*];

        $(#[tokio::test]
        async fn $test() {
            is_as_registered($id).await;
        })*
    };
}

strategies! {
    read_check_write: "read-check-write",
    pipeline: "pipeline",
    lock_in_process: "lock-in-process",
    lock_in_process_two_servers: "lock-in-process-two-servers",
    decr_incr: "decr-incr",
    watch_multi_exec: "watch-multi-exec",
    setnx_lock: "setnx-lock",
    setnx_lock_no_owner_check: "setnx-lock-no-owner-check",
    setnx_lock_short_lifetime: "setnx-lock-short-lifetime",
    user_lock: "user-lock",
    user_lock_guard_unread: "user-lock-guard-unread",
    user_lock_guard: "user-lock-guard",
    select_for_update: "select-for-update",
    conditional_update: "conditional-update",
    queue: "queue",
    script: "script",
    batched_script: "batched-script",
}

#[test]
fn every_strategy_is_tested() {
    assert!(STRATEGIES.iter().map(|strategy| strategy.id).eq(TESTED.iter().map(|(_, id)| *id)));
    for (strategy, (test, _)) in STRATEGIES.iter().zip(TESTED) {
        assert_eq!(strategy.info().test.as_deref(), Some(format!("tests/lab/matrix.rs, {test}").as_str()));
    }
}

/// A ✓ would say nothing if its scene left no room for the anomaly.
#[tokio::test]
async fn each_anomaly_happens_to_somebody_in_the_scene_of_its_ticks() {
    let lab = TestLab::new().await;
    for anomaly in Anomaly::ALL {
        let id = if anomaly == Anomaly::Undersold { "decr-incr" } else { "read-check-write" };
        let scene = play(strategy(id).expect("a strategy"), scene_of(anomaly), "");
        let found = orders(&lab.lab, &scene, &Limits::of_moments(usize::MAX)).await.expect("orders").anomalies;
        assert!(found.iter().any(|found| found.anomaly == anomaly), "{anomaly:?}");
    }
}

/// The condition of these ticks: somebody stalls between the check and the grab until the lock is gone.
#[tokio::test]
async fn without_the_lock_of_a_user_the_reply_that_nobody_reads_gives_one_user_two() {
    let lab = TestLab::new().await;
    for id in ["user-lock", "user-lock-guard-unread"] {
        let scene = Scene { stock: 2, users: "11".to_owned() };
        let play = play(strategy(id).expect("a strategy"), scene, "");
        let mut stage = Stage::set(&lab.lab, &play).await.expect("a stage");
        for letter in "1111".chars() {
            stage.step(letter).await.expect("a step");
        }
        let raw = lab.raw().await;
        let locks: Vec<String> = raw.run("KEYS", "*:lock*").await;
        assert_eq!(raw.run::<u32>("DEL", &locks).await, 1, "{id}: {locks:?}");
        for letter in "22222211".chars() {
            stage.step(letter).await.expect("a step");
        }
        let outcome = stage.outcome().await.expect("an outcome");
        assert_eq!(outcome, Some(vec![Anomaly::Doubled, Anomaly::Lost]), "{id}");
        stage.clear().await.expect("a clean stage");
    }
}
