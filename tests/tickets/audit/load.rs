//! The sale changes during the audit, in every place that it reads, with the ledger behind and the stream trimmed.

use super::ledger::figure;
use crate::{
    support::{app::TestApp, redis::TestRedis},
    tickets::{picked, small, terms},
};
use engine::ticket::{scripts::key, service::Tickets};
use futures::future::join_all;
use model::{
    Verdict,
    ticket::{HallChoice, Outcome, Terms, halls::HallName},
};
use std::collections::BTreeMap;
use tokio_util::sync::CancellationToken;

/// A user who gets seats, and pays, cancels or leaves them; sometimes gives paid ones back.
async fn visit(sales: &Tickets, user: u32) {
    let category = ["stalls", "circle", "balcony"][user as usize % 3];
    let outcome =
        sales.reserve("s", format!("u{user}"), None, picked(category, user % 4 + 1)).await.expect("an outcome");
    let Outcome::Held(order) = outcome else { return };
    let order = order.order;
    match user % 5 {
        0 | 1 => _ = sales.pay("s", order, None).await.expect("an answer"),
        2 | 3 => _ = sales.cancel("s", order, String::new(), None).await.expect("an answer"),
        _ => {
            sales.pay("s", order.clone(), None).await.expect("an answer");
            sales.cancel("s", order, String::new(), None).await.expect("an answer");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_audit_holds_while_seats_move_the_ledger_lags_and_the_stream_is_trimmed() {
    const USERS: u32 = 4_000;
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let theatre = HallChoice::Hall(HallName::Theatre);
    app.tickets.open(Terms { hall: theatre, prices: BTreeMap::new(), ..terms("s", small()) }).await.expect("a sale");
    let sales = app.tickets.clone();
    let crowd = tokio::spawn(async move {
        for first in (0..USERS).step_by(50) {
            join_all((first..first + 50).map(|user| visit(&sales, user))).await;
            // Held orders become due now and then.
            sales.expire("s").await.expect("a sweep");
        }
    });
    let stop = CancellationToken::new();
    let writing = tokio::spawn(app.writer("one").run(stop.clone()));
    let (mut in_mid_run, mut from_both) = (0, 0);
    while !crowd.is_finished() {
        let audit = app.tickets.audit("s").await.expect("an audit");
        assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
        let (reported, written) = (figure(&audit, "events").0, figure(&audit, "ledger_rows").0);
        in_mid_run += u32::from(reported > 0);
        from_both += u32::from(written > 0);
    }
    crowd.await.expect("no panic");
    stop.cancel();
    writing.await.expect("no panic");
    assert!(in_mid_run >= 1 && from_both >= 1, "{in_mid_run} in mid run, {from_both} from ledger and stream");
    app.writer("the last").catch_up().await.expect("the ledger");
    let audit = app.tickets.audit("s").await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
    let account = app.ledger.sale("ticket", "s").await.expect("an answer").expect("the sale");
    let left: u64 = redis.raw().await.run("XLEN", key("s", "events")).await;
    assert!(left < account.position.entries, "all {left} entries are still there: nothing was trimmed");
    println!("{in_mid_run} in mid run, {from_both} from ledger and stream");
}
