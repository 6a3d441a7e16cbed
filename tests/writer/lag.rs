//! How far the ledger is behind, and the alarm.

use super::{Bench, catch_up};
use crate::support::{
    app::TestApp,
    redis::TestRedis,
    sale::{self, clock, terms},
};
use ledger::database::{Ledger, Place};
use model::{EventId, error::Code, ledger::SaleStatus};

async fn status(app: &TestApp, sale: &str) -> SaleStatus {
    app.ledger_service.status(Some(sale)).await.expect("a status").sales.remove(0)
}

#[tokio::test]
async fn lag_is_the_entries_that_wait_and_how_long_the_oldest_has() {
    let bench = Bench::new().await;
    let (app, time) = (&bench.app, &bench.app.time);
    app.red_packet.open(terms("s", 1_000, 500)).await.expect("a sale");
    time.advance(1_500);
    for user in ["ann", "bob"] {
        app.red_packet.claim("s", user.into(), None).await.expect("an outcome");
    }
    time.advance(2_000);
    let events = bench.events("s").await;
    let line = status(app, "s").await;
    assert_eq!((line.lag_events, line.lag_seconds), (3, 3.5));
    assert_eq!((line.applied_event_id, line.last_event_id.to_string()), (EventId::default(), events[2].id.clone()));
    assert_eq!((line.stream_length, line.dead_letters, line.alarm, line.lost), (3, 0, false, false));

    let mut writer = app.writer("one");
    catch_up(&mut writer).await;
    time.advance(60_000);
    let line = status(app, "s").await;
    assert_eq!((line.lag_events, line.lag_seconds), (0, 0.0), "what is written waits no longer");
    assert_eq!(line.applied_event_id, line.last_event_id);
    assert_eq!(app.ledger_service.status(None).await.expect("a status").writer.as_deref(), Some("one"));
}

/// Entries are counted from the first ever, so trimming changes nothing.
#[tokio::test]
async fn lag_is_exact_on_a_trimmed_stream_and_after_its_whole_length() {
    let bench = Bench::new().await;
    bench.app.red_packet.open(terms("s", 1_000, 500)).await.expect("a sale");
    bench.claim("s", 0..200).await;
    catch_up(&mut bench.app.writer("one")).await;
    bench.claim("s", 200..207).await;
    let line = status(&bench.app, "s").await;
    assert_eq!((line.lag_events, line.stream_length), (7, 71));
}

#[tokio::test]
async fn more_waiting_entries_than_the_bound_are_an_alarm_and_none_is_dropped() {
    let server = TestRedis::start().await;
    let ledger = Ledger::connect(Place::Folder(server.folder())).await.expect("a ledger");
    let app = TestApp::with(&server.url(), ledger, clock(), 1, 5).await;
    let redis = server.raw().await;
    app.red_packet.open(terms("s", 1_000, 500)).await.expect("a sale");
    let claim = async |user: &str| sale::claim(&redis, "s", &[user]).await;
    for user in ["a", "b", "c", "d"] {
        claim(user).await;
    }
    let figures = async || {
        let line = status(&app, "s").await;
        (line.lag_events, line.alarm)
    };
    assert_eq!(figures().await, (5, false));
    claim("e").await;
    assert_eq!(figures().await, (6, true));
    catch_up(&mut app.writer("one")).await;
    assert_eq!(figures().await, (0, false));
    assert_eq!(super::in_ledger(&app, "s").await.len(), 6);
}

#[tokio::test]
async fn sales_are_listed_newest_first_and_one_that_redis_has_lost_is_said_to_be() {
    let bench = Bench::new().await;
    for sale in ["a", "b", "c"] {
        bench.app.red_packet.open(terms(sale, 100, 5)).await.expect("a sale");
        bench.app.time.advance(1);
    }
    catch_up(&mut bench.app.writer("one")).await;
    let mut lost = store::command("DEL");
    lost.arg(sale::audit_keys("b"));
    bench.redis.send::<i64>(&lost).await;
    bench.redis.run::<i64>("ZREM", ("stampede:sales", "red_packet:b")).await;
    let lines = bench.app.ledger_service.status(None).await.expect("a status").sales;
    let lines: Vec<(&str, bool)> = lines.iter().map(|line| (line.sale.as_str(), line.lost)).collect();
    assert_eq!(lines, [("c", false), ("a", false), ("b", true)]);
    assert!(status(&bench.app, "b").await.lost);
    let error = bench.app.ledger_service.status(Some("nope")).await.expect_err("no such sale");
    assert_eq!(error.code, Code::UnknownSale);
}
