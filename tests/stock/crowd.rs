//! A crowd at a sale of stock: it buys one to three and some orders fail, through the path of every attempt, and it is
//! verified against what is stored.

use super::{stock, terms};
use crate::support::{app::TestApp, eventually, redis::TestRedis};
use engine::stock::scripts::key;
use model::{
    Verdict,
    crowd::{Arrival, ArrivalKind, KindBehavior, Phase, RunConfig, Status},
    error::Code,
    stock::{Expired, Return, crowd::Behavior},
};
use std::time::Duration;

fn config(users: u32, behavior: Behavior) -> RunConfig {
    RunConfig {
        sale: "s".into(),
        users,
        concurrency: 300,
        repeat_rate: 0.3,
        arrival: Arrival::BURST,
        seed: 11,
        behavior: Some(behavior.to_fields()),
    }
}

async fn run(app: &TestApp, config: RunConfig) -> Status {
    let started = app.crowds.start("stock", config).await.expect("a run");
    eventually("the crowd is over", async || {
        let status = app.crowds.status(&started.run).await.expect("a status");
        status.phase.is_over().then_some(status)
    })
    .await
}

async fn opened(quantity: u64) -> (TestRedis, TestApp) {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    stock(&app).open(terms(quantity)).await.expect("a sale");
    (redis, app)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_gets_no_more_than_there_is_and_its_verdict_is_clean() {
    let (_redis, app) = opened(1_500).await;
    let status = run(&app, config(2_000, Behavior { several: 0.5, fail: 0.2 })).await;
    assert_eq!((status.phase, status.verdict), (Phase::Done, Some(Verdict::Holds)), "{:?}", status.verification);
    assert_eq!((status.answered, status.unknown), (status.attempts, 0));
    let snapshot = stock(&app).snapshot("s").await.expect("a snapshot");
    assert_eq!(snapshot.left, 1_500 + snapshot.units.returned - snapshot.units.deducted);
    let counted = |name| status.outcomes.get(name);
    assert_eq!(counted("won"), snapshot.outcomes.won);
    assert_eq!(counted("repeat"), snapshot.outcomes.repeat);
    assert_eq!(counted("not_enough"), snapshot.outcomes.not_enough);
    assert!(counted("returned") > 0 && counted("repeat") > 0 && counted("not_enough") > 0, "{:?}", status.outcomes);
    assert!(snapshot.units.deducted > snapshot.outcomes.won, "some want several");
}

/// While a crowd buys, the quantity expires, is evicted, restocked and corrected, and the ledger is late, again and again.
/// Nothing is sold twice, nothing is lost, and both quantities are the same at the end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_notices_nothing_of_a_cache_that_comes_and_goes() {
    let (redis, app) = opened(4_000).await;
    let (raw, sales, mut writer) = (redis.raw().await, stock(&app), app.writer("one"));
    // They come slowly until the quantity has been gone a few times.
    let slow = Arrival { kind: ArrivalKind::Constant, per_s: 100, ..Arrival::BURST };
    let config = RunConfig { arrival: slow, ..config(6_000, Behavior { several: 0.5, fail: 0.3 }) };
    let run = app.crowds.start("stock", config).await.expect("a run").run;
    let (mut gone, mut is_slow) = (0, true);
    let status = loop {
        // It expires, or an operator of Redis deletes it.
        gone += u32::from(sales.expire("s").await.expect("expired") == Expired::Expired);
        sales.restock("s", 3, None).await.expect("restocked");
        gone += raw.run::<u32>("DEL", key("s", "quantity")).await;
        writer.step(Duration::ZERO).await.expect("the ledger");
        sales.correct("s", 99, Some(100), None).await.expect("corrected");
        if gone > 10 && std::mem::take(&mut is_slow) {
            app.crowds.change(&run, 100_000).await.expect("a status");
        }
        let status = app.crowds.status(&run).await.expect("a status");
        if status.phase.is_over() {
            break status;
        }
    };
    assert!(!is_slow, "gone {gone} times while the crowd ran");
    assert_eq!((status.phase, status.verdict), (Phase::Done, Some(Verdict::Holds)), "{:?}", status.verification);
    assert_eq!((status.answered, status.unknown), (status.attempts, 0));
    writer.catch_up().await.expect("the ledger");
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
    sales.deduct("s", "late".to_owned(), 1_000_000, None).await.expect("an outcome");
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    let left = snapshot.left.cast_signed();
    assert_eq!(
        (snapshot.cached.map(u64::cast_signed), snapshot.ledger, snapshot.pending),
        (Some(left), Some(left), Some(0))
    );
    assert!(snapshot.rebuilds > 2, "{}", snapshot.rebuilds);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_failed_orders_give_back_others_get() {
    let (_redis, app) = opened(100).await;
    let status = run(&app, config(1_000, Behavior { several: 0.0, fail: 1.0 })).await;
    assert_eq!(status.verdict, Some(Verdict::Holds), "{:?}", status.verification);
    let snapshot = stock(&app).snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.left, snapshot.units.deducted), (100, snapshot.units.returned));
}

/// Anybody who knows the request of an order can give it back.
#[tokio::test]
async fn an_order_that_somebody_else_gives_back_does_not_break_a_crowds_verdict() {
    let (redis, app) = opened(1_000).await;
    let (raw, sales) = (redis.raw().await, stock(&app));
    let steady = Arrival { kind: ArrivalKind::Constant, per_s: 100, ..Arrival::BURST };
    let config = RunConfig { arrival: steady, ..config(100, Behavior { several: 0.0, fail: 0.0 }) };
    let run = app.crowds.start("stock", config).await.expect("a run").run;
    let request =
        eventually("somebody has ordered", async || raw.run::<Vec<String>>("HKEYS", key("s", "requests")).await.pop())
            .await;
    sales.give_back("s", Return::of_all(request)).await.expect("given back");
    let status = eventually("the crowd is over", async || {
        let status = app.crowds.status(&run).await.expect("a status");
        status.phase.is_over().then_some(status)
    })
    .await;
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").units.returned, 1);
    assert_eq!(status.verdict, Some(Verdict::Holds), "{:?}", status.verification);
}

/// What somebody was told and is not so breaks the verdict.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_is_lost_behind_the_crowds_back_breaks_its_verdict() {
    let (redis, app) = opened(9_000).await;
    let raw = redis.raw().await;
    let started = app.crowds.start("stock", config(3_000, Behavior { several: 0.0, fail: 0.0 })).await;
    let run = started.expect("a run").run;
    let status = eventually("the crowd is over", async || {
        // With the only one, the key itself would be gone, which a script notices.
        if let [request, _, ..] = raw.run::<Vec<String>>("HKEYS", key("s", "requests")).await.as_slice() {
            raw.run::<i64>("HDEL", (key("s", "requests"), request)).await;
        }
        let status = app.crowds.status(&run).await.expect("a status");
        status.phase.is_over().then_some(status)
    })
    .await;
    assert_eq!(status.verdict, Some(Verdict::Broken), "{:?}", status.verification);
    assert!(status.verification.expect("a verification").lost > 0);
}

#[tokio::test]
async fn a_behavior_that_cannot_be_is_refused_by_field() {
    let (_redis, app) = opened(4).await;
    for (behavior, field) in [
        (Behavior { several: 1.5, ..Behavior::default() }, "several"),
        (Behavior { fail: -0.1, ..Behavior::default() }, "fail"),
    ] {
        let error = app.crowds.start("stock", config(10, behavior)).await.expect_err(field);
        assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some(field)));
    }
}
