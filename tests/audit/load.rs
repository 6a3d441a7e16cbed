//! Audits during claims, while the ledger is written and the stream trimmed: each holds as of its own event.

use super::ledger::figure;
use crate::support::{app::TestApp, redis::TestRedis, sale::terms};
use engine::red_packet::scripts::key;
use futures::future::join_all;
use model::Verdict;
use std::time::Duration;
use store::keys;
use tokio::sync::mpsc;

/// During each audit there are claims, a step of one of two writers, and more claims.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_audit_holds_while_claims_run_and_the_ledger_is_written() {
    const PACKETS: u64 = 6_000;
    const BY_AUDIT: u64 = 300;
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 100_000, PACKETS)).await.expect("a sale");
    let (begins, mut begun) = mpsc::channel(1);
    let (red_packet, raw) = (app.red_packet.clone(), redis.raw().await);
    let mut writers = [app.writer("one"), app.writer("other")];
    let crowd = tokio::spawn(async move {
        let mut users = (0..PACKETS).map(|user| format!("u{user}"));
        for audit in 0..(PACKETS / BY_AUDIT) as usize {
            begun.recv().await.expect("an audit");
            for part in 0..BY_AUDIT / 10 {
                let attempts = users.by_ref().take(10).map(|user| red_packet.claim("s", user, None));
                for outcome in join_all(attempts).await {
                    outcome.expect("an outcome");
                }
                if part == BY_AUDIT / 20 {
                    // The writers take turns; each time, the next one has to read the positions again.
                    raw.run::<i64>("DEL", keys::WRITER.one).await;
                    let writer = &mut writers[audit / 5 % 2];
                    if writer.step(Duration::ZERO).await.is_err() {
                        writer.step(Duration::ZERO).await.expect("a step");
                    }
                }
            }
        }
    });
    let (mut in_mid_run, mut from_both) = (0, 0);
    for _ in 0..PACKETS / BY_AUDIT {
        begins.send(()).await.expect("the crowd waits");
        let audit = app.red_packet.audit("s").await.expect("an audit");
        assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
        let (won, written) = (figure(&audit, "events").0, figure(&audit, "ledger").0);
        in_mid_run += u32::from(won > 0 && won < PACKETS as i64);
        from_both += u32::from(written > 0 && written < won);
    }
    crowd.await.expect("no panic");
    assert!(in_mid_run >= 1 && from_both >= 1, "{in_mid_run} in mid run, {from_both} from ledger and stream");

    let mut last = app.writer("the last");
    redis.raw().await.run::<i64>("DEL", keys::WRITER.one).await;
    last.catch_up().await.expect("the ledger is written");
    let audit = app.red_packet.audit("s").await.expect("an audit");
    assert_eq!((audit.verdict, figure(&audit, "ledger")), (Verdict::Holds, (PACKETS as i64, PACKETS as i64)));
    let account = app.ledger.sale("red_packet", "s").await.expect("an answer").expect("the sale");
    let left: u64 = redis.raw().await.run("XLEN", key("s", "events")).await;
    assert!(left < account.position.entries, "all {left} entries are still there: nothing was trimmed");
    println!("{in_mid_run} in mid run, {from_both} from ledger and stream");
}
