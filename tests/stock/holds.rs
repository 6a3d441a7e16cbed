//! What few sales have: a limit for each user, parts that come back, and reservations that are confirmed or expire.

use super::{cached, catch_up, deduct, give_back, stock, terms, with_sale};
use crate::support::{
    app::TestApp,
    redis::{Raw, TestRedis},
    sale::{START, clock},
};
use engine::{
    kind::KindService,
    stock::{
        scripts::{PARTS, RequestRecord, key},
        service::Stock,
    },
};
use futures::future::join_all;
use ledger::kind::DeadLetters;
use model::{
    Verdict,
    closing::Closed,
    error::Code,
    ledger::Search,
    stock::{Confirmed, DeductionState, GivenBack, MAX_PARTS, Outcome, Return, Terms},
};
use std::collections::BTreeMap;

const HOLD_S: u64 = 60;
const DUE: i64 = START + 60_000;

fn limited(limit: u64) -> Terms {
    Terms { limit_per_user: Some(limit), ..terms(10) }
}

fn holding() -> Terms {
    Terms { hold_s: Some(HOLD_S), ..terms(10) }
}

fn part(request: &str, quantity: u64, id: &str) -> Return {
    Return {
        request_id: request.to_owned(),
        quantity: Some(quantity),
        return_id: (!id.is_empty()).then(|| id.to_owned()),
        reason: String::new(),
    }
}

async fn confirm(sales: &Stock, request: &str) -> Confirmed {
    sales.confirm("s", String::new(), request.to_owned()).await.expect("an outcome")
}

fn returned(user: &str, quantity: u64, kept: u64) -> GivenBack {
    GivenBack::Returned { user: user.to_owned(), quantity, kept }
}

async fn assert_holds(sales: &Stock) {
    let audit = sales.audit("s").await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
}

/// The names of the invariants that are broken.
async fn broken(sales: &Stock) -> Vec<String> {
    let audit = sales.audit("s").await.expect("an audit");
    audit.invariants.into_iter().filter(|invariant| !invariant.holds()).map(|invariant| invariant.name).collect()
}

#[tokio::test]
async fn nobody_has_more_at_once_than_the_limit() {
    let (_redis, app, sales) = with_sale(limited(3)).await;
    assert_eq!(deduct(&sales, "ann", "1", 2).await, Outcome::Won { left: 8 });
    assert_eq!(deduct(&sales, "ann", "2", 2).await, Outcome::LimitReached { left: 1 });
    assert_eq!(deduct(&sales, "bob", "3", 4).await, Outcome::LimitReached { left: 3 });
    assert_eq!(deduct(&sales, "ann", "4", 1).await, Outcome::Won { left: 7 });
    assert_eq!(deduct(&sales, "ann", "5", 1).await, Outcome::LimitReached { left: 0 });
    let repeat = Outcome::Repeat { left: 8, state: DeductionState::Deducted, due: None };
    assert_eq!(deduct(&sales, "ann", "1", 2).await, repeat, "whatever the limit is now");
    // What came back counts no longer.
    assert_eq!(give_back(&sales, "1").await, returned("ann", 2, 0));
    assert_eq!(deduct(&sales, "ann", "6", 2).await, Outcome::Won { left: 7 });
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.limit_per_user, snapshot.outcomes.limit_reached), (Some(3), 3));
    assert_holds(&sales).await;
    catch_up(&app).await;
    assert_holds(&sales).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn simultaneous_attempts_of_a_user_come_to_no_more_than_the_limit() {
    let redis = TestRedis::start().await;
    let apps = TestApp::two_on(&redis).await;
    let servers = [stock(&apps[0]), stock(&apps[1])];
    servers[0].open(Terms { limit_per_user: Some(7), ..terms(1_000) }).await.expect("a sale");
    let answers = join_all((0..200_usize).map(|nth| {
        let sales = servers[nth % 2].clone();
        async move { deduct(&sales, "ann", &nth.to_string(), 1).await }
    }))
    .await;
    assert_eq!(answers.iter().filter(|answer| matches!(answer, Outcome::Won { .. })).count(), 7);
    assert_holds(&servers[0]).await;
}

#[tokio::test]
async fn sales_on_other_terms_are_other_sales() {
    let (_redis, _app, sales) = with_sale(limited(3)).await;
    sales.open(limited(3)).await.expect("the same sale");
    for other in [terms(10), limited(4), Terms { hold_s: Some(1), ..limited(3) }] {
        assert_eq!(sales.open(other).await.map_err(|error| error.code), Err(Code::SaleExists));
    }
}

#[tokio::test]
async fn a_part_comes_back_once() {
    let (redis, app, sales) = with_sale(terms(10)).await;
    deduct(&sales, "ann", "1", 5).await;
    let give = async |made: Return| sales.give_back("s", made).await.map_err(|error| (error.code, error.field));
    assert_eq!(give(part("1", 2, "a")).await, Ok(returned("ann", 2, 3)));
    let repeat = |quantity, kept| GivenBack::Repeat { user: "ann".to_owned(), quantity, kept };
    assert_eq!(give(part("1", 2, "a")).await, Ok(repeat(2, 3)));
    assert_eq!(give(part("1", 1, "a")).await, Err((Code::RequestReused, Some("return_id".to_owned()))));
    assert_eq!(give(part("1", 4, "b")).await, Ok(GivenBack::NotEnough { user: "ann".to_owned(), kept: 3 }));
    // Without an id, each is another one.
    assert_eq!(give(part("1", 1, "")).await, Ok(returned("ann", 1, 2)));
    assert_eq!(give(part("1", 1, "")).await, Ok(returned("ann", 1, 1)));
    assert_eq!(give_back(&sales, "1").await, returned("ann", 1, 0), "the rest");
    assert_eq!(give_back(&sales, "1").await, repeat(1, 0));
    assert_eq!(give(part("1", 2, "a")).await, Ok(repeat(2, 0)));
    assert_eq!(give(part("1", 1, "c")).await, Ok(GivenBack::NotEnough { user: "ann".to_owned(), kept: 0 }));
    let state = DeductionState::Returned;
    assert_eq!(deduct(&sales, "ann", "1", 5).await, Outcome::Repeat { left: 5, state, due: None });
    assert_eq!(cached(&redis.raw().await).await, Some(10));
    assert_holds(&sales).await;
    catch_up(&app).await;
    assert_holds(&sales).await;
}

#[tokio::test]
async fn after_many_parts_the_rest_comes_back_as_a_whole() {
    let (_redis, _app, sales) = with_sale(terms(1_000)).await;
    deduct(&sales, "ann", "1", 500).await;
    for nth in 0..MAX_PARTS {
        let given = sales.give_back("s", part("1", 1, &nth.to_string())).await.expect("an outcome");
        assert!(matches!(given, GivenBack::Returned { quantity: 1, .. }), "{given:?}");
    }
    let error = sales.give_back("s", part("1", 1, "more")).await.expect_err("too many");
    assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some("quantity")));
    assert_eq!(give_back(&sales, "1").await, returned("ann", 500 - MAX_PARTS as u64, 0));
    assert_holds(&sales).await;
}

#[tokio::test]
async fn a_reservation_is_confirmed_in_time_or_expires_once() {
    let redis = TestRedis::start().await;
    let apps = TestApp::two_on(&redis).await;
    let [sales, other] = [stock(&apps[0]), stock(&apps[1])];
    sales.open(holding()).await.expect("a sale");
    assert_eq!(deduct(&sales, "ann", "1", 4).await, Outcome::Held { left: 6, due: DUE });
    assert_eq!(deduct(&sales, "bob", "2", 3).await, Outcome::Held { left: 3, due: DUE });
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").held, Some(7));
    let (user, quantity) = (|user: &str| user.to_owned(), 4);
    assert_eq!(confirm(&sales, "1").await, Confirmed::Confirmed { user: user("ann"), quantity });
    assert_eq!(confirm(&sales, "1").await, Confirmed::Repeat { user: user("ann"), quantity });
    assert_eq!(confirm(&sales, "9").await, Confirmed::UnknownRequest);
    let state = DeductionState::Confirmed;
    assert_eq!(deduct(&sales, "ann", "1", 4).await, Outcome::Repeat { left: 6, state, due: Some(DUE) });
    apps[0].time.advance(60_000);
    // Nothing has ended it yet, and it is too late all the same.
    assert_eq!(confirm(&sales, "2").await, Confirmed::Late { user: user("bob"), due: DUE });
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").left, 3);
    let ended = futures::join!(sales.sweep(), other.sweep());
    assert_eq!(ended.0.expect("a sweep") + ended.1.expect("a sweep"), 1, "once");
    assert_eq!(confirm(&sales, "2").await, Confirmed::Late { user: user("bob"), due: DUE });
    assert_eq!(give_back(&sales, "2").await, GivenBack::Expired { user: user("bob") });
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.left, snapshot.held, snapshot.hold_s), (6, Some(0), Some(HOLD_S)));
    assert_eq!((snapshot.units.confirmed, snapshot.units.expired), (4, 3));
    // What is confirmed can still come back, in parts, too.
    assert_eq!(sales.give_back("s", part("1", 1, "a")).await, Ok(returned("ann", 1, 3)));
    assert_eq!(give_back(&sales, "1").await, returned("ann", 3, 0));
    assert_eq!(confirm(&sales, "1").await, Confirmed::Returned { user: user("ann") });
    assert_holds(&sales).await;
    catch_up(&apps[0]).await;
    assert_holds(&sales).await;
    let search = Search { sale: Some("s".to_owned()), ..Search::default() };
    let mut rows = apps[0].ledger.rows(&search, 20, None).await.expect("the rows");
    rows.sort_by_key(|row| row.id);
    let rows: Vec<(&str, Option<&str>)> = rows.iter().map(|row| (row.outcome.as_str(), row.item.as_deref())).collect();
    let expected = ["opened 10", "won 4", "won 3", "confirmed 4", "expired 3", "returned 1", "returned 3"];
    let expected: Vec<_> = expected.iter().filter_map(|row| row.split_once(' ')).collect();
    assert_eq!(rows, expected.into_iter().map(|(outcome, item)| (outcome, Some(item))).collect::<Vec<_>>());
}

#[tokio::test]
async fn in_a_sale_that_does_not_hold_nothing_needs_to_be_confirmed() {
    let (redis, _app, sales) = with_sale(terms(10)).await;
    deduct(&sales, "ann", "1", 4).await;
    assert_eq!(confirm(&sales, "1").await, Confirmed::Repeat { user: "ann".to_owned(), quantity: 4 });
    assert_eq!(sales.sweep().await, Ok(0));
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").held, None);
    let raw = redis.raw().await;
    assert_eq!(raw.run::<i64>("EXISTS", (key("s", "users"), key("s", "deadlines"))).await, 0);
}

#[tokio::test]
async fn a_part_of_a_reservation_comes_back_and_the_rest_expires() {
    let (_redis, app, sales) = with_sale(Terms { limit_per_user: Some(5), ..holding() }).await;
    deduct(&sales, "ann", "1", 5).await;
    assert_eq!(sales.give_back("s", part("1", 2, "a")).await, Ok(returned("ann", 2, 3)));
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").held, Some(3));
    assert_eq!(deduct(&sales, "ann", "2", 3).await, Outcome::LimitReached { left: 2 });
    app.time.advance(60_000);
    assert_eq!(sales.sweep().await, Ok(1));
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.left, snapshot.units.returned, snapshot.units.expired), (10, 2, 3));
    assert!(matches!(deduct(&sales, "ann", "2", 5).await, Outcome::Held { left: 5, .. }));
    assert_holds(&sales).await;
}

#[tokio::test]
async fn reservations_of_a_closed_sale_end_as_well() {
    let (_redis, app, sales) = with_sale(holding()).await;
    deduct(&sales, "ann", "1", 4).await;
    deduct(&sales, "bob", "2", 4).await;
    assert_eq!(sales.close("s").await, Ok(Closed::Closed));
    assert!(matches!(confirm(&sales, "1").await, Confirmed::Confirmed { .. }));
    app.time.advance(60_000);
    assert_eq!(sales.sweep().await, Ok(1));
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").left, 6);
    assert_holds(&sales).await;
}

/// Whichever comes first wins, and the other learns of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn confirmations_race_expiry_and_one_wins() {
    let redis = TestRedis::start().await;
    let (app, late_app) = (TestApp::on(&redis).await, TestApp::at(&redis, &redis.url(), clock(), 2).await);
    let (sales, other) = (stock(&app), stock(&late_app));
    sales.open(Terms { quantity: 500, ..holding() }).await.expect("a sale");
    for nth in 0..200 {
        deduct(&sales, "ann", &nth.to_string(), 1).await;
    }
    // By the clock of the one, everything is due; by that of the other, nothing is.
    late_app.time.advance(60_000);
    let confirmations = join_all((0..200).map(|nth| {
        let sales = sales.clone();
        async move { confirm(&sales, &nth.to_string()).await }
    }));
    let (answers, ended) = futures::join!(confirmations, other.sweep());
    let confirmed = answers.iter().filter(|answer| matches!(answer, Confirmed::Confirmed { .. })).count() as u64;
    let late = answers.iter().filter(|answer| matches!(answer, Confirmed::Late { .. })).count() as u64;
    assert_eq!((confirmed + late, ended), (200, Ok(late)));
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").left, 300 + late);
    assert_holds(&sales).await;
}

type Hash = BTreeMap<String, Vec<u8>>;

/// What a recovery has to bring back.
async fn stored(redis: &Raw) -> (Hash, BTreeMap<String, RequestRecord>, Hash, Vec<String>) {
    let mut meta: Hash = redis.run("HGETALL", key("s", "meta")).await;
    meta.retain(|name, _| !["generation", "recent", "rebuilds"].contains(&name.as_str()));
    let requests: Hash = redis.run("HGETALL", key("s", "requests")).await;
    let requests = requests.into_iter().map(|(id, record)| (id, rmp_serde::from_slice(&record).expect("a record")));
    let deadlines = redis.run("ZRANGE", (key("s", "deadlines"), 0, -1, "WITHSCORES")).await;
    (meta, requests.collect(), redis.run("HGETALL", key("s", "users")).await, deadlines)
}

#[tokio::test]
async fn a_recovery_restores_units_of_users_reservations_and_deadlines() {
    let (redis, app, sales) = with_sale(Terms { limit_per_user: Some(6), ..holding() }).await;
    let raw = redis.raw().await;
    for (user, request, quantity) in [("ann", "1", 4), ("bob", "2", 2), ("cid", "3", 1), ("dan", "4", 1)] {
        deduct(&sales, user, request, quantity).await;
    }
    confirm(&sales, "2").await;
    sales.give_back("s", part("2", 1, "a")).await.expect("given back");
    give_back(&sales, "3").await;
    app.time.advance(59_000);
    deduct(&sales, "bob", "5", 2).await;
    sales.give_back("s", part("5", 1, "")).await.expect("given back");
    app.time.advance(1_000);
    assert_eq!(sales.sweep().await, Ok(2), "those of ann and dan");
    catch_up(&app).await;
    let before = stored(&raw).await;
    raw.run::<i64>("DEL", PARTS.map(|part| key("s", part)).to_vec()).await;
    let recovered = sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!((recovered.won, recovered.conflicts), (5, vec![]));
    assert_eq!(stored(&raw).await, before);
    assert_holds(&sales).await;
    // Repeats get their answers, the limit holds, and what is held expires.
    let repeat = GivenBack::Repeat { user: "bob".to_owned(), quantity: 1, kept: 1 };
    assert_eq!(sales.give_back("s", part("2", 1, "a")).await, Ok(repeat));
    assert_eq!(deduct(&sales, "bob", "6", 5).await, Outcome::LimitReached { left: 4 });
    app.time.advance(59_000);
    assert_eq!(sales.sweep().await, Ok(1));
    assert_holds(&sales).await;
}

#[tokio::test]
async fn an_audit_finds_what_differs() {
    let (redis, _app, sales) = with_sale(Terms { limit_per_user: Some(6), ..holding() }).await;
    let raw = redis.raw().await;
    deduct(&sales, "ann", "1", 4).await;
    deduct(&sales, "bob", "2", 2).await;
    assert_holds(&sales).await;
    raw.run::<i64>("HSET", (key("s", "users"), "ann", 5)).await;
    assert_eq!(broken(&sales).await, ["users"]);
    raw.run::<i64>("HSET", (key("s", "users"), "ann", 4, "eve", 1)).await;
    assert_eq!(broken(&sales).await, ["users"]);
    raw.run::<i64>("HDEL", (key("s", "users"), "eve")).await;
    raw.run::<i64>("HINCRBY", (key("s", "meta"), "held", 1)).await;
    assert_eq!(broken(&sales).await, ["held"]);
    raw.run::<i64>("HINCRBY", (key("s", "meta"), "held", -1)).await;
    raw.run::<i64>("ZINCRBY", (key("s", "deadlines"), 1, "1")).await;
    assert_eq!(broken(&sales).await, ["lost"]);
    raw.run::<i64>("ZREM", (key("s", "deadlines"), "1")).await;
    assert_eq!(broken(&sales).await, ["deadlines", "lost"]);
}

/// A Redis that evicts deletes whole keys.
#[tokio::test]
async fn a_sale_without_its_users_or_deadlines_is_suspended() {
    for (lost, by) in [("users", "a deduction"), ("deadlines", "a deduction"), ("deadlines", "the sweep")] {
        let (redis, app, sales) = with_sale(Terms { limit_per_user: Some(6), ..holding() }).await;
        deduct(&sales, "ann", "1", 4).await;
        redis.raw().await.run::<i64>("DEL", key("s", lost)).await;
        app.time.advance(60_000);
        let refused = match by {
            "a deduction" => sales.deduct("s", "bob".to_owned(), 1, None).await.map(drop),
            _ => engine::expiry::Expires::expire_due(&sales, "s", START + 60_000).await.map(drop),
        };
        assert_eq!(refused.map_err(|error| error.code), Err(Code::SaleSuspended), "{lost}: {by}");
    }
}
