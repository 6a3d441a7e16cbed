//! Orders that are due expire automatically, each once, and reach the ledger.

use super::{book::rows, held, picked, small, terms};
use crate::support::{app::TestApp, redis::TestRedis, sale::clock};
use engine::ticket::scripts::key;
use futures::future::join_all;
use model::ticket::OrderState;
use store::format::FORMAT;

async fn expired(app: &TestApp) -> u64 {
    app.tickets.snapshot("s").await.expect("a snapshot").outcomes.expired
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_that_sweep_at_once_end_each_order_once() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let other = TestApp::at(&redis, &redis.url(), app.time.clone(), 2).await;
    app.tickets.open(terms("s", small())).await.expect("a sale");
    let sweep = async || {
        let sweeps = [&app, &other, &app, &other].map(|app| app.ledger_service.sweep());
        join_all(sweeps).await.into_iter().map(|swept| swept.expect("a sweep")).sum::<u64>()
    };
    assert_eq!(sweep().await, 0, "nothing is held");
    let mut orders = Vec::new();
    for user in 0..12 {
        orders.push(held(&app.tickets, &format!("u{user}"), picked("near", 1)).await.order);
        // Two in each second.
        app.time.advance(500);
    }
    app.tickets.pay("s", orders[1].clone(), None).await.expect("paid");
    // Six seconds have passed; the first is due a minute after its begin.
    app.time.advance(60_000 - 6_000 - 1);
    assert_eq!(sweep().await, 0, "not a moment too early");
    app.time.advance(1);
    assert_eq!(sweep().await, 1);
    assert_eq!(sweep().await, 0);
    app.time.advance(2_000);
    assert_eq!(sweep().await, 3, "those of 1, 1.5 and 2 seconds; that of 0.5 is paid");
    app.time.advance(60_000);
    assert_eq!(sweep().await, 7);
    // And one that came after all were gone.
    let last = held(&app.tickets, "last", picked("far", 4)).await.order;
    app.time.advance(60_000);
    assert_eq!(sweep().await, 1);
    assert_eq!(app.tickets.order("s", &last).await.expect("an order").state, OrderState::Expired);
    assert_eq!(expired(&app).await, 12);

    app.writer("one").catch_up().await.expect("the ledger");
    let rows = rows(&app).await;
    let mut ended: Vec<&str> =
        rows.iter().filter(|row| row.outcome == "expired").filter_map(|row| row.order.as_deref()).collect();
    assert_eq!(ended.len(), 11 + 4, "a row for each seat");
    ended.dedup();
    orders.remove(1);
    orders.push(last);
    assert_eq!(ended, orders);
}

#[tokio::test]
async fn a_sale_is_swept_also_by_a_server_that_learns_of_it_late() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.tickets.open(terms("s", small())).await.expect("a sale");
    held(&app.tickets, "ann", picked("near", 2)).await;
    app.time.advance(59_999);
    let late = TestApp::at(&redis, &redis.url(), app.time.clone(), 2).await;
    assert_eq!(late.ledger_service.sweep().await, Ok(0));
    app.time.advance(1);
    assert_eq!(late.ledger_service.sweep().await, Ok(1));
}

/// 13: a failure in one sale, or in one order, does not hold up others.
#[tokio::test]
async fn a_sale_that_fails_each_time_stands_in_the_way_of_no_other() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let app = TestApp::at(&redis, &redis.url(), clock(), 1).await;
    for sale in ["a", "b", "c", "d", "e", "s"] {
        app.tickets.open(terms(sale, small())).await.expect("a sale");
    }
    held(&app.tickets, "ann", picked("near", 2)).await;
    for sale in ["a", "b", "c", "d", "e"] {
        // As if by a newer program: its script is refused from now on.
        raw.run::<i64>("HSET", (key(sale, "meta"), "format", FORMAT + 1)).await;
    }
    app.time.advance(60_000);
    for _ in 0..3 {
        app.ledger_service.sweep().await.expect_err("some fail");
    }
    assert_eq!(expired(&app).await, 1);
}

/// An order that is held after the clock went back by an hour is due before what was next by the clock of before.
#[tokio::test]
async fn what_is_held_after_the_clock_went_back_expires_in_its_time() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.tickets.open(terms("s", small())).await.expect("a sale");
    assert_eq!(app.ledger_service.sweep().await, Ok(0));
    app.time.advance(-3_600_000);
    held(&app.tickets, "ann", picked("near", 1)).await;
    assert_eq!(app.ledger_service.sweep().await, Ok(0));
    app.time.advance(60_000);
    assert_eq!(app.ledger_service.sweep().await, Ok(1));
}

/// A sale that Redis has lost stays on the list until it is recovered.
#[tokio::test]
async fn a_lost_sale_does_not_make_every_sweep_read_the_whole_list() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    for sale in ["s", "lost", "lost-before"] {
        app.tickets.open(terms(sale, small())).await.expect("a sale");
    }
    raw.run::<i64>("DEL", key("lost-before", "meta")).await;
    assert_eq!(app.ledger_service.sweep().await, Ok(0));
    raw.run::<i64>("DEL", key("lost", "meta")).await;
    app.time.advance(60_000);
    assert_eq!(app.ledger_service.sweep().await, Ok(0));
    raw.run::<String>("CONFIG", "RESETSTAT").await;
    for _ in 0..3 {
        assert_eq!(app.ledger_service.sweep().await, Ok(0));
    }
    let commands: String = raw.run("INFO", "commandstats").await;
    assert!(!commands.contains("cmdstat_zrange:"), "{commands}");
    // Once it is back, it is swept.
    app.tickets.open(terms("lost", small())).await.expect("a sale");
    let pick = app.tickets.reserve("lost", "ann".into(), None, picked("near", 1)).await;
    assert!(pick.is_ok(), "{pick:?}");
    assert_eq!(app.ledger_service.sweep().await, Ok(0));
    app.time.advance(60_000);
    assert_eq!(app.ledger_service.sweep().await, Ok(1));
}
