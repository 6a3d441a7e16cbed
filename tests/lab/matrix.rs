//! What goes wrong with each strategy, established by playing every interleaving of its attempts on a real Redis.
//!
//! Attempts are deterministic: what an attempt does next follows from the replies that it got, and what EXEC does from
//! what has been written since WATCH. So two schedules that led to the same records, with the same replies to everybody
//! and the same records at each WATCH, have the same future, and it is played once.

use super::TestLab;
use lab::{
    home::Lab,
    stepper::{Stage, replay},
    strategies::{STRATEGIES, Strategy, scene_of, strategy},
};
use model::lab::{
    Anomaly,
    registry::{Safe, Scene},
    trace::{Form, Play, Record},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    time::Instant,
};

/// All that the future depends on: the records, and for each participant the replies so far, with what was stored at
/// each WATCH, whether it waits, and whether it has ended.
type Moment = (Vec<Record>, BTreeMap<char, (Vec<String>, bool, bool)>);

/// The first schedule, in the order of the letters, that leads to each anomaly; and how many moments there were. The
/// search ends when all of `enough` are found, or else with the last interleaving.
async fn explore(lab: &Lab, play: &Play, enough: &[Anomaly]) -> (BTreeMap<Anomaly, String>, usize) {
    let (mut found, mut seen) = (BTreeMap::new(), HashSet::new());
    let play_holds = lab::stepper::check(play).expect("a strategy").failures.is_empty();
    let mut open = vec![String::new()];
    while let Some(mut schedule) = open.pop() {
        let mut stage = Stage::set(lab, play).await.expect("a stage");
        let mut replies: BTreeMap<char, Vec<String>> = BTreeMap::new();
        for letter in schedule.chars() {
            step(&mut stage, letter, &mut replies).await;
        }
        // On to an end along the first of the branches; the others are begun anew.
        while seen.insert(moment(&mut stage, &replies).await) {
            if let Some(anomalies) = stage.outcome().await.expect("an outcome") {
                // What fails may drain the stock on top of it; the matrix has what runs look for.
                assert!(!play_holds || !anomalies.contains(&Anomaly::Drained), "{schedule} drains the stock");
                for anomaly in anomalies.into_iter().filter(|anomaly| Anomaly::ALL.contains(anomaly)) {
                    found.entry(anomaly).or_insert_with(|| schedule.clone());
                }
                break;
            }
            let participants = stage.participants();
            let mut able = participants.iter().filter(|one| one.can_go).map(|one| one.letter);
            let first = able.next().unwrap_or_else(|| panic!("everybody waits for everybody after {schedule}"));
            let others: Vec<String> = able.map(|letter| format!("{schedule}{letter}")).collect();
            open.extend(others.into_iter().rev());
            step(&mut stage, first, &mut replies).await;
            schedule.push(first);
        }
        stage.clear().await.expect("a clean stage");
        if !enough.is_empty() && enough.iter().all(|anomaly| found.contains_key(anomaly)) {
            break;
        }
    }
    (found, seen.len())
}

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

async fn step(stage: &mut Stage, letter: char, replies: &mut BTreeMap<char, Vec<String>>) {
    let step = stage.step(letter).await.expect("a step");
    let waits = stage.participants().iter().any(|one| one.letter == letter && !one.can_go && one.next.is_some());
    // Time leaves its traces in the records; and whoever waits is where it was.
    if step.call.form != Form::Time && !waits {
        let replies = replies.entry(letter).or_default();
        replies.extend(step.reply);
        // Whether EXEC will run depends on what WATCH saw, which no reply tells.
        if step.call.commands.iter().any(|command| command.first().is_some_and(|verb| verb == "WATCH")) {
            replies.push(format!("{:?}", stage.records().await.expect("records")));
        }
    }
}

async fn moment(stage: &mut Stage, replies: &BTreeMap<char, Vec<String>>) -> Moment {
    let records = stage.records().await.expect("records");
    let participants = stage.participants().into_iter().map(|one| {
        let replies = replies.get(&one.letter).cloned().unwrap_or_default();
        (one.letter, (replies, one.can_go, one.told.is_some()))
    });
    (records, participants.collect())
}

/// Every interleaving leads to the anomalies of the registry, and to no others; and each of its schedules shows what it
/// is there for.
async fn is_as_registered(id: &str) {
    let scenes = strategy(id).expect("a strategy").scenes();
    check(id, scenes.into_iter().filter(|scene| !is_large(id, scene)).collect()).await;
}

/// Whether a scene has so many interleavings that not every change can wait for all of them. None of these strategies
/// fails anywhere.
fn is_large(id: &str, scene: &Scene) -> bool {
    strategy(id).is_some_and(|strategy| strategy.attempts > 2 && strategy.failures.is_empty()) && scene.users.len() > 2
}

#[tokio::test]
#[ignore = "long"]
async fn strategies_that_hold_do_so_in_the_largest_scenes() {
    for strategy in &STRATEGIES {
        let scenes: Vec<Scene> = strategy.scenes().into_iter().filter(|scene| is_large(strategy.id, scene)).collect();
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
        let of_scene = strategy.failures.iter().filter(|one| one.stock == scene.stock && one.users == scene.users);
        let of_scene: Vec<Anomaly> = of_scene.map(|failure| failure.anomaly).collect();
        // Where everything goes wrong, there is nothing to show by the last interleaving.
        let enough = if strategy.failures.len() == Anomaly::ALL.len() { of_scene } else { Vec::new() };
        let (anomalies, moments) = explore(&lab.lab, &play(strategy, scene.clone(), ""), &enough).await;
        println!("{id}: {} for {}, {moments} moments, {:?}", scene.users, scene.stock, began.elapsed());
        for (anomaly, schedule) in anomalies {
            found.entry(anomaly).or_insert((scene.stock, scene.users.clone(), schedule));
        }
    }
    let registered: BTreeSet<Anomaly> = strategy.failures.iter().map(|failure| failure.anomaly).collect();
    assert_eq!(registered, found.keys().copied().collect(), "{id}: {found:?}");
    for failure in strategy.info().failures {
        let trace = replay(&lab.lab, &failure.play).await;
        let outcome = trace.as_ref().map(|trace| trace.outcome.clone());
        let shows_it = matches!(&outcome, Ok(Some(anomalies)) if anomalies.contains(&failure.anomaly));
        assert!(shows_it, "{id}: {failure:?} ends in {outcome:?}; found: {found:?}");
    }
    let (schedule, _) = orderly(&lab.lab, &strategy.in_turns(""), false).await;
    assert_eq!(Some(schedule.as_str()), strategy.turns, "{id}");
    // What each ✓ leads to.
    let mut safe = [None, None, None];
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
    let obvious = strategy("read-check-write").expect("a strategy");
    for anomaly in Anomaly::ALL {
        let (found, _) = explore(&lab.lab, &play(obvious, scene_of(anomaly), ""), &[anomaly]).await;
        assert!(found.contains_key(&anomaly), "{anomaly:?}");
    }
}

/// Records and replies are the same, but the EXEC of the first will fail, and that of the second will not.
#[tokio::test]
async fn who_watched_before_a_write_is_told_apart_from_who_watched_after_it() {
    let lab = TestLab::new().await;
    let scene = Scene { stock: 2, users: "12".to_owned() };
    let play = play(strategy("watch-multi-exec").expect("a strategy"), scene, "");
    let mut moments = Vec::new();
    for schedule in ["12222", "22221"] {
        let (mut stage, mut replies) = (Stage::set(&lab.lab, &play).await.expect("a stage"), BTreeMap::new());
        for letter in schedule.chars() {
            step(&mut stage, letter, &mut replies).await;
        }
        moments.push(moment(&mut stage, &replies).await);
        stage.clear().await.expect("a clean stage");
    }
    assert_ne!(moments[0], moments[1]);
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
