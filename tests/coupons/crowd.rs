//! A crowd at a sale of coupons: it claims, redeems and gives back through the path of every attempt, and is verified
//! against what is stored.

use super::{coupons, limits, terms};
use crate::support::{
    app::TestApp,
    eventually,
    proxy::{FaultProxy, Hold},
    redis::TestRedis,
    sale::clock,
};
use engine::coupon::scripts::key;
use model::{
    Verdict,
    coupon::{ByLimit, crowd::Behavior},
    crowd::{Arrival, ArrivalKind, KindBehavior, Phase, RunConfig, Status},
    error::Code,
    snapshot::SaleSnapshot,
};

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
    let started = app.crowds.start("coupon", config).await.expect("a run");
    eventually("the crowd is over", async || {
        let status = app.crowds.status(&started.run).await.expect("a status");
        status.phase.is_over().then_some(status)
    })
    .await
}

async fn opened(limits: ByLimit) -> (TestRedis, TestApp) {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    coupons(&app).open(terms(limits)).await.expect("a sale");
    (redis, app)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_stays_within_the_limits_and_its_verdict_is_clean() {
    let (_redis, app) = opened(limits(1_500, 2, 0)).await;
    let status = run(&app, config(2_000, Behavior { greedy: 0.5, redeem: 0.4, give_back: 0.0 })).await;
    assert_eq!((status.phase, status.verdict), (Phase::Done, Some(Verdict::Holds)), "{:?}", status.verification);
    assert_eq!((status.answered, status.unknown), (status.attempts, 0));
    let snapshot = coupons(&app).snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.claimed, snapshot.left()), (1_500, Some(0)));
    let counted = |name| status.outcomes.get(name);
    assert_eq!(counted("won"), 1_500);
    assert_eq!(counted("total"), snapshot.outcomes.refused.total);
    assert_eq!(counted("per_user"), snapshot.outcomes.refused.per_user);
    assert_eq!(counted("repeat"), snapshot.outcomes.repeat);
    assert_eq!(counted("redeemed"), snapshot.redeemed);
    assert!(counted("per_user") > 0 && counted("repeat") > 0 && counted("redeemed") > 0, "{:?}", status.outcomes);
}

/// The first comparison fails in the middle; the second still knows what users were told.
#[tokio::test]
async fn a_crowd_that_ends_while_redis_is_away_is_verified_when_it_is_back() {
    let redis = TestRedis::start().await;
    let proxy = FaultProxy::before(&redis).await;
    let app = TestApp::at(&redis, &proxy.url, clock(), 1).await;
    coupons(&app).open(terms(limits(100, 2, 0))).await.expect("a sale");
    let steady = Arrival { kind: ArrivalKind::Constant, per_s: 150, ..Arrival::BURST };
    let config = RunConfig { arrival: steady, ..config(150, Behavior::default()) };
    let started = app.crowds.start("coupon", config).await.expect("a run");
    // Asked when every attempt is answered: the records of the run's coupons.
    proxy.hold(Hold::Command, "HMGET");
    proxy.holds().await;
    proxy.cut();
    proxy.heal();
    let status = eventually("the crowd has a verdict", async || {
        let status = app.crowds.status(&started.run).await.ok()?;
        status.verdict.is_some().then_some(status)
    })
    .await;
    assert_eq!((status.phase, status.verdict), (Phase::Done, Some(Verdict::Holds)), "{:?}", status.verification);
    assert!(status.outcomes.get("won") > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_crowd_gives_back_others_get() {
    let (_redis, app) = opened(limits(100, 0, 0)).await;
    let status = run(&app, config(1_000, Behavior { greedy: 0.0, redeem: 0.0, give_back: 1.0 })).await;
    assert_eq!(status.verdict, Some(Verdict::Holds), "{:?}", status.verification);
    let snapshot = coupons(&app).snapshot("s").await.expect("a snapshot");
    assert!(snapshot.claimed > 100 && snapshot.returned == snapshot.claimed, "{snapshot:?}");
}

/// Anybody can look a user up on the page, and redeem what the user keeps.
#[tokio::test]
async fn a_coupon_that_somebody_else_redeems_does_not_break_a_crowds_verdict() {
    let (_redis, app) = opened(limits(1_000, 0, 0)).await;
    let steady = Arrival { kind: ArrivalKind::Constant, per_s: 100, ..Arrival::BURST };
    let keeps = Behavior { greedy: 0.0, redeem: 0.0, give_back: 0.0 };
    let config = RunConfig { arrival: steady, ..config(100, keeps) };
    let run = app.crowds.start("coupon", config).await.expect("a run").run;
    let sales = coupons(&app);
    let user = eventually("somebody has one", async || {
        let snapshot = sales.snapshot("s").await.expect("a snapshot");
        snapshot.latest.first().map(|claim| claim.user.clone())
    })
    .await;
    let code = sales.user("s", user).await.expect("a user").coupons[0].code.clone();
    sales.redeem("s", &code, None).await.expect("redeemed");
    let status = eventually("the crowd is over", async || {
        let status = app.crowds.status(&run).await.expect("a status");
        status.phase.is_over().then_some(status)
    })
    .await;
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").redeemed, 1);
    assert_eq!(status.verdict, Some(Verdict::Holds), "{:?}", status.verification);
}

/// What somebody was told and is not so, and what nobody was told, breaks the verdict.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_coupon_that_is_lost_behind_the_crowds_back_breaks_its_verdict() {
    let (redis, app) = opened(limits(400, 0, 0)).await;
    let raw = redis.raw().await;
    // A server without the ledger's help: the coupons go while the crowd runs.
    let started =
        app.crowds.start("coupon", config(3_000, Behavior { greedy: 0.0, redeem: 0.0, give_back: 0.0 })).await;
    let run = started.expect("a run").run;
    let status = eventually("the crowd is over", async || {
        // With the only one, the key itself would be gone, which a script notices.
        if let [code, _, ..] = raw.run::<Vec<String>>("HKEYS", key("s", "coupons")).await.as_slice() {
            raw.run::<i64>("HDEL", (key("s", "coupons"), code)).await;
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
    let (_redis, app) = opened(limits(4, 0, 0)).await;
    for (behavior, field) in [
        (Behavior { greedy: 1.5, ..Behavior::default() }, "greedy"),
        (Behavior { redeem: -0.1, ..Behavior::default() }, "redeem"),
        (Behavior { redeem: 0.6, give_back: 0.6, ..Behavior::default() }, "give_back"),
    ] {
        let error = app.crowds.start("coupon", config(10, behavior)).await.expect_err(field);
        assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some(field)));
    }
}
