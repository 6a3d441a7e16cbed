//! The reasons that operators give for what they do to orders.

use super::{chosen, held, small, terms};
use crate::support::{
    app::TestApp,
    redis::{Raw, TestRedis},
};
use engine::ticket::scripts::{KIND, key};
use futures::future::join_all;
use ledger::kind::DeadLetters;
use model::{
    Verdict,
    error::Code,
    ledger::Search,
    ticket::{Cancelled, Extended, Terms},
};

async fn with_sale() -> (TestRedis, Raw, TestApp) {
    let redis = TestRedis::start().await;
    let (raw, app) = (redis.raw().await, TestApp::on(&redis).await);
    app.tickets.open(Terms { extendable: true, ..terms("s", small()) }).await.expect("a sale");
    (redis, raw, app)
}

fn text(text: &str) -> String {
    text.to_owned()
}

/// The rows of an order that have a reason, in short and oldest first: outcome, seat, reason.
async fn reasons(app: &TestApp, order: &str) -> Vec<String> {
    let search = Search { sale: Some(text("s")), order: Some(text(order)), ..Search::default() };
    let mut rows = app.ledger.rows(&search, 100, None).await.expect("the rows");
    rows.sort_by_key(|row| row.id);
    let short = |row: &model::ledger::Row| {
        let reason = row.reason.as_ref()?;
        Some(format!("{} {} {reason}", row.outcome, row.item.as_deref().unwrap_or("-")))
    };
    rows.iter().filter_map(short).collect()
}

/// The reasons in the newest event; `None` if it has no such field.
async fn in_newest_event(raw: &Raw) -> Option<Vec<String>> {
    let mut last = store::command("XREVRANGE");
    last.arg((key("s", "events"), "+", "-", "COUNT", 1));
    let entries: Vec<(String, Vec<Vec<u8>>)> = raw.send(&last).await;
    let field = entries[0].1.chunks_exact(2).find(|field| field[0] == b"reasons")?;
    Some(rmp_serde::from_slice(&field[1]).expect("a list"))
}

#[tokio::test]
async fn a_reason_is_in_the_rows_of_the_change_that_was_made_and_outlives_a_recovery() {
    let (redis, raw, app) = with_sale().await;
    let sales = &app.tickets;
    let order = held(sales, "ann", chosen(&["A-01-01", "A-01-02", "A-01-03"])).await.order;
    let request = |name: &str| Some(text(name));
    let extended = sales.extend("s", order.clone(), text("On the phone"), request("e-1")).await;
    assert!(matches!(extended, Ok(Extended::Extended(_))), "{extended:?}");
    assert_eq!(in_newest_event(&raw).await, Some(vec![text("On the phone")]));
    let seats = vec![text("A-01-02")];
    let part = sales.cancel_part("s", order.clone(), seats.clone(), text("A friend is ill"), request("c-1")).await;
    assert!(matches!(part, Ok(Cancelled::Cancelled(_))), "{part:?}");
    // What is repeated changes nothing, its reason included.
    let again = sales.extend("s", order.clone(), text("Another"), request("e-1")).await;
    assert!(matches!(again, Ok(Extended::Repeat(_))), "{again:?}");
    let again = sales.cancel_part("s", order.clone(), seats, text("Another"), request("c-1")).await;
    assert!(matches!(again, Ok(Cancelled::Repeat(_))), "{again:?}");
    let whole = sales.cancel("s", order.clone(), text("雨天"), None).await;
    assert!(matches!(whole, Ok(Cancelled::Cancelled(_))), "{whole:?}");
    let again = sales.cancel("s", order.clone(), text("Another"), None).await;
    assert!(matches!(again, Ok(Cancelled::Repeat(_))), "{again:?}");
    app.writer("one").catch_up().await.expect("the ledger");
    let expected = [
        "extended - On the phone",
        "cancelled A-01-02 A friend is ill",
        "cancelled A-01-01 雨天",
        "cancelled A-01-03 雨天",
    ];
    assert_eq!(reasons(&app, &order).await, expected);

    raw.run::<()>("FLUSHALL", "SYNC").await;
    let app = TestApp::at(&redis, &redis.url(), app.time.clone(), 2).await;
    app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!(reasons(&app, &order).await, expected);
    let audit = app.tickets.audit("s").await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
}

/// One event may have the changes of many orders.
#[tokio::test]
async fn a_reason_belongs_to_its_order_alone() {
    let (_redis, raw, app) = with_sale().await;
    let sales = &app.tickets;
    let mut orders = Vec::new();
    for (user, seat) in [("ann", "A-01-01"), ("bob", "A-01-02"), ("cid", "A-01-03"), ("dan", "A-01-04")] {
        orders.push(held(sales, user, chosen(&[seat])).await.order);
    }
    // The first leaves at once, and the others leave together once it is back.
    let whys = ["", "", "Double booking", ""];
    let cancelled = orders.iter().zip(whys).map(|(order, why)| sales.cancel("s", order.clone(), text(why), None));
    for answer in join_all(cancelled).await {
        assert!(matches!(answer, Ok(Cancelled::Cancelled(_))), "{answer:?}");
    }
    app.writer("one").catch_up().await.expect("the ledger");
    for (order, expected) in orders.iter().zip([&[][..], &[], &["cancelled A-01-03 Double booking"], &[]]) {
        assert_eq!(reasons(&app, order).await, expected);
    }
    let last = held(sales, "eve", chosen(&["A-01-01"])).await.order;
    sales.cancel("s", last, String::new(), None).await.expect("cancelled");
    assert_eq!(in_newest_event(&raw).await, None, "an event without reasons is as before");
}

#[tokio::test]
async fn a_reason_that_breaks_a_limit_changes_nothing() {
    let (_redis, _, app) = with_sale().await;
    let sales = &app.tickets;
    let order = held(sales, "ann", chosen(&["A-01-01", "A-01-02"])).await;
    for reason in ["\u{7}".to_owned(), " ".to_owned(), "a\nb".to_owned(), "点".repeat(201)] {
        let id = || order.order.clone();
        let errors = [
            sales.cancel("s", id(), reason.clone(), None).await.expect_err("refused"),
            sales.cancel_part("s", id(), vec![text("A-01-01")], reason.clone(), None).await.expect_err("refused"),
            sales.extend("s", id(), reason.clone(), None).await.expect_err("refused"),
        ];
        for error in errors {
            assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some("reason")), "{}", error.message);
        }
    }
    assert_eq!(sales.order("s", &order.order).await, Ok(order.clone()));
    let longest = "点".repeat(200);
    assert!(matches!(sales.cancel("s", order.order, longest, None).await, Ok(Cancelled::Cancelled(_))));
}
