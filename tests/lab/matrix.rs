//! What goes wrong with each strategy, established by playing every interleaving of its attempts on a real Redis.
//!
//! Attempts are deterministic: what an attempt does next follows from the replies that it got. So two schedules that led
//! to the same records, with the same replies to everybody, have the same future, and it is played once.

use super::TestLab;
use stampede::lab::{
    Anomaly,
    home::Lab,
    stepper::{Stage, replay},
    strategies::{STRATEGIES, Strategy, strategy},
    trace::{Form, Play, Record},
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// All that the future depends on: the records, and for each participant the replies so far, whether it waits, and
/// whether it has ended.
type Moment = (Vec<Record>, BTreeMap<char, (Vec<String>, bool, bool)>);

/// The first schedule, in the order of the letters, that leads to each anomaly; and how many moments there were. The
/// search ends when all of `enough` are found, or else with the last interleaving.
async fn explore(lab: &Lab, play: &Play, enough: &[Anomaly]) -> (BTreeMap<Anomaly, String>, usize) {
    let (mut found, mut seen) = (BTreeMap::new(), HashSet::new());
    let play_holds = play.check().expect("a strategy").failures.is_empty();
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

/// The schedule in which everybody who can go takes a step in turn, to the end of all; time passes only for those who
/// would wait for ever.
async fn turns(lab: &Lab, play: &Play) -> String {
    let (mut stage, mut schedule) = (Stage::set(lab, play).await.expect("a stage"), String::new());
    while stage.outcome().await.expect("an outcome").is_none() {
        let able = |stage: &mut Stage| -> Vec<char> {
            stage.participants().into_iter().filter(|one| one.can_go).map(|one| one.letter).collect()
        };
        let all = able(&mut stage);
        let but_time: Vec<char> = all.iter().copied().filter(|letter| *letter != 't').collect();
        for letter in if but_time.is_empty() { all } else { but_time } {
            // Whose turn it was may wait by now.
            if able(&mut stage).contains(&letter) && stage.outcome().await.expect("an outcome").is_none() {
                stage.step(letter).await.expect("a step");
                schedule.push(letter);
            }
        }
        assert!(schedule.len() < 200, "nobody comes to an end: {schedule}");
    }
    stage.clear().await.expect("a clean stage");
    schedule
}

async fn step(stage: &mut Stage, letter: char, replies: &mut BTreeMap<char, Vec<String>>) {
    let step = stage.step(letter).await.expect("a step");
    let waits = stage.participants().iter().any(|one| one.letter == letter && !one.can_go && one.next.is_some());
    // Time leaves its traces in the records; and whoever waits is where it was.
    if step.call.form != Form::Time && !waits {
        replies.entry(letter).or_default().extend(step.reply);
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

/// Whom to let come for how much: different users for too little, and one user twice with enough for both.
fn scenes(strategy: &Strategy) -> Vec<Play> {
    let play = |stock, users: &str| Play {
        strategy: strategy.id.to_owned(),
        stock,
        users: users.to_owned(),
        schedule: String::new(),
    };
    let mut scenes = vec![play(1, "12"), play(2, "11"), play(2, "12")];
    if strategy.attempts > 2 {
        scenes.extend([play(2, "123"), play(3, "122")]);
    }
    // One user twice for what another gets: searched to its end, so only where nothing is known to go wrong.
    if strategy.attempts > 2 && strategy.failures.is_empty() {
        scenes.push(play(1, "122"));
    }
    scenes
}

/// Every interleaving leads to the anomalies of the registry, and to no others; and each of its schedules shows what it
/// is there for.
async fn is_as_registered(id: &str) {
    let strategy = strategy(id).expect("a strategy");
    let lab = TestLab::new().await;
    let mut found = BTreeMap::new();
    for scene in scenes(strategy) {
        let of_scene = strategy.failures.iter().filter(|one| one.stock == scene.stock && one.users == scene.users);
        let of_scene: Vec<Anomaly> = of_scene.map(|failure| failure.anomaly).collect();
        // Where everything goes wrong, there is nothing to show by the last interleaving.
        let enough = if strategy.failures.len() == Anomaly::ALL.len() { of_scene } else { Vec::new() };
        let (anomalies, moments) = explore(&lab.lab, &scene, &enough).await;
        println!("{id}: {} of {} users, {moments} moments", scene.stock, scene.users);
        for (anomaly, schedule) in anomalies {
            found.entry(anomaly).or_insert((scene.stock, scene.users.clone(), schedule));
        }
    }
    let registered: BTreeSet<Anomaly> = strategy.failures.iter().map(|failure| failure.anomaly).collect();
    assert_eq!(registered, found.keys().copied().collect(), "{id}: {found:?}");
    for failure in strategy.failures {
        let (strategy, users, schedule) = (id.to_owned(), failure.users.to_owned(), failure.schedule.to_owned());
        let trace = replay(&lab.lab, &Play { strategy, stock: failure.stock, users, schedule }).await.expect("a trace");
        assert!(trace.outcome.expect("an end").contains(&failure.anomaly), "{id}: {failure:?}");
    }
    // What a ✓ leads to.
    let schedule = turns(&lab.lab, &strategy.in_turns("")).await;
    assert_eq!(Some(schedule.as_str()), strategy.turns, "{id}");
    let trace = replay(&lab.lab, &strategy.in_turns(&schedule)).await.expect("a trace");
    let anomalies = trace.outcome.expect("an end").into_iter().filter(|anomaly| Anomaly::ALL.contains(anomaly));
    assert!(BTreeSet::from_iter(anomalies).is_subset(&registered), "{id}");
    assert_eq!(lab.raw().await.keys().await, 0, "nothing is left");
}

/// A test for each, so that they run side by side.
macro_rules! strategies {
    ($($test:ident: $id:literal),* $(,)?) => {
        const TESTED: &[&str] = &[$($id),*];

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
    assert!(STRATEGIES.iter().map(|strategy| strategy.id).eq(TESTED.iter().copied()));
}
