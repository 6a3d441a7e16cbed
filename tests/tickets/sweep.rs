//! Orders that are due expire automatically, each once, and reach the ledger.

use super::{book::rows, held, picked, small, terms};
use crate::support::{app::TestApp, redis::TestRedis, sale::clock};
use futures::future::join_all;
use stampede::sales::ticket::{OrderState, scripts::key};

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
        // Its script fails from now on.
        raw.run::<i64>("DEL", key(sale, "deadlines")).await;
        raw.run::<()>("SET", (key(sale, "deadlines"), "no set")).await;
    }
    app.time.advance(60_000);
    for _ in 0..3 {
        app.ledger_service.sweep().await.expect_err("some fail");
    }
    assert_eq!(expired(&app).await, 1);
}
