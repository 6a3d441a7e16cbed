//! The health that the header of every page shows: what is wrong with Redis and the ledger, and which sales need somebody.

use crate::support::{
    app::{Server, TestApp},
    redis::TestRedis,
};
use serde_json::{Value, json};

async fn post(server: &Server, path: &str, body: Value) -> Value {
    let (status, answer) = server.post(path, &body).await;
    assert_eq!(status, 200, "{path}: {answer}");
    answer
}

#[tokio::test]
async fn sales_that_need_somebody_are_listed_by_urgency_until_they_no_longer_do() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let health = async || {
        // An answer is at most two seconds old.
        server.app.time.advance(2_000);
        post(&server, "/api/health", json!({})).await
    };
    let first = health().await;
    assert_eq!(
        (&first["redis"], &first["ledger_answers"], &first["matters"]),
        (&json!("free"), &json!(true), &json!([]))
    );
    assert_eq!(first["writer"], Value::Null, "nobody writes the ledger yet");

    for (sale, quantity) in [("few", 10), ("gone", 5), ("lost", 5), ("many", 10), ("odd", 10)] {
        post(&server, "/api/stock/open", json!({ "id": sale, "quantity": quantity, "low_mark": 3 })).await;
    }
    for (sale, quantity) in [("few", 8), ("gone", 5)] {
        let deduction = json!({ "sale": sale, "user": "ann", "quantity": quantity, "request_id": sale });
        post(&server, "/api/stock/deduct", deduction).await;
    }
    let waiting = health().await;
    assert!(waiting["lag_events"].as_u64() >= Some(7), "five were opened, and two had deductions: {waiting}");
    let raw = redis.raw().await;
    let unknown = ("{stock:odd}:events", "*", "type", "stolen", "at", 1);
    raw.run::<String>("XADD", unknown).await;
    server.app.writer("one").catch_up().await.expect("the ledger");
    server.app.ledger_service.suspend("stock", "lost").await.expect("suspended");
    let robbed = post(&server, "/api/audit/now", json!({ "kind": "stock", "sale": "many" })).await;
    let broken = json!({
        "verdict": "broken", "invariants": robbed["invariants"], "event_id": robbed["event_id"], "at": robbed["at"],
        "reason": null,
    });
    raw.run::<i64>("HSET", ("stampede:audits", "stock:many", broken.to_string())).await;
    let found = health().await;
    let matter = |reason: &str, sale: &str, number: u64| json!({ "reason": reason, "subject": { "kind": "stock", "sale": sale }, "number": number });
    assert_eq!(
        found["matters"],
        json!([
            matter("broken", "many", 0),
            matter("suspended", "lost", 0),
            matter("dead_letters", "odd", 1),
            matter("sold_out", "gone", 0),
            matter("low", "few", 2),
        ])
    );
    assert_eq!(found["audits"]["broken"], 1);

    post(&server, "/api/stock/restock", json!({ "sale": "few", "quantity": 10 })).await;
    post(&server, "/api/sales/close", json!({ "kind": "stock", "sale": "gone" })).await;
    // All readers of a server get the same answer for a moment.
    assert_eq!(post(&server, "/api/health", json!({})).await, found);
    let left = [matter("broken", "many", 0), matter("suspended", "lost", 0), matter("dead_letters", "odd", 1)];
    assert_eq!(health().await["matters"], json!(left));
}
