//! Every order of the steps of a scene: what the search counts is what there is, it is played once, and it has a limit.

use super::TestLab;
use crate::support::{app::TestApp, eventually, redis::TestRedis};
use futures::{future::join_all, poll};
use lab::{
    orders::{Limits, orders},
    stepper::replay,
};
use model::{
    error::Code,
    lab::{
        Anomaly,
        orders::{AnomalyCount, MOST_LISTED, Order, Orders},
        trace::Play,
    },
};
use serde_json::json;

fn scene(strategy: &str, stock: u32, users: &str) -> Play {
    Play { strategy: strategy.to_owned(), stock, users: users.to_owned(), schedule: String::new() }
}

async fn all(lab: &TestLab, scene: &Play) -> Orders {
    orders(&lab.lab, scene, &Limits::of_moments(usize::MAX)).await.expect("orders")
}

/// Every order, each played from the beginning, whatever moments they have in common.
async fn one_by_one(lab: &TestLab, scene: &Play) -> Vec<Order> {
    let (mut found, mut open) = (Vec::new(), vec![String::new()]);
    while let Some(schedule) = open.pop() {
        let play = Play { schedule: schedule.clone(), ..scene.clone() };
        let trace = replay(&lab.lab, &play).await.expect("a trace");
        match trace.outcome {
            Some(anomalies) => found.push(Order { schedule, anomalies }),
            None => {
                let able = trace.participants.iter().filter(|one| one.can_go);
                open.extend(able.map(|one| format!("{schedule}{}", one.letter)));
            }
        }
    }
    found.sort_by(|one, other| one.schedule.cmp(&other.schedule));
    found
}

/// With WATCH, records and replies may be the same while the EXEC of one will fail and that of the other will not.
#[tokio::test]
async fn what_is_counted_by_moments_is_there_one_by_one() {
    let lab = TestLab::new().await;
    for scene in [
        scene("read-check-write", 1, "12"),
        scene("read-check-write", 2, "11"),
        scene("decr-incr", 2, "112"),
        scene("watch-multi-exec", 2, "12"),
        scene("lock-in-process-two-servers", 1, "12"),
        scene("deduct-before-dedupe", 2, "112"),
    ] {
        let expected = one_by_one(&lab, &scene).await;
        let found = all(&lab, &scene).await;
        println!("{scene:?}: {} orders, {} moments", found.total, found.moments);
        let is_broken = |order: &&Order| !order.anomalies.is_empty();
        let broken: Vec<&Order> = expected.iter().filter(is_broken).collect();
        assert_eq!((found.total, found.broken), (expected.len() as u64, broken.len() as u64), "{scene:?}");
        for AnomalyCount { anomaly, orders, first } in &found.anomalies {
            let with_it: Vec<&&Order> = broken.iter().filter(|order| order.anomalies.contains(anomaly)).collect();
            assert_eq!((*orders, first), (with_it.len() as u64, &with_it[0].schedule), "{scene:?}: {anomaly:?}");
        }
        let shortest = broken.iter().min_by_key(|order| order.schedule.len()).map(|order| order.schedule.clone());
        assert_eq!(found.shortest, shortest, "{scene:?}");
        if expected.len() <= MOST_LISTED {
            assert_eq!(found.listed, expected, "{scene:?}");
        }
        assert!(found.is_complete);
    }
    assert_eq!(lab.raw().await.keys().await, 0, "nothing is left");
}

/// Who was refused before the order expired was told the truth, and the worker comes to the end of what it does.
#[tokio::test]
async fn what_comes_back_later_was_not_there_for_others() {
    let lab = TestLab::new().await;
    for id in ["pay-against-expire", "cancel-replayed"] {
        let found = all(&lab, &scene(id, 1, "12")).await;
        let unknown = found.anomalies.iter().filter(|found| found.anomaly != Anomaly::Oversold);
        assert_eq!(unknown.count(), 0, "{id}: {:?}", found.anomalies);
    }
}

/// As in the matrix.
#[tokio::test]
async fn an_obvious_scene_has_the_figures_that_it_always_has() {
    let lab = TestLab::new().await;
    let found = all(&lab, &scene("read-check-write", 1, "12")).await;
    let oversold = AnomalyCount { anomaly: Anomaly::Oversold, orders: 60, first: "11211222".to_owned() };
    assert_eq!((found.total, found.broken, found.anomalies), (66, 60, vec![oversold]));
    assert_eq!((found.shortest.as_deref(), found.listed.len()), (Some("11211222"), 66));
}

/// Time passes as often as one likes, and those who wait for a lock ask for it again and again. An order has an end
/// nevertheless.
#[tokio::test]
async fn time_that_changes_nothing_is_part_of_no_order() {
    let lab = TestLab::new().await;
    let found = all(&lab, &scene("setnx-lock-no-owner-check", 2, "112")).await;
    assert!(found.is_complete && found.broken > 0 && found.total > MOST_LISTED as u64, "{found:?}");
    let broken = found.listed.iter().filter(|order| !order.anomalies.is_empty()).count();
    assert_eq!((found.listed.len(), broken), (MOST_LISTED, MOST_LISTED / 2));
    assert!(found.listed.is_sorted_by_key(|order| &order.schedule));
    assert!(found.listed.iter().all(|order| !order.schedule.contains("tt")), "{found:?}");
}

#[tokio::test]
async fn a_search_that_reaches_its_limit_says_so() {
    let lab = TestLab::new().await;
    let scene = scene("read-check-write", 1, "12");
    let found = orders(&lab.lab, &scene, &Limits::of_moments(20)).await.expect("orders");
    assert_eq!((found.is_complete, found.moments), (false, 20));
    assert!((1..66).contains(&found.total) && found.listed.len() as u64 == found.total, "{found:?}");
    let whole = orders(&lab.lab, &scene, &Limits::of_moments(33)).await.expect("orders");
    assert_eq!((whole.is_complete, whole.moments, whole.total), (true, 33, 66));
    assert_eq!(lab.raw().await.keys().await, 0, "nothing is left");
}

/// How often the attempts of `user-lock` have read the stock.
async fn reads(redis: &TestRedis) -> u64 {
    let stats: String = redis.raw().await.run("INFO", "commandstats").await;
    let calls = stats.lines().find_map(|line| line.strip_prefix("cmdstat_decrby:calls=")?.split(',').next());
    calls.map_or(0, |calls| calls.parse().expect("a number"))
}

/// There are eight places for plays, and all of them together take one.
#[tokio::test(flavor = "multi_thread")]
async fn a_scene_is_searched_once_whoever_asks_for_it() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let scene = scene("user-lock", 1, "12");
    let answers = join_all((0..20).map(|_| app.lab.orders(&scene))).await;
    let first = answers[0].clone().expect("orders");
    assert_eq!((first.total, first.is_complete), (914, true));
    assert!(answers.iter().all(|answer| answer.as_ref() == Ok(&first)), "{answers:?}");
    let before = reads(&redis).await;
    let again = Play { schedule: "12".to_owned(), ..scene.clone() };
    assert_eq!(app.lab.orders(&again).await.as_ref(), Ok(&first));
    // Whatever the users are called.
    let renamed = Play { users: "73".to_owned(), ..scene.clone() };
    assert_eq!(app.lab.orders(&renamed).await, Ok(Orders { users: "73".to_owned(), ..first }));
    assert_eq!(reads(&redis).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_goes_on_though_nobody_waits_for_it_any_longer() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let scene = scene("user-lock", 1, "12");
    let mut asked = Box::pin(app.lab.orders(&scene));
    assert!(poll!(asked.as_mut()).is_pending());
    drop(asked);
    eventually("it is searched", async || (reads(&redis).await > 50).then_some(())).await;
}

#[tokio::test]
async fn orders_are_asked_for_with_what_is_left_out_as_one_expects() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let (status, found) = server.post("/api/lab/orders", &json!({ "strategy": "script" })).await;
    assert_eq!(status, 200, "{found}");
    let order = |schedule: &str| json!({ "schedule": schedule, "anomalies": [] });
    assert_eq!((&found["stock"], &found["users"], &found["shortest"]), (&json!(1), &json!("12"), &json!(null)));
    assert_eq!((&found["total"], &found["listed"]), (&json!(2), &json!([order("12"), order("21")])));
    let refused = server.app.lab.orders(&scene("hope", 1, "12")).await.expect_err("a refusal");
    assert_eq!((refused.code, refused.field.as_deref()), (Code::BadRequest, Some("strategy")));
}
