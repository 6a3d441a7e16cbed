//! A process that is stopped in the middle of something, for any time, and goes on: nothing that was acknowledged in the
//! meantime is lost, or given to others.

use super::*;
use crate::support::{
    app::TestApp,
    proxy::{FaultProxy, Hold},
    redis::TestRedis,
    sale::terms,
};
use engine::{
    recovery::BEGIN_RECOVERY,
    red_packet::scripts::{KIND, OPEN, RECOVER, RESUME},
};
use ledger::{kind::DeadLetters, service::LedgerService};
use model::{
    Verdict,
    error::{Code, Error},
    red_packet::Outcome,
};
use std::{ops::Range, time::Duration};
use store::{fence::SUSPEND, keys, runtime::Clock};

async fn record(app: &TestApp) {
    let mut writer = app.writer("w");
    writer.catch_up().await.expect("the ledger");
    writer.give_up().await;
}

/// So many users win; adds who was told what.
async fn win(app: &TestApp, users: Range<u32>, told: &mut Holdings) {
    for user in users.map(|number| format!("u-{number}")) {
        let request = format!("r-{user}");
        let outcome = app.red_packet.claim("s", user.clone(), Some(request.clone())).await.expect("an outcome");
        let Outcome::Won { packet, cents, .. } = outcome else { panic!("{outcome:?}") };
        told.push((user, request, format!("{packet}:{cents}")));
    }
    told.sort();
}

/// One recovery stalls at a call of it. Another one ends, users win, and the sale is suspended once more, with what they
/// have recorded or not; then the first goes on.
async fn recovery_stalls(text: &str, hold: Hold, is_recorded: bool) {
    let (redis, mut told) = (TestRedis::start().await, Holdings::new());
    let wire = FaultProxy::before(&redis).await;
    let app = TestApp::on(&redis).await;
    let stalled = TestApp::at(&redis, &wire.url, app.time.clone(), 2).await;
    app.red_packet.open(terms("s", 1_000_000, 10_000)).await.expect("a sale");
    win(&app, 0..20, &mut told).await;
    record(&app).await;
    let recover = async |service: &LedgerService| service.recover(KIND, "s", DeadLetters::Refuse).await;
    app.ledger_service.suspend(KIND, "s").await.expect("suspended");

    wire.hold(hold, text);
    let late = tokio::spawn(async move { recover(&stalled.ledger_service).await });
    wire.holds().await;
    assert_eq!(recover(&app.ledger_service).await.expect("recovered").won, 20);
    win(&app, 20..40, &mut told).await;
    if is_recorded {
        record(&app).await;
    }
    app.ledger_service.suspend(KIND, "s").await.expect("suspended once more");
    wire.heal();
    let refused = late.await.expect("an end");

    record(&app).await;
    match &refused {
        // It has begun only now.
        Ok(recovered) => assert_eq!((text, recovered.won), (BEGIN_RECOVERY.sha(), 40)),
        Err(error) => {
            assert!(matches!(error.code, Code::Busy | Code::SaleExists | Code::Unavailable), "{text}: {error}");
            recover(&app.ledger_service).await.expect("recovered");
        }
    }
    win(&app, 40..60, &mut told).await;
    record(&app).await;
    assert_eq!(holdings(&redis.raw().await, "s").await, told, "{text} {hold:?}");
    assert_eq!(app.red_packet.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

#[tokio::test]
async fn a_recovery_that_stalls_before_its_first_call_gives_nothing_away_again() {
    for is_recorded in [true, false] {
        recovery_stalls(BEGIN_RECOVERY.sha(), Hold::Command, is_recorded).await;
        recovery_stalls(BEGIN_RECOVERY.sha(), Hold::Answer, is_recorded).await;
    }
}

#[tokio::test]
async fn a_recovery_that_stalls_while_it_reads_gives_nothing_away_again() {
    for is_recorded in [true, false] {
        recovery_stalls("XRANGE", Hold::Answer, is_recorded).await;
    }
}

#[tokio::test]
async fn a_recovery_that_stalls_between_two_chunks_gives_nothing_away_again() {
    for is_recorded in [true, false] {
        recovery_stalls(RECOVER.sha(), Hold::Command, is_recorded).await;
        recovery_stalls(RECOVER.sha(), Hold::Answer, is_recorded).await;
    }
}

#[tokio::test]
async fn a_recovery_that_stalls_before_its_last_call_gives_nothing_away_again() {
    for is_recorded in [true, false] {
        recovery_stalls(keys::RECOVERED.one, Hold::Command, is_recorded).await;
        recovery_stalls(RESUME.sha(), Hold::Command, is_recorded).await;
    }
}

/// What happens while a server that opens a sale is stopped, after it has asked the ledger whether the id is free.
async fn opening_stalls(meanwhile: impl AsyncFnOnce(&TestApp, &Raw)) -> (TestRedis, TestApp, Result<(), Error>) {
    let redis = TestRedis::start().await;
    let wire = FaultProxy::before(&redis).await;
    let app = TestApp::on(&redis).await;
    let stalled = TestApp::at(&redis, &wire.url, app.time.clone(), 2).await;
    wire.hold(Hold::Command, OPEN.sha());
    let late = tokio::spawn(async move { stalled.red_packet.open(terms("s", 1_000, 10)).await.map(drop) });
    wire.holds().await;
    meanwhile(&app, &redis.raw().await).await;
    wire.heal();
    (redis, app, late.await.expect("an end"))
}

async fn sell(app: &TestApp) {
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    win(app, 0..3, &mut Holdings::new()).await;
    record(app).await;
}

/// The mark in Redis is gone by then.
#[tokio::test]
async fn an_opening_that_stalls_does_not_open_the_id_of_an_archived_sale() {
    let (redis, app, late) = opening_stalls(async |app, raw| {
        sell(app).await;
        app.closing.close(KIND, "s").await.expect("closed");
        record(app).await;
        app.closing.archive(KIND, "s").await.expect("archived");
        raw.run::<i64>("DEL", key("s", "meta")).await;
    })
    .await;
    assert_eq!(late.expect_err("it was archived").code, Code::SaleExists);
    let refused = app.red_packet.claim("s", "eve".into(), None).await.expect_err("nothing is given");
    assert!(matches!(refused.code, Code::SaleSuspended | Code::SaleArchived), "{refused}");
    let listed: Vec<String> = redis.raw().await.run("ZRANGE", (keys::SALES.one, 0, -1)).await;
    assert!(listed.is_empty(), "{listed:?}");
}

#[tokio::test]
async fn an_opening_that_stalls_does_not_open_what_redis_has_lost_meanwhile() {
    let (_redis, app, late) = opening_stalls(async |app, raw| {
        sell(app).await;
        raw.run::<String>("FLUSHALL", "SYNC").await;
    })
    .await;
    assert_eq!(late.expect_err("it is lost").code, Code::SaleSuspended);
    let refused = app.red_packet.claim("s", "eve".into(), None).await.expect_err("nothing is given");
    assert_eq!(refused.code, Code::SaleSuspended, "{refused}");
    record(&app).await;
    let recovered = app.red_packet.recover("s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!((recovered.won, recovered.waiting), (3, 7));
    record(&app).await;
    assert_eq!(app.red_packet.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

/// Without its name on the list, nobody would record the sale.
#[tokio::test]
async fn an_opening_that_stalls_while_an_abandoned_one_is_deleted_is_on_the_list() {
    let (redis, _app, late) = opening_stalls(async |app, raw| {
        let chunk = crate::support::sale::Chunk::whole(&[60, 40]).part(1, 1);
        assert_eq!(chunk.send(raw, "s").await.0, 0);
        app.time.advance(3_600_000);
        assert_eq!(app.red_packet.refund("s").await.expect_err("deleted").code, Code::UnknownSale);
    })
    .await;
    late.expect("opened");
    let listed: Vec<String> = redis.raw().await.run("ZRANGE", (keys::SALES.one, 0, -1)).await;
    assert_eq!(listed, ["red_packet:s"]);
}

/// A server looks for sales to archive, finds one open, and stalls; the sale is closed meanwhile.
#[tokio::test]
async fn an_archiving_that_stalls_does_not_forget_a_sale_that_was_closed_since() {
    let redis = TestRedis::start().await;
    let wire = FaultProxy::before(&redis).await;
    let app = TestApp::on(&redis).await;
    let stalled = TestApp::at(&redis, &wire.url, app.time.clone(), 2).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    let raw = redis.raw().await;
    raw.run::<i64>("ZADD", (keys::CLOSED.one, 0, "red_packet:s")).await;
    wire.hold(Hold::Command, "ZREM");
    let late = tokio::spawn(async move { stalled.closing.archive_due(Duration::ZERO).await });
    wire.holds().await;
    app.closing.close(KIND, "s").await.expect("closed");
    wire.heal();
    late.await.expect("an end").expect("looked at");
    let scheduled: Vec<String> = raw.run("ZRANGE", (keys::CLOSED.one, 0, -1)).await;
    assert_eq!(scheduled, ["red_packet:s"]);
}

/// A sale is sealed, and recovered before the ledger marks it: it is either archived or live, not both.
#[tokio::test]
async fn a_sale_that_was_archived_meanwhile_is_not_recovered() {
    let redis = TestRedis::start().await;
    let wire = FaultProxy::before(&redis).await;
    let app = TestApp::on(&redis).await;
    let stalled = TestApp::at(&redis, &wire.url, app.time.clone(), 2).await;
    sell(&app).await;
    app.closing.close(KIND, "s").await.expect("closed");
    record(&app).await;
    let known = app.ledger.sale(KIND, "s").await.expect("an answer").expect("the sale");
    app.ledger_service.suspend(KIND, "s").await.expect("suspended");
    wire.hold(Hold::Answer, RECOVER.sha());
    let late =
        tokio::spawn(async move { stalled.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.map(drop) });
    wire.holds().await;
    assert_eq!(app.ledger.archive(&known, app.time.now(), "{}").await, Ok(true));
    wire.heal();
    assert_eq!(late.await.expect("an end").expect_err("archived").code, Code::SaleArchived);
    let refused = app.red_packet.claim("s", "eve".into(), None).await.expect_err("it is not live");
    assert!(matches!(refused.code, Code::SaleSuspended | Code::SaleArchived), "{refused}");
}

/// Redis comes back without the seal, but with all events, after the ledger has marked the sale.
#[tokio::test]
async fn an_archived_sale_whose_seal_is_lost_is_suspended() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    sell(&app).await;
    app.closing.close(KIND, "s").await.expect("closed");
    record(&app).await;
    let known = app.ledger.sale(KIND, "s").await.expect("an answer").expect("the sale");
    assert_eq!(app.ledger.archive(&known, app.time.now(), "{}").await, Ok(true));
    record(&app).await;
    let refused = app.red_packet.claim("s", "eve".into(), None).await.expect_err("it is not live");
    assert_eq!(refused.code, Code::SaleSuspended, "{refused}");
}

/// An operator wants a sale to be rebuilt, and the command stalls after it has asked the ledger.
#[tokio::test]
async fn a_suspension_that_stalls_leaves_an_archived_sale_alone() {
    let redis = TestRedis::start().await;
    let wire = FaultProxy::before(&redis).await;
    let app = TestApp::on(&redis).await;
    let stalled = TestApp::at(&redis, &wire.url, app.time.clone(), 2).await;
    sell(&app).await;
    app.closing.close(KIND, "s").await.expect("closed");
    record(&app).await;
    wire.hold(Hold::Command, SUSPEND.sha());
    let late = tokio::spawn(async move { stalled.ledger_service.suspend(KIND, "s").await });
    wire.holds().await;
    app.closing.archive(KIND, "s").await.expect("archived");
    wire.heal();
    late.await.expect("an end").expect("nothing to suspend");
    let refused = app.red_packet.claim("s", "eve".into(), None).await.expect_err("it is archived");
    assert_eq!(refused.code, Code::SaleArchived, "{refused}");
}
