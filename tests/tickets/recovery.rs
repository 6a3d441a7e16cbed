//! Redis has lost a sale: it is rebuilt from the ledger, and continues.

use super::{chosen, held, named, picked, small, terms};
use crate::support::{
    app::TestApp,
    redis::{Raw, TestRedis},
    sale::clock,
};
use engine::{
    recovery::BEGIN_RECOVERY,
    recovery_guards::next_generation,
    ticket::scripts::{KIND, RECOVER, key},
};
use ledger::{
    apply::{Applied, Batch, Move, NewRow, Position},
    kind::{Change, DeadLetters, Recovered},
    sale::LedgerSale,
};
use model::{
    Verdict,
    error::Code,
    ledger::Recovery,
    ticket::{Cancelled, Order, OrderState, Outcome, Paid, SeatRequest, outcome},
};
use std::collections::BTreeMap;
use store::{keys, runtime::Clock};

type Hash = BTreeMap<String, Vec<u8>>;
/// All that stands in Redis of the sale, but its streams. Orders are compared by content, not by bytes.
#[derive(Debug, PartialEq)]
pub(super) struct Stored {
    strings: Vec<Vec<u8>>,
    hashes: Vec<Hash>,
    deadlines: BTreeMap<String, f64>,
    orders: BTreeMap<String, serde_json::Value>,
}

pub(super) async fn stored(redis: &Raw) -> Stored {
    let mut strings = Vec::new();
    for part in ["seats", "layout", "free"] {
        strings.push(redis.run("GET", key("s", part)).await);
    }
    let mut hashes: Vec<Hash> = Vec::new();
    for part in ["meta", "counts", "holders", "requests", "bought", "stats"] {
        let mut hash: Hash = redis.run("HGETALL", key("s", part)).await;
        // Counts of refused attempts start again at 0, and a count of 0 equals a missing one.
        hash.retain(|name, value| {
            match part {
                "counts" => !name.starts_with("blocked") || value != b"0",
                "stats" => outcome::OF_ORDERS.contains(&name.as_str()) && value != b"0",
                // A recovery begins another generation.
                "meta" => !["generation", "recent"].contains(&name.as_str()),
                _ => true,
            }
        });
        hashes.push(hash);
    }
    let orders: Hash = redis.run("HGETALL", key("s", "orders")).await;
    let read = |record: Vec<u8>| rmp_serde::from_slice(&record).expect("an order");
    Stored {
        strings,
        hashes,
        deadlines: redis
            .run::<Vec<(String, f64)>>("ZRANGE", (key("s", "deadlines"), 0, -1, "WITHSCORES"))
            .await
            .into_iter()
            .collect(),
        orders: orders.into_iter().map(|(order, record)| (order, read(record))).collect(),
    }
}

async fn reserve(app: &TestApp, user: &str, request: &str, seat_request: SeatRequest) -> Order {
    match app.tickets.reserve("s", user.to_owned(), Some(request.to_owned()), seat_request).await.expect("an outcome") {
        Outcome::Held(order) | Outcome::Repeat(order) => order,
        other => panic!("{other:?}"),
    }
}

async fn lose(redis: &Raw) {
    redis.run::<()>("FLUSHALL", "SYNC").await;
}

#[tokio::test]
async fn a_lost_sale_is_built_anew_as_it_was_and_goes_on() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let app = TestApp::on(&redis).await;
    let sales = &app.tickets;
    sales.open(terms("s", small())).await.expect("a sale");
    // One order in each state, one of them with two categories and named holders, one paid too late.
    let ann = reserve(&app, "ann", "r-ann", named(chosen(&["A-01-02", "L-01-01"]), &["Ann", "小梅"])).await;
    sales.pay("s", ann.order.clone(), None).await.expect("paid");
    let bob = reserve(&app, "bob", "r-bob", picked("far", 3)).await;
    let cid = reserve(&app, "cid", "r-cid", picked("near", 2)).await;
    sales.cancel("s", cid.order.clone(), String::new(), None).await.expect("cancelled");
    app.time.advance(50_000);
    let dan = reserve(&app, "dan", "r-dan", picked("near", 4)).await;
    sales.pay("s", dan.order.clone(), None).await.expect("paid");
    sales.cancel("s", dan.order.clone(), String::new(), None).await.expect("refunded");
    app.time.advance(10_000);
    sales.pay("s", bob.order.clone(), None).await.expect("refunded: late");
    app.ledger_service.sweep().await.expect("a sweep");
    let eve = reserve(&app, "eve", "r-eve", picked("near", 5)).await;
    // Enough users for several chunks.
    for user in 0..600 {
        let order = reserve(&app, &format!("u{user}"), &format!("r{user}"), picked("far", 1)).await.order;
        sales.cancel("s", order, String::new(), None).await.expect("cancelled");
    }
    let mut writer = app.writer("one");
    writer.catch_up().await.expect("the ledger");
    let before = stored(&raw).await;
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    let refused = app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect_err("it is live");
    assert_eq!(refused.code, Code::SaleExists);

    lose(&raw).await;
    let app = TestApp::at(&redis, &redis.url(), app.time.clone(), 2).await;
    let sales = &app.tickets;
    let error = sales.reserve("s", "ann".into(), None, picked("near", 1)).await.expect_err("it is lost");
    assert_eq!(error.code, Code::SaleLost);
    assert_eq!(sales.open(terms("s", small())).await.expect_err("not a free id").code, Code::SaleExists);
    let Recovered { won, waiting, conflicts, upto, unseen, .. } =
        app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!((won, waiting, conflicts.len(), upto, unseen), (7, 27, 0, snapshot.event_id, 0));
    assert_eq!(stored(&raw).await, before);
    let audit = sales.audit("s").await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
    assert_eq!(
        app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect_err("it is live").code,
        Code::SaleExists
    );

    // Repeated requests get the same answers, and the sale continues.
    let request_of_ann = named(chosen(&["A-01-02", "L-01-01"]), &["Ann", "小梅"]);
    for (user, seat_request, order, state) in [
        ("ann", request_of_ann, &ann, OrderState::Paid),
        ("bob", picked("far", 3), &bob, OrderState::Expired),
        ("cid", picked("near", 2), &cid, OrderState::Cancelled),
        ("dan", picked("near", 4), &dan, OrderState::Refunded),
        ("eve", picked("near", 5), &eve, OrderState::Held),
    ] {
        let again = sales.reserve("s", user.to_owned(), Some(format!("r-{user}")), seat_request).await;
        assert_eq!(again, Ok(Outcome::Repeat(Order { state, ..order.clone() })));
    }
    let taken = sales.reserve("s", "fay".into(), None, chosen(&["A-01-02"])).await;
    assert!(matches!(taken, Ok(Outcome::SeatTaken { .. })), "{taken:?}");
    assert_eq!(sales.reserve("s", "eve".into(), None, picked("far", 2)).await, Ok(Outcome::LimitReached { left: 1 }));
    assert!(matches!(sales.cancel("s", ann.order.clone(), String::new(), None).await, Ok(Cancelled::Refunded(_))));
    assert!(matches!(sales.pay("s", bob.order.clone(), None).await, Ok(Paid::Refunded(_))));
    held(sales, "fay", chosen(&["A-01-02"])).await;
    app.time.advance(60_000);
    assert_eq!(app.ledger_service.sweep().await, Ok(2), "eve's and fay's");
    raw.run::<i64>("DEL", keys::WRITER.one).await;
    app.writer("two").catch_up().await.expect("the ledger");
    let audit = sales.audit("s").await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
}

/// A recovery is interrupted: the restored part cannot be sold, even if the sale is opened again on the same terms.
#[tokio::test]
async fn a_sale_that_is_half_recovered_is_not_opened_anew() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let app = TestApp::on(&redis).await;
    app.tickets.open(terms("s", small())).await.expect("a sale");
    let ann = reserve(&app, "ann", "r-ann", chosen(&["A-01-02"])).await;
    app.tickets.pay("s", ann.order.clone(), None).await.expect("paid");
    app.writer("one").catch_up().await.expect("the ledger");
    lose(&raw).await;
    raw.script(&BEGIN_RECOVERY, &[key("s", "meta")], &[b"token".to_vec()]).await.expect("a recovery begins");
    let none = vec![0x90];
    let chunk = [b"token".to_vec(), b"0".to_vec(), none.clone(), none];
    raw.script(&RECOVER, &RECOVER.keys(KIND, "s"), &chunk).await.expect("a chunk");

    let app = TestApp::at(&redis, &redis.url(), app.time.clone(), 2).await;
    assert_eq!(
        app.tickets.open(terms("s", small())).await.expect_err("it is being recovered").code,
        Code::SaleSuspended
    );
    let refused = app.tickets.reserve("s", "bob".into(), None, chosen(&["A-01-02"])).await;
    assert!(refused.is_err(), "{refused:?}");
    app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect("recovered");
    let taken = app.tickets.reserve("s", "bob".into(), None, chosen(&["A-01-02"])).await;
    assert!(matches!(taken, Ok(Outcome::SeatTaken { .. })), "{taken:?}");
    assert_eq!(app.tickets.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

/// A writer records entries that it had already read while the sale is being restored: the recovery must not finish
/// without them.
#[tokio::test]
async fn what_the_ledger_took_in_meanwhile_stops_a_recovery() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.tickets.open(terms("s", small())).await.expect("a sale");
    let mut writer = app.writer("one");
    let known = async || app.ledger.sale(KIND, "s").await.expect("a ledger").expect("a sale");
    writer.catch_up().await.expect("the ledger");
    let looked = known().await;
    reserve(&app, "ann", "r-ann", chosen(&["A-01-02"])).await;
    writer.catch_up().await.expect("the ledger");
    let begin = async |known: &LedgerSale| -> model::error::Result<_> {
        let generation = next_generation(&app.store, known, app.time.now()).await?;
        Ok(app.ledger.begin_generation(known, generation, &Recovery::default()).await?.then_some(generation))
    };
    assert_eq!(begin(&looked).await, Ok(None), "it moved");
    let looked = known().await;
    let begun = begin(&looked).await.expect("a ledger").expect("it stands");
    assert!(begun > looked.position.event_id);
    assert_eq!(begin(&looked).await, Ok(None), "another recovery");
    assert!(
        begin(&known().await).await.expect("a ledger").expect("it stands") > begun,
        "each is later than the one before"
    );
}

/// A writer has read entries which it has not recorded yet when the sale is recovered without them: they come too late.
#[tokio::test]
async fn what_a_writer_had_read_before_a_recovery_is_not_recorded_after_it() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    app.tickets.open(terms("s", small())).await.expect("a sale");
    let mut writer = app.writer("one");
    writer.catch_up().await.expect("the ledger");
    let known = app.ledger.sale(KIND, "s").await.expect("a ledger").expect("a sale");
    let to = Position { event_id: known.position.event_id.next().expect("an id"), entries: known.position.entries + 1 };
    let change = Change { outcome: "held", user: Some("ann".into()), cents: 100, ..Change::default() };
    let read = Batch {
        kind: KIND.to_owned(),
        sale: "s".to_owned(),
        moves: Some(Move { from: known.position, generation: known.generation, to, seen: to, seen_at: 1 }),
        rows: vec![NewRow { event_id: to.event_id, place: 0, at: 1, change }],
        ..Batch::default()
    };
    lose(&raw).await;
    app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!(app.ledger.apply(&[&read]).await, Ok(Applied::Overtaken));
    // Another process, or this one, goes on with what has happened since.
    reserve(&app, "bob", "r-bob", chosen(&["A-01-02"])).await;
    writer.catch_up().await.expect("the ledger");
    assert_eq!(app.tickets.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

/// Redis comes back without its latest data: no seat is sold twice before the sale is recovered.
#[tokio::test]
async fn a_redis_that_lost_its_end_is_suspended_and_recovered() {
    let mut redis = TestRedis::durable().await;
    let time = clock();
    {
        let app = TestApp::at(&redis, &redis.url(), time.clone(), 1).await;
        app.tickets.open(terms("s", small())).await.expect("a sale");
        reserve(&app, "ann", "r-ann", chosen(&["A-01-01"])).await;
        reserve(&app, "the-last-one", "r-last", chosen(&["A-01-02"])).await;
        let mut writer = app.writer("one");
        writer.catch_up().await.expect("the ledger");
        writer.give_up().await;
    }
    redis.crash_without_its_end("the-last-one").await;
    let app = TestApp::at(&redis, &redis.url(), time, 2).await;
    app.ledger_service.suspend_lost().await.expect("a look");
    let sales = &app.tickets;
    for attempt in [
        sales.reserve("s", "bob".into(), None, chosen(&["A-01-02"])).await.map(drop),
        sales.pay("s", "o".into(), None).await.map(drop),
        sales.cancel("s", "o".into(), String::new(), None).await.map(drop),
        sales.expire("s").await.map(drop),
    ] {
        assert_eq!(attempt.expect_err("suspended").code, Code::SaleSuspended);
    }
    assert_eq!(app.ledger_service.sweep().await, Ok(0), "it waits");
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Broken);
    let recovered = app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!((recovered.won, recovered.waiting), (2, 32));
    let audit = sales.audit("s").await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
    let again = sales.reserve("s", "the-last-one".into(), Some("r-last".into()), chosen(&["A-01-02"])).await;
    assert!(matches!(again, Ok(Outcome::Repeat(_))), "{again:?}");
    let taken = sales.reserve("s", "bob".into(), None, chosen(&["A-01-02"])).await;
    assert!(matches!(taken, Ok(Outcome::SeatTaken { .. })), "{taken:?}");
}

/// Redis lost an order, and its request came again before anybody looked: the ledger has two orders of one request.
#[tokio::test]
async fn of_two_orders_of_one_request_the_first_stays_and_the_recovery_ends() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let app = TestApp::on(&redis).await;
    app.tickets.open(terms("s", small())).await.expect("a sale");
    reserve(&app, "ann", "r-ann", chosen(&["A-01-01"])).await;
    let again = ("ann", "r-ann", "o-again", 1_000, 1, [0, 2, 0, 0], [""; 0], [0; 0]);
    let mut forged = store::command("XADD");
    forged.arg(key("s", "events")).arg(("*", "type", "reserved", "at", 1, "n", 1)).arg("data");
    raw.send::<String>(forged.arg(rmp_serde::to_vec(&[again]).expect("packed"))).await;
    app.writer("one").catch_up().await.expect("the ledger");
    lose(&raw).await;
    let recovered = app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!((recovered.won, recovered.waiting, recovered.conflicts.len()), (1, 33, 1), "{recovered:?}");
    assert!(recovered.conflicts[0].starts_with("request r-ann stays with order "), "{recovered:?}");
    assert!(recovered.conflicts[0].contains("o-again"), "{recovered:?}");
    assert_eq!(app.tickets.order("s", "o-again").await.expect_err("not back").code, Code::UnknownOrder);
    let repeat = app.tickets.reserve("s", "ann".into(), Some("r-ann".into()), chosen(&["A-01-01"])).await;
    assert!(matches!(repeat, Ok(Outcome::Repeat(_))), "{repeat:?}");
}

/// Entries that the ledger never recorded are reported; if two users were told of the same seat, the first keeps the
/// whole order.
#[tokio::test]
async fn what_is_not_back_is_named() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let app = TestApp::on(&redis).await;
    app.tickets.open(terms("s", small())).await.expect("a sale");
    reserve(&app, "ann", "r-ann", chosen(&["A-01-01"])).await;
    let eve = ("eve", "r-eve", "o-eve", 1_000, 1, [0, 1, 0, 0], [""; 0], [0; 0]);
    let mut forged = store::command("XADD");
    forged.arg(key("s", "events")).arg(("*", "type", "reserved", "at", 1, "n", 1)).arg("data");
    raw.send::<String>(forged.arg(rmp_serde::to_vec(&[eve]).expect("packed"))).await;
    app.writer("one").catch_up().await.expect("the ledger");
    lose(&raw).await;
    let recovered = app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!((recovered.won, recovered.waiting), (1, 33));
    assert_eq!(recovered.conflicts, ["seat A-01-01 stays with ann; it was also confirmed to eve"]);
    assert_eq!(app.tickets.order("s", "o-eve").await.expect_err("not back").code, Code::UnknownOrder);
    assert_eq!(
        app.ledger_service.recover(KIND, "nope", DeadLetters::Refuse).await.expect_err("no such sale").code,
        Code::UnknownSale
    );
}

/// The order of a recovered sale has the request that it was made for.
#[tokio::test]
async fn a_different_request_is_no_repeat_after_a_recovery_either() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let app = TestApp::on(&redis).await;
    let sales = &app.tickets;
    sales.open(terms("s", small())).await.expect("a sale");
    let (of_picks, of_seats) = (picked("near", 2), chosen(&["L-01-01"]));
    let order = reserve(&app, "ann", "picked", of_picks.clone()).await;
    reserve(&app, "ann", "chosen", of_seats.clone()).await;
    app.writer("one").catch_up().await.expect("the ledger");
    let seats: Vec<&str> = order.seats.iter().map(String::as_str).collect();
    let mut apart = of_picks.clone();
    apart.pick[0].adjacent = false;
    let others = [("picked", apart), ("picked", chosen(&seats)), ("chosen", picked("far", 1))];
    let ask = async |request: &str, seat_request: &SeatRequest| {
        sales.reserve("s", "ann".into(), Some(request.into()), seat_request.clone()).await
    };
    let is_repeat = |outcome| matches!(outcome, Ok(Outcome::Repeat(_)));

    lose(&raw).await;
    app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect("recovered");
    assert!(is_repeat(ask("picked", &of_picks).await) && is_repeat(ask("chosen", &of_seats).await));
    for (request, other) in &others {
        let error = ask(request, other).await.expect_err("a different request");
        assert_eq!((error.code, error.field.as_deref()), (Code::RequestReused, Some("request_id")), "{other:?}");
    }
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}
