//! The ledger compared with Redis: level with it, behind it or ahead of it, and corrupted on purpose in each way.

use super::Bench;
use crate::support::{
    app::TestApp,
    ledger::sqlite,
    postgres::Postgres,
    proxy::{FaultProxy, Hold},
    redis::TestRedis,
    sale::{self, audit_keys, claim, clock, terms},
};
use engine::red_packet::scripts::key;
use ledger::{
    database::{Ledger, Place},
    writer::{Step, Writer},
};
use model::{Audit, Verdict, ledger::VerdictCounts};
use sqlx::AssertSqlSafe;
use std::time::Duration;

impl Bench {
    fn writer(&self) -> Writer {
        self.app.writer("one")
    }

    /// The same bench, with everything recorded in the ledger.
    async fn written() -> Self {
        let bench = Self::new().await;
        bench.follow().await;
        bench.writer().catch_up().await.expect("the ledger is written");
        bench
    }

    async fn follow(&self) {
        self.redis.run::<i64>("ZADD", ("stampede:sales", 1, "red_packet:s")).await;
    }

    /// Changes the ledger directly: one row.
    async fn change(&self, sql: &str) {
        let mut connection = sqlite(self.server.folder()).await;
        let changed = sqlx::query(AssertSqlSafe(sql)).execute(&mut connection).await.expect("a statement");
        assert_eq!(changed.rows_affected(), 1, "{sql}");
    }
}

pub(super) fn figure(audit: &Audit, name: &str) -> (i64, i64) {
    let found = audit.invariants.iter().find(|invariant| invariant.name == name).expect("an invariant");
    (found.expected, found.found)
}

#[tokio::test]
async fn the_audit_holds_with_the_ledger_behind_level_and_the_stream_trimmed() {
    let bench = Bench::new().await;
    bench.app.red_packet.open(terms("t", 5_000, 300)).await.expect("a sale");
    let claims = async |users: std::ops::Range<u32>| {
        for user in users {
            claim(&bench.redis, "t", &[&format!("u{user}")]).await;
        }
    };
    // Claims by the events, wins in the ledger, and the ledger's own counter.
    let figures = async || {
        let audit = bench.app.red_packet.audit("t").await.expect("an audit");
        assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
        let [events, ledger, rows] = ["events", "ledger", "ledger_rows"].map(|name| figure(&audit, name));
        (events.0, ledger.0, rows.0)
    };
    claims(0..150).await;
    assert_eq!(figures().await, (150, 0, 0));
    let mut writer = bench.writer();
    assert_eq!(writer.step(Duration::ZERO).await, Ok(Step::Wrote { entries: 64, rows: 64 }));
    assert_eq!(figures().await, (150, 63, 63), "one of the 64 is the opening");
    writer.catch_up().await.expect("the ledger is written");
    assert_eq!(sale::stored(&bench.redis, "t").await.events.len(), 64, "the ledger alone knows the first");
    assert_eq!(figures().await, (150, 150, 150));
    claims(150..170).await;
    assert_eq!(figures().await, (170, 150, 150));
    writer.catch_up().await.expect("the ledger is written");
    claims(170..300).await;
    bench.app.time.advance(sale::LIFE_S * 1_000);
    bench.app.red_packet.refund("t").await.expect("a refund");
    assert_eq!(figures().await, (300, 170, 170));
    writer.catch_up().await.expect("the ledger is written");
    assert_eq!(figures().await, (300, 300, 300));
}

#[tokio::test]
async fn a_refund_that_only_the_ledger_still_has_is_counted() {
    let bench = Bench::written().await;
    bench.app.time.advance(sale::LIFE_S * 1_000);
    bench.app.red_packet.refund("s").await.expect("a refund");
    bench.writer().catch_up().await.expect("the ledger is written");
    bench.redis.run::<i64>("XTRIM", (key("s", "events"), "MAXLEN", 0)).await;
    let audit = bench.audit().await;
    assert_eq!((audit.verdict, figure(&audit, "money")), (Verdict::Holds, (15, 15)), "{audit:?}");
    bench.change("UPDATE history SET cents = 5 WHERE outcome = 'refunded'").await;
    bench.assert_broken(&[("money", 15, 14)]).await;
}

#[tokio::test]
async fn a_row_that_vanished_from_the_ledger_is_missing_everywhere() {
    let bench = Bench::written().await;
    bench.change("DELETE FROM history WHERE user_id = 'ann'").await;
    bench
        .assert_broken(&[
            ("money", 15, 10),
            ("events", 2, 1),
            ("claimed_cents", 9, 4),
            ("unexpected", 0, 1),
            ("ledger_rows", 2, 1),
        ])
        .await;
}

#[tokio::test]
async fn a_forged_row_is_a_lost_packet_that_is_doubled() {
    let bench = Bench::written().await;
    bench
        .change(
            "INSERT INTO history SELECT event_ms, event_seq, sale_no, 9, at, kind, outcome, 'eve', 'r', '3', 3, NULL, NULL, NULL, 0, NULL
            FROM history WHERE user_id = 'ann'",
        )
        .await;
    bench
        .assert_broken(&[
            ("events", 2, 3),
            ("claimed_cents", 9, 12),
            ("doubled", 0, 1),
            ("lost", 0, 1),
            ("ledger", 3, 2),
            ("ledger_cents", 12, 9),
            ("ledger_rows", 2, 3),
        ])
        .await;
}

#[tokio::test]
async fn a_row_with_another_user_is_lost_and_unexpected() {
    let bench = Bench::written().await;
    bench.change("UPDATE history SET user_id = 'eve' WHERE user_id = 'bob'").await;
    bench.assert_broken(&[("lost", 0, 1), ("unexpected", 0, 1), ("ledger", 2, 1), ("ledger_cents", 9, 5)]).await;
}

#[tokio::test]
async fn a_row_with_another_packet_is_lost_and_unexpected() {
    let bench = Bench::written().await;
    bench.change("UPDATE history SET item = '3' WHERE user_id = 'bob'").await;
    bench
        .assert_broken(&[
            ("money", 15, 12),
            ("doubled", 0, 1),
            ("lost", 0, 1),
            ("unexpected", 0, 1),
            ("ledger", 2, 1),
            ("ledger_cents", 9, 5),
        ])
        .await;
}

#[tokio::test]
async fn a_row_with_other_cents_is_lost_and_unexpected() {
    let bench = Bench::written().await;
    bench.change("UPDATE history SET cents = 400 WHERE user_id = 'bob'").await;
    bench
        .assert_broken(&[
            ("money", 15, 411),
            ("claimed_cents", 9, 405),
            ("lost", 0, 1),
            ("unexpected", 0, 1),
            ("ledger", 2, 1),
            ("ledger_cents", 405, 5),
        ])
        .await;
}

#[tokio::test]
async fn a_tally_that_contradicts_the_rows_is_broken() {
    let bench = Bench::written().await;
    bench.change("UPDATE tallies SET lines = 3 WHERE outcome = 'won' AND sale_no = 1").await;
    bench.assert_broken(&[("ledger_rows", 3, 2)]).await;
}

#[tokio::test]
async fn a_claimant_whom_the_ledger_knows_and_redis_has_lost_is_missing() {
    let bench = Bench::written().await;
    bench.redis.run::<i64>("HDEL", (key("s", "claimants"), "bob")).await;
    bench.assert_broken(&[("packets", 5, 4), ("lost", 0, 1), ("ledger", 2, 1), ("ledger_cents", 9, 5)]).await;
}

#[tokio::test]
async fn an_entry_that_is_set_aside_is_named() {
    let bench = Bench::written().await;
    let forged = (key("s", "events"), "*", "type", "stolen", "at", 1);
    bench.redis.run::<String>("XADD", forged).await;
    bench.writer().catch_up().await.expect("the ledger is written");
    bench.assert_broken(&[("set_aside", 0, 1)]).await;
}

#[tokio::test]
async fn a_sale_that_is_in_the_ledger_but_not_in_redis_is_reported() {
    let bench = Bench::written().await;
    let mut lose = store::command("DEL");
    lose.arg(audit_keys("s"));
    bench.redis.send::<i64>(&lose).await;
    bench.assert_broken(&[("in_redis", 1, 0)]).await;
    let audit = bench.audit().await;
    assert_eq!(audit.invariants.len(), 1, "there is nothing else to look at");
    let account = bench.app.ledger.sale("red_packet", "s").await.expect("an answer").expect("the sale");
    assert_eq!(audit.event_id, account.position.event_id);
}

/// Redis comes back as it was before its last claims, which the ledger has.
#[tokio::test]
async fn a_win_that_the_ledger_has_and_redis_has_lost_is_ahead() {
    let bench = Bench::written().await;
    let before = bench.redis.dump(&key("s", "*")).await;
    claim(&bench.redis, "s", &["cid", "dan"]).await;
    bench.writer().catch_up().await.expect("the ledger is written");
    bench.redis.restore(before).await;
    bench.assert_broken(&[("ledger_ahead", 0, 2)]).await;
}

#[tokio::test]
async fn a_ledger_out_of_reach_is_unknown_with_a_reason() {
    let mut postgres = Postgres::start();
    let server = TestRedis::start().await;
    let ledger = Ledger::connect(Place::Url(&postgres.url())).await.expect("a ledger");
    let app = TestApp::with(&server.url(), ledger, clock(), 1, 10_000).await;
    app.red_packet.open(terms("s", 100, 5)).await.expect("a sale");
    app.writer("one").catch_up().await.expect("the ledger is written");
    assert_eq!(app.red_packet.audit("s").await.expect("an audit").verdict, Verdict::Holds);
    postgres.stop();
    let audit = app.red_packet.audit("s").await.expect("an audit");
    assert_eq!((audit.verdict, audit.invariants.len()), (Verdict::Unknown, 0));
    assert!(audit.reason.expect("a reason").contains("The ledger did not answer"));
}

/// Every sale counts, and a broken one is on the first page, however old it is.
#[tokio::test]
async fn the_board_counts_all_sales_and_its_pages_lead_to_the_oldest() {
    let server = TestRedis::start().await;
    let app = TestApp::on(&server).await;
    for nth in 0..55 {
        app.red_packet.open(terms(&format!("s{nth:02}"), 100, 5)).await.expect("a sale");
        app.time.advance(1);
    }
    server.raw().await.run::<i64>("HINCRBY", (key("s00", "stats"), "won", 1)).await;
    for sale in ["s00", "s54"] {
        app.ledger_service.audit("red_packet", sale).await.expect("an audit");
    }
    let first = app.ledger_service.board(0).await.expect("a board");
    assert_eq!(first.counts, VerdictCounts { holds: 1, broken: 1, unknown: 0, not_audited: 53 });
    assert_eq!((first.sales[0].status.sale.as_str(), first.sales.len(), first.next), ("s00", 51, Some(50)));
    let second = app.ledger_service.board(50).await.expect("a board");
    let sales: Vec<_> = second.sales.iter().map(|audited| audited.status.sale.as_str()).collect();
    assert_eq!((sales, second.next), (vec!["s00", "s04", "s03", "s02", "s01"], None));
    assert_eq!(second.counts, first.counts);
}

/// The board keeps the last audit of each sale: broken first, then unknown, then the newest.
#[tokio::test]
async fn the_board_shows_what_is_broken_first() {
    let server = TestRedis::start().await;
    let app = TestApp::on(&server).await;
    for sale in ["a", "b", "c", "d"] {
        app.red_packet.open(terms(sale, 100, 5)).await.expect("a sale");
        app.time.advance(1);
    }
    let redis = server.raw().await;
    redis.run::<i64>("HINCRBY", (key("b", "stats"), "won", 1)).await;
    for sale in ["a", "b", "c"] {
        app.ledger_service.audit("red_packet", sale).await.expect("an audit");
    }
    let unknown = serde_json::to_string(&Audit::unknown("nobody could look", 1)).expect("JSON");
    redis.run::<i64>("HSET", ("stampede:audits", "red_packet:a", unknown)).await;
    let board = app.ledger_service.board(0).await.expect("a board").sales;
    let lines: Vec<_> =
        board.iter().map(|line| (line.status.sale.as_str(), line.audit.as_ref().map(|audit| audit.verdict))).collect();
    let (broken, holds) = (Some(Verdict::Broken), Some(Verdict::Holds));
    assert_eq!(lines, [("b", broken), ("a", Some(Verdict::Unknown)), ("d", None), ("c", holds)]);
}

/// A process may be stopped before it stores what it has found, and go on later.
#[tokio::test]
async fn a_late_audit_replaces_no_newer_one_on_the_board() {
    let server = TestRedis::start().await;
    let (app, wire, redis) = (TestApp::on(&server).await, FaultProxy::before(&server).await, server.raw().await);
    let late = TestApp::at(&server, &wire.url, app.time.clone(), 2).await;
    app.red_packet.open(terms("s", 100, 5)).await.expect("a sale");
    for is_same_event in [false, true] {
        // Only what stores an audit has one in it.
        wire.hold(Hold::Command, r#""verdict""#);
        let audit = late.ledger_service.audit("red_packet", "s");
        let (late, newer) = futures::join!(audit, async {
            wire.holds().await;
            app.time.advance(1);
            if is_same_event {
                redis.run::<i64>("HINCRBY", (key("s", "stats"), "won", 1)).await;
            } else {
                app.red_packet.claim("s", "ann".into(), None).await.expect("an outcome");
            }
            let newer = app.ledger_service.audit("red_packet", "s").await.expect("an audit");
            wire.heal();
            newer
        });
        let late = late.expect("an audit");
        assert_eq!(late.event_id == newer.event_id, is_same_event);
        assert_ne!(late, newer);
        assert_eq!(app.ledger_service.last_audit("red_packet", "s").await, Ok(Some(newer)));
    }
}
