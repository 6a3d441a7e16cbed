//! Duels: what is recorded is what was found, and everybody who asks is shown the same one.

use super::TestLab;
use crate::support::{
    app::TestApp,
    eventually,
    redis::{Raw, TestRedis},
};
use futures::future::join_all;
use lab::{arrivals::arrivals, duel};
use model::{
    Verdict,
    error::Code,
    lab::{
        Settings,
        duel::{Duel, ITEMS, LEFT, Match, Side},
    },
    runs::RunStatus,
};
use serde_json::json;
use store::keys;
use tokio_util::sync::CancellationToken;

fn against(left: &str) -> Match {
    Match { left: left.to_owned(), ..Match::default() }
}

/// The record of a side is in order, complete, and about this crowd. Returns how many buyers each item has.
fn buyers(side: &Side, settings: &Settings) -> Vec<usize> {
    let Side { figures, took_us, answered, awards } = side;
    assert_eq!(
        [awards.at_us.len(), awards.users.len(), awards.items.len()],
        [figures.given as usize; 3],
        "{figures:?}"
    );
    assert!(awards.at_us.is_sorted() && awards.at_us.last() <= Some(took_us), "{figures:?}");
    assert!(awards.users.iter().all(|user| *user < settings.users), "{figures:?}");
    assert!(answered.is_sorted() && answered.last().copied().map(u64::from) == Some(figures.attempts), "{figures:?}");
    awards.holders(ITEMS).iter().map(Vec::len).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_was_given_an_item_is_recorded_with_its_number() {
    let lab = TestLab::new().await;
    for name in LEFT {
        let asked = against(name);
        let duel = duel::run(&lab.lab, &asked, &CancellationToken::new()).await.expect("a duel");
        let Duel { settings, left, right, .. } = duel;
        assert_eq!((&settings, left.figures.name.as_str()), (&asked.settings(), name));
        assert_eq!(buyers(&right, &settings), [1; ITEMS as usize], "each item once");
        assert_eq!((right.figures.verdict, right.figures.attempts), (Verdict::Holds, arrivals(&settings).len() as u64));

        let buyers = buyers(&left, &settings);
        assert_eq!(left.figures.verdict, Verdict::Broken, "{:?}", left.figures);
        assert!(buyers.iter().any(|buyers| *buyers > 1), "{:?}", left.figures);
        // What is oversold is what items have more buyers than one, but for items that nobody bought.
        let more: usize = buyers.iter().map(|buyers| buyers.saturating_sub(1)).sum();
        let unsold = buyers.iter().filter(|buyers| **buyers == 0).count();
        assert_eq!(left.figures.oversold as usize, more.saturating_sub(unsold), "{:?}", left.figures);
        // The stock only falls to 0 if every number was read by somebody who then sold it.
        assert!(unsold == 0 || name != "read-check-write", "{:?}", left.figures);
    }
    assert_eq!(lab.raw().await.keys().await, 0, "nothing is left");
}

#[test]
fn a_crowd_is_the_same_whoever_is_on_the_left_and_another_with_another_seed() {
    let of = |left, seed| arrivals(&Match { seed, ..against(left) }.settings());
    assert_eq!(of("read-check-write", 7), of("pipeline", 7));
    assert_ne!(of("pipeline", 7), of("pipeline", 8));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_shows_everybody_the_same_duel_until_another_is_asked_for() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let ask = async |again| app.lab.duel(Match::default(), again).await.expect("a duel");
    let answers = join_all((0..4).map(|_| ask(false))).await;
    assert!(answers.iter().all(|duel| *duel == answers[0]), "one run for all who wait");
    let another = ask(true).await;
    assert_ne!(another.left.awards, answers[0].left.awards);
    assert!(ask(false).await == another, "it takes the place of the first");
    let raw = Raw::at(&format!("{}?db=1", redis.url())).await;
    assert_eq!(raw.keys().await, 0, "nothing is left");
    assert_eq!(redis.raw().await.run::<i64>("EXISTS", keys::LAB.one).await, 0, "and the lease is free");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_measured_is_not_disturbed() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let slow = Settings { delay_ms: 50, strategies: vec!["setnx-lock".to_owned()], ..Settings::default() };
    let run = app.lab.start(slow).await.expect("a run").run;
    let refused = app.lab.duel(Match::default(), false).await.expect_err("a refusal");
    assert_eq!(refused.code, Code::LabRunning);
    app.lab.stop(&run).await.expect("it is asked");
    eventually("the run is over", async || app.lab.find(&run).await.expect("the run").is_over().then_some(())).await;
    app.lab.duel(Match::default(), false).await.expect("a duel");
}

#[tokio::test]
async fn what_holds_cannot_be_on_the_left() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let (status, answer) = server.post("/api/lab/duel", &json!({ "left": "script" })).await;
    assert_eq!((status, &answer["error"]["field"]), (400, &json!("left")));
}
