//! The ledger compared with Redis: level with it, behind it or ahead of it, and corrupted on purpose in each way.

use super::Bench;
use crate::{
    support::{
        app::TestApp,
        ledger::sqlite,
        proxy::{FaultProxy, Hold},
        redis::TestRedis,
    },
    tickets::{held, picked, small, terms},
};
use engine::ticket::scripts::{KIND, key};
use futures::join;
use ledger::writer::Step;
use model::{Audit, Verdict};
use sqlx::AssertSqlSafe;
use std::time::Duration;

impl Bench {
    /// The same bench, with everything recorded in the ledger.
    async fn written() -> Self {
        let bench = Self::new().await;
        bench.app.writer("one").catch_up().await.expect("the ledger is written");
        bench
    }

    /// Changes the ledger directly: this number of rows.
    async fn change(&self, rows: u64, sql: &str) {
        let mut connection = sqlite(self.server.folder()).await;
        let changed = sqlx::query(AssertSqlSafe(sql)).execute(&mut connection).await.expect("a statement");
        assert_eq!(changed.rows_affected(), rows, "{sql}");
    }
}

pub(super) fn figure(audit: &Audit, name: &str) -> (i64, i64) {
    let found = audit.invariants.iter().find(|invariant| invariant.name == name).expect("an invariant");
    (found.expected, found.found)
}

#[tokio::test]
async fn the_audit_holds_with_the_ledger_behind_level_and_the_stream_gone() {
    let bench = Bench::new().await;
    let mut writer = bench.app.writer("one");
    writer.catch_up().await.expect("the ledger");
    let audit = bench.audit().await;
    assert_eq!((audit.verdict, figure(&audit, "ledger")), (Verdict::Holds, (5, 5)), "{audit:?}");
    // Held, paid and cancelled seats.
    assert_eq!(figure(&audit, "ledger_rows"), (9, 9));
    // Orders that the ledger knows change after it was written.
    bench.app.tickets.pay("s", bench.bob.clone(), None).await.expect("paid");
    bench.app.tickets.cancel("s", bench.ann.clone(), String::new(), None).await.expect("refunded");
    held(&bench.app.tickets, "dan", picked("near", 4)).await;
    let audit = bench.audit().await;
    assert_eq!((audit.verdict, figure(&audit, "ledger")), (Verdict::Holds, (5, 5)), "{audit:?}");
    writer.catch_up().await.expect("the ledger");
    bench.redis.run::<i64>("XTRIM", (key("s", "events"), "MAXLEN", 0)).await;
    let audit = bench.audit().await;
    assert_eq!((audit.verdict, figure(&audit, "ledger")), (Verdict::Holds, (9, 9)), "{audit:?}");
}

/// The stream is trimmed when an audit is about to read it; the ledger has the trimmed entries by then.
#[tokio::test]
async fn entries_trimmed_during_an_audit_are_read_from_the_ledger() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.tickets.open(terms("s", small())).await.expect("a sale");
    for round in 0..100 {
        let order = held(&app.tickets, &format!("u{round}"), picked("near", 2)).await.order;
        app.tickets.cancel("s", order, String::new(), None).await.expect("cancelled");
    }
    let mut writer = app.writer("w");
    assert!(matches!(writer.step(Duration::ZERO).await, Ok(Step::Wrote { entries: 64, .. })));
    let wire = FaultProxy::before(&redis).await;
    let auditor = TestApp::at(&redis, &wire.url, app.time.clone(), 2).await;
    wire.hold(Hold::Command, "XRANGE");
    let meanwhile = async {
        wire.holds().await;
        writer.catch_up().await.expect("the ledger");
        let left: i64 = redis.raw().await.run("XLEN", key("s", "events")).await;
        assert_eq!(left, 64, "the stream was trimmed");
        wire.heal();
    };
    let (audit, ()) = join!(auditor.tickets.audit("s"), meanwhile);
    let audit = audit.expect("an audit");
    assert_eq!((audit.verdict, figure(&audit, "events")), (Verdict::Holds, (200, 200)), "{audit:?}");
}

#[tokio::test]
async fn a_row_that_is_missing_leaves_a_half_done_order() {
    let bench = Bench::written().await;
    bench.change(1, "DELETE FROM history WHERE outcome = 'paid' AND item = 'A-01-02'").await;
    bench.assert_broken(&[("half_done", 0, 1), ("ledger_rows", 9, 8)]).await;
}

#[tokio::test]
async fn a_row_of_another_seat_is_lost_in_redis() {
    let bench = Bench::written().await;
    bench.change(1, "UPDATE history SET item = 'L-01-02' WHERE outcome = 'held' AND item = 'L-01-01'").await;
    bench
        .assert_broken(&[
            ("half_done", 0, 1),
            ("holders", 3, 1),
            ("lost", 0, 1),
            ("unexpected", 0, 1),
            ("ledger", 5, 4),
        ])
        .await;
}

#[tokio::test]
async fn a_ledger_that_knows_more_than_redis_is_ahead() {
    let bench = Bench::written().await;
    bench.change(1, "UPDATE sales SET applied_ms = applied_ms + 1000").await;
    bench
        .change(
            1,
            "INSERT INTO history SELECT event_ms + 1000, event_seq, sale_no, 0, at, kind, outcome, 'eve', 'r', 'A-02-01', 500,
             'o-eve', NULL, NULL, 0, NULL FROM history WHERE outcome = 'held' AND item = 'L-01-01'",
        )
        .await;
    let audit = bench.audit().await;
    assert_eq!((audit.verdict, figure(&audit, "ledger_ahead")), (Verdict::Broken, (0, 1)), "{audit:?}");
}

#[tokio::test]
async fn what_is_set_aside_and_what_redis_has_lost_is_named() {
    let bench = Bench::new().await;
    bench.forge("odd", [1]).await;
    bench.app.writer("one").catch_up().await.expect("the ledger");
    bench.assert_broken(&[("set_aside", 0, 1)]).await;
    bench.redis.run::<i64>("DEL", key("s", "meta")).await;
    bench.assert_broken(&[("in_redis", 1, 0)]).await;
    assert_eq!(bench.app.ledger_service.audit(KIND, "s").await.expect("an audit").verdict, Verdict::Broken);
}
