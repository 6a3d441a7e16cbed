//! The writer and PostgreSQL: what it refuses, and what happens while it is away.

use super::{
    Bench, catch_up,
    dead_letters::{claimed, forge},
    in_ledger, rows_of,
};
use crate::support::{
    self,
    app::TestApp,
    postgres::Postgres,
    redis::TestRedis,
    sale::{self, clock, terms},
};
use ledger::database::{Ledger, Place};
use model::{error::Code, ledger::Retried};
use std::time::Duration;

async fn bench(postgres: &Postgres) -> Bench {
    let server = TestRedis::start().await;
    let ledger = Ledger::connect(Place::Url(&postgres.url())).await.expect("a ledger");
    let app = TestApp::with(&server.url(), ledger, clock(), 1, 10_000).await;
    let redis = server.raw().await;
    Bench { app, redis, server }
}

#[tokio::test]
async fn an_entry_that_postgresql_cannot_store_becomes_a_dead_letter_alone() {
    let postgres = Postgres::start();
    let bench = bench(&postgres).await;
    bench.app.red_packet.open(terms("s", 100, 20)).await.expect("a sale");
    bench.claim("s", 0..3).await;
    let id = forge(&bench, &claimed(&["a\0b", "9:1"], &["r"], &[1])).await;
    bench.claim("s", 3..6).await;
    let mut writer = bench.app.writer("one");
    catch_up(&mut writer).await;
    let users: Vec<String> = in_ledger(&bench.app, "s").await.into_iter().filter_map(|row| row.3).collect();
    assert_eq!(users, ["u0", "u1", "u2", "u3", "u4", "u5"]);
    let aside = bench.app.ledger.dead_letters(None, None).await.expect("a list");
    assert_eq!((aside.len(), aside[0].event_id, aside[0].tries), (1, id, 1));
    assert!(aside[0].reason.contains("the database cannot store a value"), "{}", aside[0].reason);
    assert_eq!(bench.app.ledger_service.retry(None, None).await, Ok(Retried { applied: 0, still_set_aside: 1 }));
    assert_eq!(bench.app.ledger.dead_letters(None, None).await.expect("a list")[0].tries, 2);
}

#[tokio::test]
async fn while_the_ledger_is_away_nothing_is_trimmed_the_lag_shows_and_then_all_goes_in() {
    let mut postgres = Postgres::start();
    let bench = bench(&postgres).await;
    bench.app.red_packet.open(terms("s", 500, 300)).await.expect("a sale");
    bench.claim("s", 0..100).await;
    let mut writer = bench.app.writer("one");
    catch_up(&mut writer).await;
    let mut expected = in_ledger(&bench.app, "s").await;
    assert_eq!(bench.events("s").await.len(), 64);

    postgres.stop();
    bench.app.time.advance(2_000);
    for user in 100..200 {
        bench.app.red_packet.claim("s", format!("u{user}"), None).await.expect("sales go on");
    }
    bench.app.time.advance(1_500);
    for _ in 0..3 {
        let error = writer.step(Duration::ZERO).await.expect_err("the ledger is away");
        assert_eq!(error.code, Code::LedgerUnavailable);
    }
    // Redis knows no such sale; whether it has lost it, nobody can say.
    let asked = bench.app.red_packet.claim("nope", "ann".into(), None).await.expect_err("no such sale");
    assert_eq!(asked.code, Code::LedgerUnavailable);
    let waiting = bench.events("s").await;
    assert_eq!(waiting.len(), 164);
    expected.extend(rows_of(&waiting[64..]));
    let status = bench.app.ledger_service.status(Some("s")).await.expect("a status");
    assert!(status.unreachable.expect("a reason").contains("The ledger did not answer"));
    let line = &status.sales[0];
    assert_eq!((line.lag_events, line.lag_seconds, line.lost), (100, 1.5, false));
    assert_eq!((line.applied_event_id.to_string(), line.stream_length), (waiting[63].id.clone(), 164));

    postgres.start_again().expect("it starts");
    crate::support::eventually("the ledger is written again", async || writer.catch_up().await.ok()).await;
    assert_eq!(in_ledger(&bench.app, "s").await, expected);
    assert_eq!(bench.events("s").await.len(), 64);
    let status = bench.app.ledger_service.status(Some("s")).await.expect("a status");
    assert_eq!((status.unreachable, status.sales[0].lag_events), (None, 0));
    assert_eq!(sale::stored(&bench.redis, "s").await.stats["won"], 200);
}

/// A database whose disk is slow ends a large statement before it is done; here, one of more than a thousand rows.
#[tokio::test]
async fn what_is_too_much_for_the_database_at_once_goes_in_bit_by_bit() {
    let postgres = Postgres::start();
    let bench = bench(&postgres).await;
    let beside = support::ledger::postgres(&postgres).await;
    sqlx::raw_sql(
        "CREATE FUNCTION too_slow() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
            IF (SELECT COUNT(*) FROM added) > 1000 THEN
                RAISE query_canceled USING MESSAGE = 'canceling statement due to statement timeout';
            END IF;
            RETURN NULL;
        END $$;
        CREATE TRIGGER too_slow AFTER INSERT ON history REFERENCING NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION too_slow()",
    )
    .execute(&mut { beside })
    .await
    .expect("a trigger");
    sale::open(&bench.redis, "s", &[1; 4_096]).await;
    bench.redis.run::<i64>("ZADD", ("stampede:sales", 1, "red_packet:s")).await;
    for batch in 0..16 {
        let users: Vec<String> = (0..256).map(|user| format!("u{}", batch * 256 + user)).collect();
        sale::claim(&bench.redis, "s", &users.iter().map(String::as_str).collect::<Vec<_>>()).await;
    }
    let mut writer = bench.app.writer("one");
    let mut failed = 0;
    while let Err(error) = writer.catch_up().await {
        assert_eq!(error.code, Code::LedgerUnavailable);
        failed += 1;
        assert!(failed < 30, "the ledger never goes on");
    }
    assert!(failed > 0, "the database refuses so much at once");
    assert_eq!(in_ledger(&bench.app, "s").await.len(), 1 + 4_096);
}
