//! The ledger of a ticket sale: one row for each change of each seat.

use super::{chosen, held, named, picked, small, terms};
use crate::support::{
    app::TestApp,
    proxy::FaultProxy,
    redis::TestRedis,
    sale::{START, clock},
};
use engine::ticket::scripts::{KIND, key};
use model::{
    error::Code,
    ledger::{Row, Search},
};

/// The rows of the sale "s", oldest first.
pub(super) async fn rows(app: &TestApp) -> Vec<Row> {
    let search = Search { sale: Some("s".to_owned()), ..Search::default() };
    let mut rows = app.ledger.rows(&search, 1_000_000, None).await.expect("the rows");
    rows.sort_by_key(|row| row.id);
    rows
}

/// A row in short: outcome, user, order, seat, cents, holder.
fn reported(rows: &[Row]) -> Vec<String> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    rows.iter()
        .map(|row| {
            let words = [
                row.outcome.clone(),
                text(&row.user),
                text(&row.order),
                text(&row.item),
                row.cents.to_string(),
                text(&row.holder),
            ];
            words.join(" ").trim_end().to_owned()
        })
        .collect()
}

#[tokio::test]
async fn every_change_of_every_seat_is_a_row() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let sales = &app.tickets;
    sales.open(terms("s", small())).await.expect("a sale");
    let ann = held(sales, "ann", named(chosen(&["A-01-02", "L-01-01"]), &["Ann", "小梅"])).await.order;
    let bob = held(sales, "bob", picked("far", 1)).await.order;
    let cid = held(sales, "cid", chosen(&["A-03-07"])).await.order;
    sales.pay("s", ann.clone(), None).await.expect("paid");
    sales.cancel("s", bob.clone(), String::new(), None).await.expect("cancelled");
    app.time.advance(60_000);
    sales.pay("s", cid.clone(), None).await.expect("refunded");
    assert_eq!(app.ledger_service.sweep().await, Ok(1));
    sales.cancel("s", ann.clone(), String::new(), None).await.expect("refunded");

    app.writer("one").catch_up().await.expect("the ledger");
    let rows = rows(&app).await;
    assert_eq!(
        reported(&rows),
        [
            // 18 seats for 500 and 16 for 300.
            "opened    13800".to_owned(),
            format!("held ann {ann} A-01-02 500 Ann"),
            format!("held ann {ann} L-01-01 300 小梅"),
            format!("held bob {bob} L-01-02 300"),
            format!("held cid {cid} A-03-07 500"),
            format!("paid ann {ann} A-01-02 500"),
            format!("paid ann {ann} L-01-01 300"),
            format!("cancelled bob {bob} L-01-02 300"),
            format!("late cid {cid}  500"),
            format!("expired cid {cid} A-03-07 500"),
            format!("refunded ann {ann} A-01-02 500"),
            format!("refunded ann {ann} L-01-01 300"),
        ]
    );
    for row in &rows {
        let of_payment = ["paid", "late"].contains(&row.outcome.as_str());
        // Sent without a request id, a payment goes by its order.
        assert!(!of_payment || row.request_id == row.order, "{row:?}");
        assert_eq!(row.request_id.is_some(), of_payment || row.outcome == "held", "{row:?}");
    }
    assert_eq!((rows[1].at, rows[8].at, rows[2].place), (START, START + 60_000, 1));
    let account = app.ledger.sale(KIND, "s").await.expect("an answer").expect("the sale");
    let kept: serde_json::Value = serde_json::from_str(&account.terms.expect("terms")).expect("JSON");
    assert_eq!(
        (&kept["prices"], &kept["limit"], &kept["hold_ms"], &kept["opened_at"]),
        (&serde_json::json!([500, 300]), &6.into(), &60_000.into(), &START.into())
    );
    assert_eq!(kept["hall"]["sections"][0]["rows"], serde_json::json!([5, 6, 7]));
}

/// The hall is needed to tell which seat it was. If Redis cannot provide it, no entry becomes a dead letter.
#[tokio::test]
async fn a_hall_that_is_out_of_reach_is_asked_for_again() {
    let redis = TestRedis::start().await;
    let wire = FaultProxy::before(&redis).await;
    let (app, writing) = (TestApp::on(&redis).await, TestApp::at(&redis, &wire.url, clock(), 2).await);
    app.tickets.open(terms("s", small())).await.expect("a sale");
    held(&app.tickets, "ann", picked("far", 1)).await;
    let mut writer = writing.writer("one");
    wire.cut();
    assert_eq!(writer.catch_up().await.expect_err("out of reach").code, Code::Unavailable);
    wire.heal();
    writer.catch_up().await.expect("the ledger");
    assert_eq!(rows(&app).await.len(), 2);
    assert!(app.ledger.dead_letters(None, None).await.expect("a list").is_empty());
}

/// Even if Redis has lost the hall: the ledger has it, or the sale's first event.
#[tokio::test]
async fn a_hall_that_redis_has_lost_is_read_from_the_ledger_or_the_first_event() {
    for is_in_ledger in [true, false] {
        let redis = TestRedis::start().await;
        let raw = redis.raw().await;
        let app = TestApp::on(&redis).await;
        app.tickets.open(terms("s", small())).await.expect("a sale");
        if is_in_ledger {
            let mut writer = app.writer("one");
            writer.catch_up().await.expect("the ledger");
            writer.give_up().await;
        }
        held(&app.tickets, "ann", picked("far", 1)).await;
        raw.run::<i64>("DEL", key("s", "meta")).await;
        let other = TestApp::at(&redis, &redis.url(), clock(), 2).await;
        other.writer("two").catch_up().await.expect("the ledger");
        assert_eq!(reported(&rows(&app).await).len(), 2, "{is_in_ledger}");
        assert!(app.ledger.dead_letters(None, None).await.expect("a list").is_empty());
    }
}
