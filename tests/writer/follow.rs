//! One writer: everything in the streams is recorded completely.

use super::{Bench, catch_up, in_ledger, rows_of};
use crate::support::{
    app::TestApp,
    eventually,
    proxy::{FaultProxy, Hold},
    redis::TestRedis,
    sale::{self, LIFE_S, terms},
    within,
};
use engine::red_packet::scripts::{KIND, key};
use futures::future::join_all;
use ledger::{kind::DeadLetters, scripts::STREAM_POSITION, writer::Step};
use model::{error::Code, list::ListQuery, red_packet::Outcome};
use stampede::server::{background, webhooks::delivery::Deliverer};
use std::time::Duration;
use store::keys;

/// Won, repeated, sold out and refunded, of a hundred users twice each, through the service.
async fn bustle(app: &TestApp, sale: &str) {
    app.red_packet.open(terms(sale, 5_000, 80)).await.expect("a sale");
    let attempts = (0..200).map(|nth| {
        let request = format!("{sale}/{nth}");
        app.red_packet.claim(sale, format!("u{}", nth % 100), Some(request))
    });
    let outcomes = join_all(attempts).await;
    assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, Ok(Outcome::Won { .. }))).count(), 80);
}

#[tokio::test]
async fn every_change_is_in_the_ledger_once_with_user_request_packet_and_cents() {
    let bench = Bench::new().await;
    bustle(&bench.app, "s").await;
    bench.app.time.advance(LIFE_S * 1_000);
    bench.app.red_packet.refund("s").await.expect("a refund");
    let expected = rows_of(&bench.events("s").await);
    assert_eq!(expected.len(), 82, "opened, 80 won, refunded");
    let mut writer = bench.app.writer("one");
    catch_up(&mut writer).await;
    assert_eq!(in_ledger(&bench.app, "s").await, expected);

    // Neither another step nor another writer changes anything.
    catch_up(&mut writer).await;
    writer.give_up().await;
    catch_up(&mut bench.app.writer("another")).await;
    assert_eq!(in_ledger(&bench.app, "s").await, expected);
    let account = bench.app.ledger.sale(KIND, "s").await.expect("an answer").expect("the sale");
    assert!(account.closed);
    assert_eq!(account.position.event_id, expected[81].0);
    assert_eq!(account.position.entries, bench.events("s").await.len() as u64);
}

#[tokio::test]
async fn a_batch_of_256_winners_is_256_rows_in_their_order() {
    let bench = Bench::new().await;
    sale::open(&bench.redis, "s", &[3; 300]).await;
    bench.redis.run::<i64>("ZADD", ("stampede:sales", 1, "red_packet:s")).await;
    let users: Vec<String> = (0..256).map(|user| format!("u{user}")).collect();
    sale::claim(&bench.redis, "s", &users.iter().map(String::as_str).collect::<Vec<_>>()).await;
    catch_up(&mut bench.app.writer("one")).await;
    let rows = in_ledger(&bench.app, "s").await;
    assert_eq!(rows, rows_of(&bench.events("s").await));
    let (places, names): (Vec<u32>, Vec<String>) =
        rows[1..].iter().map(|row| (row.1, row.3.clone().expect("a user"))).unzip();
    assert_eq!((places, names), ((0..256).collect(), users));
}

#[tokio::test]
async fn the_news_of_many_sales_go_in_by_one_step() {
    let bench = Bench::new().await;
    for nth in 0..40 {
        bench.app.red_packet.open(terms(&format!("s{nth}"), 100, 5)).await.expect("a sale");
    }
    let mut writer = bench.app.writer("one");
    assert_eq!(writer.step(Duration::ZERO).await, Ok(Step::Wrote { entries: 40, rows: 40 }));
    assert_eq!(writer.step(Duration::ZERO).await, Ok(Step::Idle));
}

#[tokio::test]
async fn a_sale_that_is_opened_later_is_taken_up_and_one_that_is_over_is_put_down() {
    let bench = Bench::new().await;
    let mut writer = bench.app.writer("one");
    assert_eq!(writer.step(Duration::ZERO).await, Ok(Step::Idle), "there is no sale yet");
    bustle(&bench.app, "s").await;
    catch_up(&mut writer).await;
    bustle(&bench.app, "t").await;
    catch_up(&mut writer).await;
    for sale in ["s", "t"] {
        assert_eq!(in_ledger(&bench.app, sale).await, rows_of(&bench.events(sale).await));
    }
    bench.app.time.advance(LIFE_S * 1_000);
    assert_eq!(bench.app.ledger_service.sweep().await, Ok(2));
    catch_up(&mut writer).await;
    assert_eq!(writer.step(Duration::ZERO).await, Ok(Step::Idle));
    // Its stream is no longer read, even if something is written to it.
    let forged = ("{red_packet:s}:events", "*", "type", "refunded", "at", 1, "cents", 1);
    let mut command = store::command("XADD");
    command.arg(forged);
    bench.redis.send::<String>(&command).await;
    assert_eq!(writer.step(Duration::ZERO).await, Ok(Step::Idle));
}

#[tokio::test]
async fn an_idle_writer_wakes_when_something_happens() {
    let bench = Bench::new().await;
    bench.app.red_packet.open(terms("s", 100, 5)).await.expect("a sale");
    let mut writer = bench.app.writer("one");
    catch_up(&mut writer).await;
    let claim = async {
        // Not before it waits: Redis says so of its connection.
        eventually("the writer waits", async || {
            (bench.redis.info::<u32>("clients", "blocked_clients").await == 1).then_some(())
        })
        .await;
        bench.app.red_packet.claim("s", "ann".into(), None).await.expect("an outcome")
    };
    let (step, _) =
        within("the writer wakes", async { futures::join!(writer.step(Duration::from_secs(2)), claim) }).await;
    assert_eq!(step, Ok(Step::Wrote { entries: 1, rows: 1 }));
}

/// A server records, refunds and audits automatically, and stops when told to.
#[tokio::test]
async fn a_server_writes_refunds_and_audits_by_itself() {
    let bench = Bench::new().await;
    let app = &bench.app;
    let background =
        background::start(app, Duration::from_secs(86_400), false, None, None, Deliverer::new(app).expect("a client"));
    bustle(app, "s").await;
    app.red_packet.open(terms("t", 100, 5)).await.expect("a sale");
    eventually("the ledger has it", async || (in_ledger(app, "s").await.len() == 81).then_some(())).await;
    app.time.advance(LIFE_S * 1_000);
    eventually("both are refunded", async || {
        let [s, t] = [in_ledger(app, "s").await.len(), in_ledger(app, "t").await.len()];
        ((s, t) == (82, 2)).then_some(())
    })
    .await;
    eventually("both are audited", async || {
        let board = app.ledger_service.board(0).await.expect("a board");
        board.sales.iter().all(|line| line.audit.is_some()).then_some(())
    })
    .await;
    app.shutdown.cancel();
    within("it ends", background.wait()).await;
    let writer: Option<String> = bench.redis.run("GET", "stampede:writer").await;
    assert_eq!(writer, None, "the lease is given back");
}

/// The number of entries to read is derived from the last ones, which were small.
#[tokio::test]
async fn a_transaction_has_a_bound_in_rows_however_large_the_next_entries_are() {
    let bench = Bench::new().await;
    let batch = |first: usize, count: usize| (first..first + count).map(|user| format!("u{user}")).collect::<Vec<_>>();
    bench.app.red_packet.open(terms("s", 50_000, 50_000)).await.expect("a sale");
    bench.claim("s", 0..100).await;
    for nth in 0..140 {
        let users = batch(1_000 + nth * 256, 256);
        sale::claim(&bench.redis, "s", &users.iter().map(String::as_str).collect::<Vec<_>>()).await;
    }
    let mut writer = bench.app.writer("one");
    let (mut most, mut all) = (0, 0);
    while let Step::Wrote { rows, .. } = writer.step(Duration::ZERO).await.expect("a step") {
        most = most.max(rows);
        all += rows;
    }
    assert!((16_384..33_024).contains(&most), "{most}");
    assert_eq!(all, 1 + 100 + 140 * 256);
}

/// A primary that fails after the writer was told where to go on, and before it reads: what the other Redis lacks is
/// noticed at once, and nothing is recorded in its place.
#[tokio::test]
async fn a_failover_between_asking_and_reading_is_noticed() {
    let mut bench = Bench::new().await;
    bench.app.red_packet.open(terms("s", 100, 5)).await.expect("a sale");
    catch_up(&mut bench.app.writer("one")).await;
    let replica = bench.server.lagging_replica().await;
    bench.claim("s", 0..2).await;
    let mut writer = bench.app.writer("one");
    catch_up(&mut writer).await;
    writer.give_up().await;

    let proxy = FaultProxy::before(&bench.server).await;
    let app = TestApp::at(&bench.server, &proxy.url, bench.app.time.clone(), 2).await;
    proxy.hold_connections();
    let mut writer = app.writer("two");
    let fails = async {
        proxy.holds().await;
        bench.server.fail_over_to(replica).await;
        proxy.heal();
    };
    tokio::join!(eventually("the writer is back", async || writer.catch_up().await.ok()), fails);
    let state: String = bench.server.raw().await.run("HGET", (key("s", "meta"), "state")).await;
    assert_eq!(state, "suspended");
}

/// A sale whose own record is gone is nobody else's trouble: it gives nothing away, the others are recorded and listed,
/// and a server starts.
#[tokio::test]
async fn what_is_no_record_of_a_sale_keeps_no_other_from_being_recorded_and_listed() {
    let bench = Bench::new().await;
    for sale in ["s", "t"] {
        bench.app.red_packet.open(terms(sale, 100, 5)).await.expect("a sale");
    }
    bench.claim("s", 0..1).await;
    let mut first = bench.app.writer("one");
    catch_up(&mut first).await;
    first.give_up().await;
    bench.redis.run::<i64>("DEL", key("s", "meta")).await;
    bench.redis.run::<String>("SET", (key("s", "meta"), "by hand")).await;
    bench.claim("t", 0..2).await;
    bench.app.ledger_service.suspend_lost().await.expect("a server starts");
    let mut writer = bench.app.writer("another");
    eventually("the other sale is recorded", async || writer.catch_up().await.ok()).await;
    assert_eq!(in_ledger(&bench.app, "t").await.len(), 3);
    let listed = bench.app.lists.list(ListQuery::default()).await.expect("a list").sales;
    assert_eq!(listed.iter().map(|sale| sale.sale.as_str()).collect::<Vec<_>>(), ["t"]);
    let refused = bench.app.red_packet.claim("s", "ann".to_owned(), None).await.expect_err("no record");
    assert_eq!(refused.code, Code::SaleSuspended, "{refused}");
}

/// What a ticket sale's entries mean depends on its hall, which the ledger has, too.
#[tokio::test]
async fn a_damaged_hall_keeps_nothing_from_being_recorded() {
    let damages: [&[&str]; 3] = [&["SET", "by hand"], &["HSET", "hall", "?"], &["HSET", "hold_ms", "?"]];
    for damage in damages {
        let bench = Bench::new().await;
        bench.app.red_packet.open(terms("s", 100, 5)).await.expect("a sale");
        sale::open_seats(&bench.app, "t").await;
        let mut first = bench.app.writer("one");
        catch_up(&mut first).await;
        first.give_up().await;
        sale::reserve(&bench.app, "t", "ann").await.expect("held");
        let meta = keys::sale("ticket", "t", "meta");
        if damage[0] == "SET" {
            bench.redis.run::<i64>("DEL", &meta).await;
        }
        bench.redis.run::<redis::Value>(damage[0], (&meta, &damage[1..])).await;
        bench.claim("s", 0..2).await;
        // A process that has not seen the hall.
        let other = TestApp::at(&bench.server, &bench.server.url(), bench.app.time.clone(), 2).await;
        eventually("both are recorded", async || {
            other.writer("another").catch_up().await.ok()?;
            (in_ledger(&other, "s").await.len() == 3 && in_ledger(&other, "t").await.len() == 2).then_some(())
        })
        .await;
        assert_eq!(other.ledger_service.dead_letters(None, None).await.expect("an answer").len(), 0, "{damage:?}");
    }
}

/// Something else in the place of a stream concerns its sale alone: that is suspended, and its recovery makes the stream
/// again. Everything else is recorded meanwhile.
#[tokio::test]
async fn what_is_no_stream_keeps_no_other_sale_from_being_recorded() {
    let bench = Bench::new().await;
    for sale in ["s", "t"] {
        bench.app.red_packet.open(terms(sale, 100, 5)).await.expect("a sale");
    }
    let mut writer = bench.app.writer("one");
    catch_up(&mut writer).await;
    let stream = key("s", "events");
    bench.redis.run::<i64>("DEL", &stream).await;
    bench.redis.run::<String>("SET", (&stream, "by hand")).await;
    bench.claim("t", 0..2).await;
    eventually("the other sale is recorded", async || writer.catch_up().await.ok()).await;
    assert_eq!(in_ledger(&bench.app, "t").await.len(), 3);
    let state: String = bench.redis.run("HGET", (key("s", "meta"), "state")).await;
    assert_eq!(state, "suspended");
    let status = bench.app.ledger_service.status(None).await.expect("a status").sales;
    let lost: Vec<_> = status.iter().filter(|status| status.lost).map(|status| status.sale.as_str()).collect();
    assert_eq!((status.len(), lost), (2, vec!["s"]));

    bench.app.red_packet.recover("s", DeadLetters::Refuse).await.expect("recovered");
    bench.claim("s", 0..1).await;
    catch_up(&mut writer).await;
    assert_eq!(in_ledger(&bench.app, "s").await.len(), 3, "opened, recovered, won");
}

/// After a failover, nobody else may have it.
#[tokio::test]
async fn what_was_read_is_recorded_although_redis_has_gone_since() {
    let redis = TestRedis::start().await;
    let wire = FaultProxy::before(&redis).await;
    let app = TestApp::on(&redis).await;
    let far = TestApp::at(&redis, &wire.url, app.time.clone(), 2).await;
    app.red_packet.open(terms("s", 100, 5)).await.expect("a sale");
    let mut writer = far.writer("far");
    catch_up(&mut writer).await;
    app.red_packet.claim("s", "ann".into(), None).await.expect("an outcome");
    // Asked for after the entries were read.
    wire.hold(Hold::Command, STREAM_POSITION.sha());
    let step = tokio::spawn(async move { writer.step(Duration::ZERO).await });
    wire.holds().await;
    wire.cut();
    let step = within("the step ends", step).await.expect("no panic");
    assert_eq!(step.expect_err("nothing can be acknowledged").code, Code::Unavailable);
    assert_eq!(in_ledger(&app, "s").await.len(), 2, "opened, won");
}
