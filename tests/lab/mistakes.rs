//! Mistakes around attempts: the schedule of each ends in its verdict, and it takes that order, except where it takes none.

use super::TestLab;
use lab::{
    mistakes::{MISTAKES, mistake},
    stepper::replay,
};
use model::lab::{
    Anomaly,
    trace::{Play, Trace},
};

async fn trace(lab: &TestLab, id: &str, schedule: &str) -> Trace {
    let failure = mistake(id).expect("a mistake").failures.first().expect("a failure");
    let (strategy, users, schedule) = (id.to_owned(), failure.users.to_owned(), schedule.to_owned());
    replay(&lab.lab, &Play { strategy, stock: failure.stock, users, schedule }).await.expect("a trace")
}

/// `in_turn` is a schedule in which everybody comes after the other, and what comes of it.
async fn goes_wrong(id: &str, in_turn: (&str, &[Anomaly])) {
    let lab = TestLab::new().await;
    let failures = mistake(id).expect("a mistake").failures;
    let schedule = failures.first().expect("a failure").schedule;
    let wrong = trace(&lab, id, schedule).await;
    let known: Vec<Anomaly> = failures.iter().map(|failure| failure.anomaly).collect();
    assert_eq!(wrong.outcome, Some(known), "{id}: {:#?}", wrong.steps);
    let (schedule, anomalies) = in_turn;
    let right = trace(&lab, id, schedule).await;
    assert_eq!(right.outcome.as_deref(), Some(anomalies), "{id} in turn: {:#?}", right.steps);
    assert_eq!(lab.raw().await.keys().await, 0, "nothing is left");
}

/// A test for each, so that they run side by side.
macro_rules! mistakes {
    ($($test:ident: $id:literal, $in_turn:expr),* $(,)?) => {
        const TESTED: &[&str] = &[$($id),*];

        $(#[tokio::test]
        async fn $test() {
            goes_wrong($id, $in_turn).await;
        })*
    };
}

mistakes! {
    cancel_replayed: "cancel-replayed", ("11123344", &[]),
    pay_against_expire: "pay-against-expire", ("111ww22", &[]),
    rebuild_against_deduction: "rebuild-against-deduction", ("111111222", &[]),
    // Whatever the order.
    deduct_before_dedupe: "deduct-before-dedupe", ("11223", &[Anomaly::Undersold, Anomaly::Drained]),
}

/// The code does not ask whether somebody has one already.
#[tokio::test]
async fn a_rebuilt_cache_sells_to_the_same_user_again() {
    let lab = TestLab::new().await;
    let play = Play {
        strategy: "rebuild-against-deduction".to_owned(),
        stock: 2,
        users: "11".to_owned(),
        schedule: "1111112222".to_owned(),
    };
    let trace = replay(&lab.lab, &play).await.expect("a trace");
    assert_eq!(trace.outcome, Some(vec![Anomaly::Doubled]), "{:#?}", trace.steps);
}

#[test]
fn every_mistake_is_tested() {
    assert!(MISTAKES.iter().map(|mistake| mistake.id).eq(TESTED.iter().copied()));
}
