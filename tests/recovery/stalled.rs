//! A process that is stopped in the middle of something, for any time, and goes on: nothing that was acknowledged in the
//! meantime is lost, or given to others.

use super::*;
use crate::support::{
    app::TestApp,
    proxy::{FaultProxy, Hold},
    redis::TestRedis,
    sale::terms,
};
use stampede::{
    domain::Verdict,
    error::Code,
    ledger::{kind::DeadLetters, service::LedgerService},
    sales::{
        recovery::BEGIN_RECOVERY,
        red_packet::{
            Outcome,
            scripts::{KIND, RECOVER, RESUME},
        },
    },
    store::keys,
};
use std::ops::Range;

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
        recovery_stalls(keys::RECOVERED, Hold::Command, is_recorded).await;
        recovery_stalls(RESUME.sha(), Hold::Command, is_recorded).await;
    }
}
