//! Audits while claims run and the ledger is written and trimmed behind: they hold, each at its own moment.

use super::ledger::figure;
use crate::support::{app::TestApp, eventually, redis::TestRedis, sale::terms, within};
use stampede::{sales::Verdict, store::keys};
use tokio_util::sync::CancellationToken;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_audit_holds_while_claims_run_and_the_ledger_is_written() {
    const PACKETS: u64 = 12_000;
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let stop = CancellationToken::new();
    let writers = ["one", "other"].map(|name| tokio::spawn(app.writer(name).run(stop.clone())));
    app.red_packet.open(terms("s", 100_000, PACKETS)).await.expect("a sale");
    let (red_packet, raw) = (app.red_packet.clone(), redis.raw().await);
    let claims = tokio::spawn(async move {
        for first in (0..PACKETS).step_by(40) {
            let attempts = (first..first + 40).map(|user| red_packet.claim("s", format!("u{user}"), None));
            for outcome in futures::future::join_all(attempts).await {
                outcome.expect("an outcome");
            }
            // Now and then the other writer takes over.
            if first % 2_000 == 0 {
                raw.run::<i64>("DEL", keys::WRITER).await;
            }
        }
    });
    let (mut in_mid_run, mut from_both) = (0, 0);
    while !claims.is_finished() {
        let audit = app.red_packet.audit("s").await.expect("an audit");
        assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
        let (won, written) = (figure(&audit, "events").0, figure(&audit, "ledger").0);
        in_mid_run += u32::from(won > 0 && won < PACKETS as i64);
        from_both += u32::from(written > 0 && written < won);
    }
    claims.await.expect("no panic");
    assert!(in_mid_run >= 1, "the audit never met a claim");
    println!("{in_mid_run} audits in mid run, {from_both} of them from ledger and stream");
    stop.cancel();
    for writer in writers {
        within("the writer ends", writer).await.expect("no panic");
    }
    let mut last = app.writer("the last");
    eventually("the rest is written", async || last.catch_up().await.ok()).await;
    let audit = app.red_packet.audit("s").await.expect("an audit");
    assert_eq!((audit.verdict, figure(&audit, "ledger")), (Verdict::Holds, (PACKETS as i64, PACKETS as i64)));
    let left: i64 = redis.raw().await.run("XLEN", "{red_packet:s}:events").await;
    assert_eq!(left, 64, "the stream was trimmed");
}
