//! Expired sales are refunded automatically, each once, and the refunds reach the ledger.

use super::{Bench, catch_up, in_ledger};
use crate::support::{
    app::TestApp,
    eventually,
    sale::{Chunk, LIFE_S, terms},
};
use engine::red_packet::scripts::{KIND, key};
use futures::future::join_all;
use ledger::kind::DeadLetters;
use model::{Verdict, red_packet::Terms};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_that_sweep_at_once_refund_each_sale_once() {
    const SALES: u64 = 40;
    let bench = Bench::new().await;
    let other = TestApp::at(&bench.server, &bench.server.url(), bench.app.time.clone(), 2).await;
    for nth in 0..SALES {
        bench.app.red_packet.open(terms(&format!("s{nth}"), 100, 5)).await.expect("a sale");
    }
    bench.app.red_packet.claim("s3", "ann".into(), None).await.expect("an outcome");
    let sweep = async || {
        let sweeps = [&bench.app, &other, &bench.app, &other].map(|app| app.ledger_service.sweep());
        join_all(sweeps).await.into_iter().map(|swept| swept.expect("a sweep")).sum::<u64>()
    };
    bench.app.time.advance(LIFE_S * 1_000 - 1);
    assert_eq!(sweep().await, 0, "not a moment too early");
    bench.app.time.advance(1);
    assert_eq!(sweep().await, SALES);
    assert_eq!(sweep().await, 0);

    catch_up(&mut bench.app.writer("one")).await;
    for nth in 0..SALES {
        let sale = format!("s{nth}");
        let refunds = bench.events(&sale).await.iter().filter(|event| event.is("refunded")).count();
        let rows = in_ledger(&bench.app, &sale).await;
        let won: i64 = rows.iter().filter(|row| row.2 == "won").map(|row| row.6).sum();
        let refunded: Vec<i64> = rows.iter().filter(|row| row.2 == "refunded").map(|row| row.6).collect();
        assert_eq!((refunds, refunded), (1, vec![100 - won]), "{sale}");
        let account = bench.app.ledger.sale(KIND, &sale).await.expect("an answer").expect("the sale");
        assert!(account.closed);
        assert_eq!(bench.app.red_packet.audit(&sale).await.expect("an audit").verdict, Verdict::Holds);
    }
}

#[tokio::test]
async fn a_sale_is_refunded_when_it_is_due_also_one_that_is_opened_later_or_was_half_open() {
    let bench = Bench::new().await;
    let app = &bench.app;
    let lasting = |sale: &str, expires_in_s| Terms { expires_in_s, ..terms(sale, 100, 5) };
    app.red_packet.open(lasting("long", 120)).await.expect("a sale");
    app.red_packet.open(lasting("short", 10)).await.expect("a sale");
    // Registered with half of its packets.
    Chunk::whole(&[2, 1]).part(1, 1).send(&bench.redis, "half").await;
    bench.redis.run::<i64>("ZADD", ("stampede:sales", 1, "red_packet:half")).await;
    // Registered, and not a packet in yet.
    bench.redis.run::<i64>("ZADD", ("stampede:sales", 1, "red_packet:ghost")).await;
    assert_eq!(app.ledger_service.sweep().await, Ok(0));
    app.red_packet.open(lasting("later", 10)).await.expect("a sale");
    app.time.advance(10_000);
    assert_eq!(app.ledger_service.sweep().await, Ok(2));
    app.time.advance(60_000);
    assert_eq!(app.ledger_service.sweep().await, Ok(0), "half a sale is no sale yet");
    Chunk::whole(&[2, 1]).part(2, 2).send(&bench.redis, "half").await;
    assert_eq!(app.ledger_service.sweep().await, Ok(1));
    app.time.advance(60_000);
    assert_eq!(app.ledger_service.sweep().await, Ok(1), "the long one");
}

#[tokio::test]
async fn an_opening_that_nobody_finishes_is_deleted_after_ten_minutes() {
    let bench = Bench::new().await;
    let app = &bench.app;
    Chunk::whole(&[2, 1]).part(1, 1).send(&bench.redis, "half").await;
    bench.redis.run::<i64>("ZADD", ("stampede:sales", 1, "red_packet:half")).await;
    app.time.advance(599_999);
    assert_eq!(app.ledger_service.sweep().await, Ok(0));
    assert!(bench.redis.run::<bool>("EXISTS", key("half", "pending")).await, "it may still be finished");
    app.time.advance(600_001);
    assert_eq!(app.ledger_service.sweep().await, Ok(0));
    let keys: Vec<String> = bench.redis.run("KEYS", "{red_packet:half}:*").await;
    let listed: Vec<String> = bench.redis.run("ZRANGE", ("stampede:sales", 0, -1)).await;
    assert_eq!((keys, listed), (Vec::new(), Vec::new()));
    app.red_packet.open(terms("half", 100, 5)).await.expect("a new sale, on other terms");
}

/// The refund is lost before the ledger has it, so that the sale comes back open: its money is refunded again, also by a
/// server that has refunded it before.
#[tokio::test]
async fn a_sale_that_was_refunded_and_is_recovered_as_open_is_swept_again() {
    let bench = Bench::new().await;
    let app = &bench.app;
    app.red_packet.open(terms("s", 100, 5)).await.expect("a sale");
    app.red_packet.claim("s", "ann".into(), None).await.expect("an outcome");
    catch_up(&mut app.writer("one")).await;
    app.time.advance(LIFE_S * 1_000);
    assert_eq!(app.ledger_service.sweep().await, Ok(1));
    let keys: Vec<String> = bench.redis.run("KEYS", "{red_packet:s}:*").await;
    bench.redis.run::<i64>("DEL", keys).await;
    app.red_packet.recover("s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!(bench.redis.run::<String>("HGET", (key("s", "meta"), "state")).await, "open");
    assert_eq!(app.ledger_service.sweep().await, Ok(1), "swept again");
    assert_eq!(app.ledger_service.sweep().await, Ok(0), "once");
    catch_up(&mut app.writer("one")).await;
    assert_eq!(app.red_packet.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

/// Without its end it would be open again, and be refunded once more.
#[tokio::test]
async fn a_sale_that_is_over_and_has_lost_its_end_is_suspended_by_the_writer() {
    let mut bench = Bench::new().await;
    bench.app.red_packet.open(terms("s", 100, 5)).await.expect("a sale");
    catch_up(&mut bench.app.writer("one")).await;
    let replica = bench.server.lagging_replica().await;
    bench.app.time.advance(LIFE_S * 1_000);
    assert_eq!(bench.app.ledger_service.sweep().await, Ok(1));
    let mut writer = bench.app.writer("one");
    catch_up(&mut writer).await;

    bench.server.fail_over_to(replica).await;
    eventually("the writer is back", async || writer.catch_up().await.ok()).await;
    let state: String = bench.server.raw().await.run("HGET", (key("s", "meta"), "state")).await;
    assert_eq!(state, "suspended");
}
