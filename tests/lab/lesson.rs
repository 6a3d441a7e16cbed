//! The lesson: what each level asks for can be done, and nobody can do it in fewer steps; and every call and answer of
//! every strategy and mistake has its line of pseudo-code.

use super::TestLab;
use lab::{
    mistakes::MISTAKES,
    orders::{Limits, orders},
    stepper::replay,
    strategies::{STRATEGIES, Storage, Strategy},
};
use model::lab::{
    orders::MOST_MOMENTS,
    trace::{Play, TIME},
};
use web::lab::{
    learn::{
        levels::{Goal, LEVELS},
        page::ORDERS,
    },
    player::pseudo,
};

#[tokio::test]
async fn each_level_can_be_solved_and_in_no_fewer_steps() {
    let lab = TestLab::new().await;
    for level in &LEVELS {
        let (strategy, users) = (level.strategy.to_owned(), level.users.to_owned());
        let scene = Play { strategy, stock: level.stock, users, schedule: String::new() };
        let orders = orders(&lab.lab, &scene, &Limits::of_moments(MOST_MOMENTS)).await.expect("orders");
        assert!(orders.is_complete, "{}", level.id);
        match level.goal {
            Goal::Break(anomaly) => {
                let schedule = orders.shortest.expect("an order that breaks it");
                assert_eq!(schedule.chars().count(), level.par, "{}: {schedule}", level.id);
                let outcome = replay(&lab.lab, &Play { schedule, ..scene }).await.expect("a trace").outcome;
                assert!(outcome.is_some_and(|anomalies| anomalies.contains(&anomaly)), "{}", level.id);
            }
            Goal::Survive => assert_eq!(orders.broken, 0, "{}", level.id),
            Goal::Guess => assert_eq!(orders.total, ORDERS, "{}", level.id),
        }
    }
}

/// The plays that the registry has of a strategy.
fn plays(strategy: &Strategy) -> Vec<Play> {
    let info = strategy.info();
    let failures = info.failures.into_iter().map(|failure| failure.play);
    failures.chain(info.safe.into_iter().map(|safe| safe.play)).chain(info.turns).collect()
}

#[tokio::test]
async fn every_call_and_every_answer_has_a_line_of_pseudo_code() {
    let lab = TestLab::new().await;
    for strategy in STRATEGIES.iter().chain(&MISTAKES) {
        for play in plays(strategy) {
            let trace = replay(&lab.lab, &play).await.expect("a trace");
            for one in trace.participants.iter().filter(|one| one.letter != TIME) {
                let lines = pseudo::lines(strategy.id, pseudo::user_of(&play.users, one.letter));
                assert!(!lines.is_empty(), "{}: {}", strategy.id, one.letter);
                for at in 0..=trace.steps.len() {
                    let counter = pseudo::counter(&trace, at, one.letter, &lines);
                    assert!(counter.is_some(), "{}: {} after {at} steps of {}", strategy.id, one.letter, play.schedule);
                }
            }
        }
    }
}

/// What the pages show of an earlier step is what a play up to that step shows.
#[tokio::test]
async fn a_trace_knows_every_situation_on_its_way() {
    let lab = TestLab::new().await;
    // Every play has a tag of its own, which statements of SQL name.
    for strategy in STRATEGIES.iter().chain(&MISTAKES).filter(|strategy| strategy.storage != Storage::Rows) {
        let Some(play) = plays(strategy).into_iter().next() else { continue };
        let trace = replay(&lab.lab, &play).await.expect("a trace");
        for at in 0..=trace.steps.len() {
            let schedule: String = play.schedule.chars().take(at).collect();
            let shorter = replay(&lab.lab, &Play { schedule, ..play.clone() }).await.expect("a trace");
            let mut now = trace.at(at);
            now.participants.iter_mut().for_each(|one| one.locals.sort());
            let mut expected = shorter.participants.clone();
            expected.iter_mut().for_each(|one| one.locals.sort());
            assert_eq!(now.participants, expected, "{}: after {at} steps of {}", strategy.id, play.schedule);
            assert_eq!(now.outcome, shorter.outcome, "{}", strategy.id);
            assert_eq!(&now.records, shorter.steps.last().map_or(&shorter.before, |step| &step.records));
        }
    }
}
