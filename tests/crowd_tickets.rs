//! A crowd at a ticket sale: it sells out a hall through the path of every attempt, and is verified against what is
//! stored.

use crate::support::{
    app::TestApp,
    eventually,
    proxy::{FaultProxy, Hold},
    redis::{Raw, TestRedis},
    sale,
};
use engine::ticket::scripts::key;
use model::{
    Cents, Verdict,
    crowd::{Arrival, KindBehavior, Phase, RunConfig, Status, Verification},
    error::Code,
    life::Currency,
    red_packet,
    runs::Started,
    ticket::{self, HallChoice, Terms, crowd::Behavior, halls::HallName},
};
use std::collections::BTreeMap;

/// Everyone pays, and nobody is turned away for having too many.
const ALL_PAY: Behavior =
    Behavior { choosers: 0.3, groups: [1.0, 4.0, 1.0, 2.0, 0.5, 0.5], adjacent: 0.9, hot: 0.2, pay: 1.0, cancel: 0.0 };

fn hall(name: HallName) -> Terms {
    Terms {
        sale: "s".into(),
        hall: HallChoice::Hall(name),
        prices: BTreeMap::new(),
        limit_per_user: 6,
        hold_s: 60,
        extendable: false,
        plan: model::life::Plan::default(),
    }
}

fn config(users: u32, behavior: Behavior) -> RunConfig {
    RunConfig {
        sale: "s".into(),
        users,
        concurrency: 500,
        repeat_rate: 0.1,
        arrival: Arrival::BURST,
        seed: 11,
        behavior: Some(behavior.to_fields()),
    }
}

async fn over(app: &TestApp, Started { run }: Started) -> Status {
    eventually("the crowd is over", async || {
        let status = app.crowds.status(&run).await.expect("a status");
        status.phase.is_over().then_some(status)
    })
    .await
}

/// Asserts what holds after every crowd: a clean verdict, and counts equal to those of Redis.
async fn good(app: &TestApp, status: &Status) {
    assert_eq!((status.phase, status.verdict), (Phase::Done, Some(Verdict::Holds)), "{:?}", status.verification);
    assert_eq!((status.answered, status.unknown, status.left_ms), (status.attempts, 0, None));
    let reported = app.tickets.snapshot("s").await.expect("a snapshot").outcomes;
    assert_eq!(status.outcomes.total(), status.attempts);
    let counted = [reported.seat_taken, reported.not_enough_seats, reported.limit_reached];
    let names = ["seat_taken", "not_enough_seats", "limit_reached"];
    assert_eq!(names.map(|name| status.outcomes.get(name)), counted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_arena_is_sold_out_to_the_last_seat_when_everyone_pays() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.tickets.open(hall(HallName::Arena)).await.expect("a sale");
    // Twice as many seats are wanted as there are, and enough come alone to fill what groups left.
    let behavior = Behavior { groups: [3.0, 4.0, 1.0, 2.0, 0.5, 0.5], ..ALL_PAY };
    let status = over(&app, app.crowds.start("ticket", config(10_000, behavior)).await.expect("a run")).await;
    good(&app, &status).await;

    let snapshot = app.tickets.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.remaining.values().sum::<u32>(), snapshot.held.values().sum::<u32>()), (0, 0));
    assert_eq!(snapshot.sold.values().sum::<u32>(), 12_000);
    let price: BTreeMap<&str, Cents> =
        snapshot.categories.iter().map(|category| (category.name.as_str(), category.price_cents)).collect();
    let cents = snapshot.sold.iter().map(|(name, seats)| price[name.as_str()] * i64::from(*seats)).sum();
    let nothing = Verification {
        verdict: Verdict::Holds,
        oversold: 0,
        doubled: 0,
        lost: 0,
        unexpected: 0,
        before_start: None,
        expected_cents: cents,
        found_cents: cents,
        currency: Currency::CNY,
        reason: None,
    };
    assert_eq!(status.verification, Some(nothing));
    let count = |name| status.outcomes.get(name);
    assert_eq!(count("held"), count("paid"));
    assert!(count("seat_taken") > 0 && count("not_enough_seats") > 0 && count("repeat") > 0, "{:?}", status.outcomes);
    assert!(status.attempts > 10_000 + count("paid"), "who found its seats taken tried again");
    assert_eq!(snapshot.crowd, Some(status));
}

#[tokio::test]
async fn unpaid_seats_go_to_the_next_crowd() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.tickets.open(hall(HallName::Theatre)).await.expect("a sale");
    let some = Behavior { pay: 0.3, cancel: 0.3, ..ALL_PAY };
    let first = over(&app, app.crowds.start("ticket", config(300, some)).await.expect("a run")).await;
    good(&app, &first).await;
    let count = |status: &Status, name: &str| status.outcomes.get(name);
    let lapsing = count(&first, "held") - count(&first, "paid") - count(&first, "cancelled");
    assert!(lapsing > 0 && count(&first, "cancelled") > 0 && count(&first, "paid") > 0, "{:?}", first.outcomes);

    app.time.advance(60_000);
    assert_eq!(app.tickets.expire("s").await, Ok((lapsing, None)));
    let snapshot = app.tickets.snapshot("s").await.expect("a snapshot");
    assert!(snapshot.remaining.values().sum::<u32>() > 0 && snapshot.held.values().sum::<u32>() == 0);

    // Other users, who all pay: nothing is left over.
    let second = RunConfig { seed: 12, ..config(2_000, ALL_PAY) };
    let second = over(&app, app.crowds.start("ticket", second).await.expect("a run")).await;
    assert_eq!(second.verdict, Some(Verdict::Holds), "{:?}", second.verification);
    let snapshot = app.tickets.snapshot("s").await.expect("a snapshot");
    assert_eq!(snapshot.sold.values().sum::<u32>(), 596);
}

#[tokio::test]
async fn the_same_seed_brings_the_same_users_who_want_the_same() {
    let mut held = Vec::new();
    for _ in 0..2 {
        let redis = TestRedis::start().await;
        let app = TestApp::on(&redis).await;
        app.tickets.open(hall(HallName::Theatre)).await.expect("a sale");
        // One after the other, so that there is no race this time.
        let one = RunConfig { concurrency: 1, repeat_rate: 0.0, ..config(100, Behavior { pay: 0.0, ..ALL_PAY }) };
        over(&app, app.crowds.start("ticket", one).await.expect("a run")).await;
        held.push(app.tickets.snapshot("s").await.expect("a snapshot").seats);
    }
    assert_eq!(held[0], held[1]);
}

/// Runs a crowd whose first users are answered long before the last one, and corrupts something in between.
async fn spoilt(spoil: impl AsyncFn(&Raw)) -> Verification {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let app = TestApp::on(&redis).await;
    app.tickets.open(hall(HallName::Theatre)).await.expect("a sale");
    let arrival = Arrival { kind: model::crowd::ArrivalKind::Constant, per_s: 1, over_s: 10 };
    let slow = RunConfig { arrival, ..config(8, Behavior { choosers: 0.0, pay: 0.0, ..ALL_PAY }) };
    let started = app.crowds.start("ticket", slow).await.expect("a run");
    // With the only order, the key itself would be gone, which a script notices.
    eventually("two hold seats", async || (raw.run::<i64>("HLEN", key("s", "orders")).await > 1).then_some(())).await;
    spoil(&raw).await;
    app.crowds.change(&started.run, 100_000).await.expect("a status");
    let status = over(&app, started).await;
    assert_eq!((status.phase, status.verdict), (Phase::Done, Some(Verdict::Broken)));
    status.verification.expect("a verification")
}

#[tokio::test]
async fn an_order_that_is_gone_is_lost() {
    let verification = spoilt(async |raw| {
        let orders: Vec<String> = raw.run("HKEYS", key("s", "orders")).await;
        raw.run::<i64>("HDEL", (key("s", "orders"), &orders[0])).await;
    })
    .await;
    assert!(verification.lost > 0, "{verification:?}");
}

#[tokio::test]
async fn a_seat_that_another_order_has_is_lost_for_the_user_who_was_told_of_it() {
    let verification = spoilt(async |raw| {
        let seats: Vec<String> = raw.run("HKEYS", key("s", "holders")).await;
        raw.run::<i64>("HSET", (key("s", "holders"), &seats[0], "another")).await;
    })
    .await;
    assert!(verification.lost > 0, "{verification:?}");
}

#[tokio::test]
async fn an_order_that_nobody_was_told_of_is_unexpected() {
    let verification = spoilt(async |raw| {
        let requests: BTreeMap<String, String> = raw.run("HGETALL", key("s", "requests")).await;
        let (request, order) = requests.into_iter().next().expect("a request");
        let (run, _) = request.rsplit_once('-').and_then(|(rest, _)| rest.rsplit_once('-')).expect("a run");
        raw.run::<i64>("HSET", (key("s", "requests"), format!("{run}-7-3"), "forged")).await;
        let record: Vec<u8> = raw.run("HGET", (key("s", "orders"), order)).await;
        raw.run::<i64>("HSET", (key("s", "orders"), "forged", record)).await;
    })
    .await;
    assert!(verification.unexpected > 0, "{verification:?}");
}

#[tokio::test]
async fn more_held_than_there_are_is_oversold() {
    let verification = spoilt(async |raw| {
        raw.run::<i64>("HINCRBY", (key("s", "counts"), "held:1", 1_000)).await;
    })
    .await;
    assert!(verification.oversold > 0, "{verification:?}");
}

#[tokio::test]
async fn a_crowd_finds_the_kind_of_its_sale() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.tickets.open(hall(HallName::Theatre)).await.expect("a sale");
    app.red_packet.open(sale::terms("packets", 100, 10)).await.expect("a sale");
    assert_eq!(app.crowds.kind_of("s").await, Ok(&ticket::INFO));
    assert_eq!(app.crowds.kind_of("packets").await, Ok(&red_packet::INFO));
    assert_eq!(app.crowds.kind_of("nope").await.expect_err("no sale").code, Code::UnknownSale);
    assert_eq!(app.crowds.kind_of(" ").await.expect_err("no id").code, Code::BadRequest);
}

#[tokio::test]
async fn the_behavior_of_users_is_checked_by_field() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.tickets.open(hall(HallName::Theatre)).await.expect("a sale");
    let bad = [
        (Behavior { choosers: 1.1, ..ALL_PAY }, "choosers"),
        (Behavior { hot: -0.1, ..ALL_PAY }, "hot"),
        (Behavior { adjacent: f64::NAN, ..ALL_PAY }, "adjacent"),
        (Behavior { pay: 2.0, ..ALL_PAY }, "pay"),
        (Behavior { pay: 0.6, cancel: 0.6, ..ALL_PAY }, "cancel"),
        (Behavior { groups: [0.0; 6], ..ALL_PAY }, "groups"),
        (Behavior { groups: [f64::INFINITY; 6], ..ALL_PAY }, "groups"),
        (Behavior { groups: [-1.0, 1.0, 1.0, 1.0, 1.0, 1.0], ..ALL_PAY }, "groups"),
    ];
    for (behavior, field) in bad {
        let error = behavior.check().expect_err(field);
        assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some(field)), "{behavior:?}");
    }
    let error = app.crowds.start("ticket", config(5, Behavior { pay: 2.0, ..ALL_PAY })).await.expect_err("pay");
    assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some("pay")));
    let nowhere = RunConfig { sale: "nope".into(), ..config(5, ALL_PAY) };
    assert_eq!(app.crowds.start("ticket", nowhere).await.expect_err("no sale").code, Code::UnknownSale);
}

/// What users were told is compared once more, and not forgotten the first time.
#[tokio::test]
async fn a_crowd_that_ends_while_redis_is_away_is_verified_when_it_is_back() {
    let redis = TestRedis::start().await;
    let proxy = FaultProxy::before(&redis).await;
    let app = TestApp::at(&redis, &proxy.url, sale::clock(), 1).await;
    app.tickets.open(hall(HallName::Theatre)).await.expect("a sale");
    // Asked when every attempt is answered: who got an order without being told.
    proxy.hold(Hold::Command, "HSCAN");
    let started = app.crowds.start("ticket", config(100, ALL_PAY)).await.expect("a run");
    proxy.holds().await;
    proxy.cut();
    proxy.heal();
    let status = eventually("the crowd has a verdict", async || {
        let status = app.crowds.status(&started.run).await.ok()?;
        status.verdict.is_some().then_some(status)
    })
    .await;
    assert_eq!((status.phase, status.verdict), (Phase::Done, Some(Verdict::Holds)), "{:?}", status.verification);
    assert!(status.outcomes.get("held") > 0);
}
