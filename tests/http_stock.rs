//! The stock's JSON API over real HTTP: what every endpoint takes and gives, and what it says of bad input.

use crate::support::{
    app::{Server, TestApp, made_up_id},
    redis::TestRedis,
};
use serde_json::{Value, json};

async fn with_sale() -> (TestRedis, Server) {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let terms = json!({ "id": "s", "quantity": 10, "ttl_s": 60, "low_mark": 3 });
    for existed in [false, true] {
        let opened = json!({ "sale": "s", "existed": existed });
        assert_eq!(server.post("/api/stock/open", &terms).await, (200, opened), "and again, the same");
    }
    (redis, server)
}

async fn post(server: &Server, verb: &str, body: Value) -> Value {
    let (status, answer) = server.post(&format!("/api/stock/{verb}"), &body).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

#[tokio::test]
async fn every_endpoint_answers_as_it_is_described() {
    let (_redis, server) = with_sale().await;
    let first = json!({ "sale": "s", "user": "mei", "quantity": 2, "request_id": "1" });
    let won = json!({ "outcome": "won", "left": 8, "request_id": "1" });
    assert_eq!(post(&server, "deduct", first.clone()).await, won);
    let repeat = json!({ "outcome": "repeat", "left": 8, "state": "deducted", "request_id": "1" });
    assert_eq!(post(&server, "deduct", first).await, repeat);
    let refused = json!({ "sale": "s", "user": "li", "quantity": 9, "request_id": "3" });
    let not_enough = json!({ "outcome": "not_enough", "left": 8, "request_id": "3" });
    assert_eq!(post(&server, "deduct", refused).await, not_enough);
    let back = json!({ "sale": "s", "request_id": "1" });
    assert_eq!(
        post(&server, "give-back", back.clone()).await,
        json!({ "outcome": "returned", "user": "mei", "quantity": 2, "kept": 0, "request_id": "1" })
    );
    assert_eq!(post(&server, "give-back", back).await["outcome"], "repeat");
    let unknown = json!({ "sale": "s", "request_id": "2" });
    assert_eq!(post(&server, "give-back", unknown).await, json!({ "outcome": "unknown_request", "request_id": "2" }));
    assert_eq!(
        post(&server, "restock", json!({ "sale": "s", "quantity": 5, "request_id": "r" })).await,
        json!({ "outcome": "restocked", "left": 15, "change": 5, "request_id": "r" })
    );
    assert_eq!(
        post(&server, "correct", json!({ "sale": "s", "counted": 0, "expected": 1, "request_id": "c" })).await,
        json!({ "outcome": "corrected", "left": 14, "change": -1, "request_id": "c" })
    );
    assert_eq!(
        post(&server, "correct", json!({ "sale": "s", "counted": 0, "expected": 99, "request_id": "d" })).await,
        json!({ "outcome": "not_enough", "left": 14, "request_id": "d" })
    );
    let snapshot = post(&server, "snapshot", json!({ "sale": "s" })).await;
    assert_eq!(
        (&snapshot["cached"], &snapshot["ledger"], &snapshot["pending"], &snapshot["rebuilds"]),
        (&json!(14), &json!(0), &json!(14), &json!(1))
    );
    assert!(snapshot["ttl_ms"].as_u64().is_some_and(|ms| (1..=60_000).contains(&ms)), "{snapshot}");
    assert_eq!(post(&server, "expire", json!({ "sale": "s" })).await, json!({ "outcome": "expired" }));
    let snapshot = post(&server, "snapshot", json!({ "sale": "s" })).await;
    assert_eq!((&snapshot["cached"], &snapshot["ttl_ms"]), (&json!(null), &json!(null)));
    assert_eq!(post(&server, "expire", json!({ "sale": "s" })).await, json!({ "outcome": "not_cached" }));
    let pause = json!({ "sale": "s", "seconds": 5 });
    assert_eq!(post(&server, "pause", pause).await, json!({ "outcome": "paused", "seconds": 5 }));
    assert_eq!(post(&server, "pause", json!({ "sale": "s", "seconds": 0 })).await, json!({ "outcome": "resumed" }));
    assert_eq!(post(&server, "audit", json!({ "sale": "s" })).await["verdict"], "holds");
    assert_eq!(post(&server, "script", json!({})).await["name"], "stock/deduct.lua");
}

#[tokio::test]
async fn a_reservation_is_confirmed_and_comes_back_in_parts() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let terms = json!({ "id": "s", "quantity": 10, "limit_per_user": 3, "hold_s": 60 });
    assert_eq!(post(&server, "open", terms).await["existed"], false);
    let deduct = json!({ "sale": "s", "user": "mei", "quantity": 3, "request_id": "1" });
    let held = post(&server, "deduct", deduct.clone()).await;
    assert_eq!((&held["outcome"], &held["left"], &held["request_id"]), (&json!("held"), &json!(7), &json!("1")));
    let repeat = post(&server, "deduct", deduct).await;
    assert_eq!((&repeat["state"], &repeat["due"]), (&json!("held"), &held["due"]));
    let more = json!({ "sale": "s", "user": "mei", "quantity": 1, "request_id": "2" });
    let refused = json!({ "outcome": "limit_reached", "left": 0, "request_id": "2" });
    assert_eq!(post(&server, "deduct", more).await, refused);
    let part = json!({ "sale": "s", "request_id": "1", "quantity": 1, "return_id": "a" });
    for outcome in ["returned", "repeat"] {
        assert_eq!(
            post(&server, "give-back", part.clone()).await,
            json!({ "outcome": outcome, "user": "mei", "quantity": 1, "kept": 2, "request_id": "1" })
        );
    }
    for outcome in ["confirmed", "repeat"] {
        assert_eq!(
            post(&server, "confirm", json!({ "sale": "s", "request_id": "1" })).await,
            json!({ "outcome": outcome, "user": "mei", "quantity": 2, "request_id": "1" })
        );
    }
    let snapshot = post(&server, "snapshot", json!({ "sale": "s" })).await;
    assert_eq!(
        (&snapshot["limit_per_user"], &snapshot["hold_s"], &snapshot["held"], &snapshot["units"]["confirmed"]),
        (&json!(3), &json!(60), &json!(0), &json!(2))
    );
}

#[tokio::test]
async fn a_deduction_that_is_sent_again_says_whether_it_was_given_back() {
    let (_redis, server) = with_sale().await;
    let deduction = json!({ "sale": "s", "user": "mei", "quantity": 2, "request_id": "1" });
    let state = async || {
        let answer = post(&server, "deduct", deduction.clone()).await;
        (answer["outcome"].clone(), answer["left"].clone(), answer["state"].clone())
    };
    assert_eq!(state().await, (json!("won"), json!(8), json!(null)));
    assert_eq!(state().await, (json!("repeat"), json!(8), json!("deducted")));
    post(&server, "give-back", json!({ "sale": "s", "request_id": "1" })).await;
    assert_eq!(state().await, (json!("repeat"), json!(8), json!("returned")));
}

/// Nobody else could name it.
#[tokio::test]
async fn an_attempt_without_a_request_id_is_repeated_and_given_back_by_the_id_in_its_answer() {
    let (_redis, server) = with_sale().await;
    let deduction = json!({ "sale": "s", "user": "mei", "quantity": 2 });
    let mut won = post(&server, "deduct", deduction.clone()).await;
    let id = made_up_id(&mut won);
    assert_eq!(won, json!({ "outcome": "won", "left": 8 }));
    let mut again = deduction.clone();
    again["request_id"] = json!(id);
    assert_eq!(post(&server, "deduct", again).await["outcome"], "repeat");
    let given = post(&server, "give-back", json!({ "sale": "s", "request_id": id })).await;
    assert_eq!(given["outcome"], "returned");
    let mut other = post(&server, "deduct", deduction).await;
    assert_ne!(made_up_id(&mut other), id, "another attempt");
    let restock = json!({ "sale": "s", "quantity": 5 });
    let mut restocked = post(&server, "restock", restock.clone()).await;
    let mut again = restock;
    again["request_id"] = json!(made_up_id(&mut restocked));
    assert_eq!(post(&server, "restock", again).await["outcome"], "repeat");
}

#[tokio::test]
async fn bad_input_is_a_400_that_names_the_field() {
    let (_redis, server) = with_sale().await;
    let bad = [
        ("open", json!({ "quantity": 0 }), "quantity"),
        ("open", json!({ "quantity": -1 }), "quantity"),
        ("open", json!({ "quantity": 1_000_001 }), "quantity"),
        ("open", json!({}), "quantity"),
        ("open", json!({ "quantity": 1, "ttl_s": 0 }), "ttl_s"),
        ("open", json!({ "quantity": 1, "ttl_s": "long" }), "ttl_s"),
        ("open", json!({ "quantity": 1, "low_mark": 0 }), "low_mark"),
        ("open", json!({ "quantity": 1, "low_mark": 1_000_001 }), "low_mark"),
        ("open", json!({ "quantity": 1, "limit_per_user": 0 }), "limit_per_user"),
        ("open", json!({ "quantity": 1, "hold_s": 604_801 }), "hold_s"),
        ("deduct", json!({ "sale": "s", "user": "mei", "quantity": 0 }), "quantity"),
        ("deduct", json!({ "sale": "s", "user": "mei", "quantity": -2 }), "quantity"),
        ("deduct", json!({ "sale": "s", "user": "mei", "quantity": 1.5 }), "quantity"),
        ("deduct", json!({ "sale": "s", "user": "mei", "quantity": 1_000_001 }), "quantity"),
        ("deduct", json!({ "sale": "s", "user": "", "quantity": 1 }), "user"),
        ("deduct", json!({ "sale": "s", "user": "mei", "quantity": 1, "request_id": "" }), "request_id"),
        ("give-back", json!({ "sale": "s", "request_id": "" }), "request_id"),
        ("give-back", json!({ "sale": "s", "request_id": "1", "quantity": 0 }), "quantity"),
        ("give-back", json!({ "sale": "s", "request_id": "1", "return_id": "" }), "return_id"),
        ("give-back", json!({ "sale": "s", "request_id": "1", "reason": " " }), "reason"),
        ("confirm", json!({ "sale": "s", "request_id": "" }), "request_id"),
        ("confirm", json!({ "sale": "s", "request_id": "1", "reason": "\u{7}" }), "reason"),
        ("restock", json!({ "sale": "s", "quantity": 0 }), "quantity"),
        ("restock", json!({ "sale": "s", "quantity": 1_000_001 }), "quantity"),
        ("correct", json!({ "sale": "s", "counted": -1 }), "counted"),
        ("correct", json!({ "sale": "s", "counted": 1_000_000_000_001_u64 }), "counted"),
        ("correct", json!({ "sale": "s", "counted": 1, "expected": 1_000_000_000_000_001_u64 }), "expected"),
        ("pause", json!({ "sale": "s", "seconds": 61 }), "seconds"),
    ];
    for (verb, body, field) in bad {
        let (status, answer) = server.post(&format!("/api/stock/{verb}"), &body).await;
        let error = &answer["error"];
        assert_eq!((status, &error["code"]), (400, &json!("bad_request")), "{verb} {body}: {answer}");
        assert_eq!(error["field"], field, "{verb} {body}: {answer}");
    }
    for (verb, body) in [
        ("deduct", json!({ "sale": "nope", "user": "mei", "quantity": 1 })),
        ("give-back", json!({ "sale": "nope", "request_id": "1" })),
        ("confirm", json!({ "sale": "nope", "request_id": "1" })),
        ("restock", json!({ "sale": "nope", "quantity": 1 })),
        ("correct", json!({ "sale": "nope", "counted": 1 })),
        ("expire", json!({ "sale": "nope" })),
        ("pause", json!({ "sale": "nope" })),
        ("snapshot", json!({ "sale": "nope" })),
    ] {
        let (status, answer) = server.post(&format!("/api/stock/{verb}"), &body).await;
        assert_eq!((status, &answer["error"]["code"]), (404, &json!("unknown_sale")), "{verb}: {answer}");
    }
    let attempt = |quantity| json!({ "sale": "s", "user": "mei", "quantity": quantity, "request_id": "1" });
    server.post("/api/stock/deduct", &attempt(1)).await;
    let reused = server.post("/api/stock/deduct", &attempt(2)).await;
    assert_eq!((reused.0, &reused.1["error"]["code"]), (409, &json!("request_reused")));
}

#[tokio::test]
async fn items_of_a_group_are_got_confirmed_and_given_back_together() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    for (id, quantity) in [("tee", 10), ("cap", 2)] {
        let terms = json!({ "id": id, "quantity": quantity, "group": "summer", "hold_s": 60 });
        assert_eq!(post(&server, "open", terms).await["existed"], false);
    }
    let snapshot = post(&server, "snapshot", json!({ "sale": "tee" })).await;
    assert_eq!(snapshot["group"], json!({ "id": "summer", "others": ["cap"] }));
    let items = json!([{ "sale": "tee", "quantity": 2 }, { "sale": "cap", "quantity": 1 }]);
    let order = json!({ "user": "mei", "items": items, "request_id": "1" });
    let won = post(&server, "deduct", order.clone()).await;
    assert_eq!(
        (&won["outcome"], &won["items"][1]["left"], &won["items"][1]["state"]),
        (&json!("won"), &json!(1), &json!("held"))
    );
    assert_eq!(post(&server, "deduct", order).await["outcome"], "repeat");
    let items = json!([{ "sale": "tee", "quantity": 1 }, { "sale": "cap", "quantity": 2 }]);
    assert_eq!(
        post(&server, "deduct", json!({ "user": "li", "items": items, "request_id": "2" })).await,
        json!({ "outcome": "not_enough", "refused_by": "cap", "left": 1, "request_id": "2" })
    );
    let of_order = json!({ "sales": ["tee", "cap"], "request_id": "1" });
    let kept = json!([{ "sale": "tee", "quantity": 2 }, { "sale": "cap", "quantity": 1 }]);
    for outcome in ["confirmed", "repeat"] {
        assert_eq!(
            post(&server, "confirm", of_order.clone()).await,
            json!({ "outcome": outcome, "user": "mei", "items": kept, "request_id": "1" })
        );
    }
    assert_eq!(
        post(&server, "give-back", of_order.clone()).await,
        json!({ "outcome": "returned", "user": "mei", "items": kept, "request_id": "1" })
    );
    assert_eq!(
        post(&server, "confirm", of_order).await,
        json!({ "outcome": "returned", "refused_by": "tee", "user": "mei", "request_id": "1" })
    );
    assert_eq!(
        post(&server, "give-back", json!({ "sales": ["tee", "cap"], "request_id": "9" })).await,
        json!({ "outcome": "unknown_request", "refused_by": "tee", "request_id": "9" })
    );
}

#[tokio::test]
async fn a_request_about_one_sale_and_several_is_refused_by_its_field() {
    let (_redis, server) = with_sale().await;
    let (one, two) = (
        json!([{ "sale": "s", "quantity": 1 }]),
        json!([{ "sale": "s", "quantity": 1 }, { "sale": "t", "quantity": 1 }]),
    );
    for (verb, request, field) in [
        ("deduct", json!({ "user": "mei" }), "sale"),
        ("deduct", json!({ "user": "mei", "sale": "s" }), "quantity"),
        ("deduct", json!({ "user": "mei", "quantity": 1 }), "sale"),
        ("deduct", json!({ "user": "mei", "sale": "s", "quantity": 1, "items": two }), "items"),
        ("deduct", json!({ "user": "mei", "items": one }), "items"),
        ("deduct", json!({ "user": "mei", "items": [] }), "items"),
        ("give-back", json!({ "request_id": "1" }), "sale"),
        ("give-back", json!({ "sale": "s", "sales": ["s", "t"], "request_id": "1" }), "sales"),
        ("give-back", json!({ "sales": ["s", "t"], "request_id": "1", "quantity": 1 }), "quantity"),
        ("give-back", json!({ "sales": ["s", "t"], "request_id": "1", "reason": " " }), "reason"),
        ("confirm", json!({ "sales": ["s", "t"], "request_id": "1", "reason": "\u{7}" }), "reason"),
        ("confirm", json!({ "request_id": "1" }), "sale"),
        ("confirm", json!({ "sales": ["s"], "request_id": "1" }), "sales"),
        ("confirm", json!({ "sales": ["s", "s"], "request_id": "1" }), "sales[1]"),
        ("open", json!({ "id": "t", "quantity": 1, "group": ".." }), "group"),
    ] {
        let (status, answer) = server.post(&format!("/api/stock/{verb}"), &request).await;
        assert_eq!((status, answer["error"]["field"].as_str()), (400, Some(field)), "{request}: {answer}");
    }
    // Of a sale without a group.
    let terms = json!({ "id": "t", "quantity": 10 });
    assert_eq!(post(&server, "open", terms).await["existed"], false);
    let (status, answer) = server.post("/api/stock/deduct", &json!({ "user": "mei", "items": two })).await;
    assert_eq!((status, answer["error"]["field"].as_str()), (400, Some("items")), "{answer}");
    assert_eq!(post(&server, "snapshot", json!({ "sale": "s" })).await["outcomes"]["won"], 0);
}
