//! The stream is trimmed when an audit is about to read it; the ledger has the trimmed entries by then.

use super::ledger::figure;
use crate::support::{
    app::TestApp,
    proxy::{FaultProxy, Hold},
    redis::TestRedis,
    sale::terms,
};
use futures::join;
use ledger::writer::Step;
use model::Verdict;
use std::time::Duration;

#[tokio::test]
async fn entries_trimmed_during_an_audit_are_read_from_the_ledger() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 100_000, 300)).await.expect("a sale");
    for user in 0..300 {
        app.red_packet.claim("s", format!("u{user}"), None).await.expect("an outcome");
    }
    let mut writer = app.writer("w");
    assert_eq!(writer.step(Duration::ZERO).await, Ok(Step::Wrote { entries: 64, rows: 64 }));

    // It has read what the ledger has, and asks the stream for the rest.
    let wire = FaultProxy::before(&redis).await;
    let auditor = TestApp::at(&redis, &wire.url, app.time.clone(), 2).await;
    wire.hold(Hold::Command, "XRANGE");
    let meanwhile = async {
        wire.holds().await;
        writer.catch_up().await.expect("the ledger");
        let left: i64 = redis.raw().await.run("XLEN", "{red_packet:s}:events").await;
        assert_eq!(left, 64, "the stream was trimmed");
        wire.heal();
    };
    let (audit, ()) = join!(auditor.red_packet.audit("s"), meanwhile);
    let audit = audit.expect("an audit");
    assert_eq!((audit.verdict, figure(&audit, "events")), (Verdict::Holds, (300, 300)), "{audit:?}");
}
