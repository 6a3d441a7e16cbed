//! The tickets' JSON API over real HTTP: what every endpoint takes and gives, and what it says of bad input.

use crate::support::{
    app::{Server, TestApp, made_up_id},
    redis::TestRedis,
    sale::START,
};
use serde_json::{Value, json};

const DUE: i64 = START + 60_000;

/// A server with the sale "s": 5 near seats for 500 cents and two far rows of 4 for 300, at most 6 a user.
async fn with_sale() -> (TestRedis, Server) {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    for existed in [false, true] {
        let opened = json!({ "sale": "s", "existed": existed, "categories": [
            { "name": "near", "capacity": 5, "price_cents": 500 },
            { "name": "far", "capacity": 8, "price_cents": 300 },
        ] });
        assert_eq!(server.post("/api/ticket/open", &terms()).await, (200, opened), "and again, the same");
    }
    (redis, server)
}

fn terms() -> Value {
    let layout = json!({ "categories": ["near", "far"], "sections": [
        { "id": "A", "category": "near", "rows": [5] },
        { "id": "B", "category": "far", "rows": [4, 4], "y": 3.0, "turn": 10.5, "radius": 20.0, "rank": 2 },
    ] });
    json!({ "id": "s", "layout": layout, "prices": { "near": 500, "far": 300 }, "limit_per_user": 6, "hold_s": 60 })
}

fn with(body: Value, change: Value) -> Value {
    let (Value::Object(mut body), Value::Object(change)) = (body, change) else { panic!("objects") };
    body.extend(change);
    Value::Object(body)
}

/// A reservation that must be answered; `seat_request` has user, seats and so on.
async fn reserve(server: &Server, seat_request: Value) -> Value {
    let (status, body) = server.post("/api/ticket/reserve", &with(json!({ "sale": "s" }), seat_request)).await;
    assert_eq!(status, 200, "{body}");
    body
}

async fn post(server: &Server, verb: &str, order: &Value) -> (u16, Value) {
    server.post(&format!("/api/ticket/{verb}"), &json!({ "sale": "s", "order": order })).await
}

fn assert_error(answer: &(u16, Value), status: u16, code: &str, field: Option<&str>) {
    let (found, body) = answer;
    let error = &body["error"];
    assert_eq!((*found, &error["code"], &error["field"]), (status, &json!(code), &json!(field)), "{body}");
    let message = error["message"].as_str().expect("a sentence");
    assert!(message.len() > 20 && !message.contains('\n'), "{message}");
}

#[tokio::test]
async fn the_halls_that_come_with_the_program_open_by_name() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    for (hall, categories, seats) in [("theatre", 3, 596), ("arena", 3, 12_000), ("stadium", 6, 60_000)] {
        let (status, body) = server.post("/api/ticket/open", &json!({ "hall": hall })).await;
        let all = body["categories"].as_array().expect("categories");
        let capacity: i64 = all.iter().filter_map(|category| category["capacity"].as_i64()).sum();
        assert_eq!((status, all.len(), capacity), (200, categories, seats), "{body}");
        assert!(all.iter().all(|category| category["price_cents"].as_i64() > Some(0)), "{body}");
        let sale = body["sale"].as_str().expect("an id");
        assert_eq!((sale.len(), sale.as_bytes()[14]), (36, b'7'), "a UUIDv7: {sale}");
        let (_, snapshot) = server.post("/api/ticket/snapshot", &json!({ "sale": sale })).await;
        assert_eq!((&snapshot["limit_per_user"], &snapshot["hold_s"]), (&json!(6), &json!(600)));
    }
    // One of its own, and the list names all of them.
    server.post("/api/ticket/open", &terms()).await;
    let (_, list) = server.post("/api/sales", &json!({ "kind": "ticket" })).await;
    let mut halls: Vec<_> = list["sales"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|line| (line["seats"].as_u64(), line["hall"].as_str()))
        .collect();
    halls.sort_unstable();
    let named = [(13, None), (596, Some("theatre")), (12_000, Some("arena")), (60_000, Some("stadium"))];
    assert_eq!(halls, named.map(|(seats, hall)| (Some(seats), hall)));
    // A price of one's own beside the usual ones.
    let prices = json!({ "hall": "theatre", "prices": { "balcony": 1 } });
    let (_, body) = server.post("/api/ticket/open", &prices).await;
    assert_eq!(body["categories"][2], json!({ "name": "balcony", "capacity": 93, "price_cents": 1 }));
}

#[tokio::test]
async fn reserve_answers_held_then_repeat_and_refusals_say_what_is_left() {
    let (_redis, server) = with_sale().await;
    let seat_request =
        json!({ "user": "ann", "request_id": "r-1", "seats": ["A-01-02", "B-02-01"], "holders": ["Ann", "小梅"] });
    let held = reserve(&server, seat_request.clone()).await;
    let order = held["order"].as_str().expect("an id");
    let reported = json!({
        "outcome": "held", "order": order, "state": "held", "seats": ["A-01-02", "B-02-01"], "cents": 800,
        "held_until": DUE, "extendable": false, "request_id": "r-1",
    });
    assert_eq!((order.len(), &held), (36, &reported));
    assert_eq!(reserve(&server, seat_request).await, with(reported, json!({ "outcome": "repeat" })));

    let picked = reserve(&server, json!({ "user": "bob", "pick": [{ "category": "far", "count": 4 }] })).await;
    assert_eq!(picked["seats"], json!(["B-01-01", "B-01-02", "B-01-03", "B-01-04"]));
    let both = json!([{ "category": "near", "count": 1, "adjacent": false }, { "category": "far", "count": 1, "adjacent": true }]);
    let across = reserve(&server, json!({ "user": "cid", "pick": both })).await;
    assert_eq!((&across["outcome"], &across["cents"]), (&json!("held"), &json!(800)));

    post(&server, "pay", &held["order"]).await;
    let taken =
        reserve(&server, json!({ "user": "dan", "request_id": "r-2", "seats": ["A-01-02", "B-01-01", "A-01-05"] }))
            .await;
    let until = json!([{ "seat": "B-01-01", "held_until": DUE }]);
    assert_eq!(
        taken,
        json!({ "outcome": "seat_taken", "seats": ["A-01-02", "B-01-01"], "held": until, "request_id": "r-2" })
    );
    let mut few = reserve(&server, json!({ "user": "dan", "pick": [{ "category": "far", "count": 3 }] })).await;
    made_up_id(&mut few);
    assert_eq!(few, json!({ "outcome": "not_enough_seats", "left": [{ "category": "far", "left": 2 }] }));
    assert_eq!((&picked["together"], &across["together"]), (&json!(true), &json!(true)));
    let strict = json!([{ "category": "near", "count": 3, "strict": true }]);
    let mut apart = reserve(&server, json!({ "user": "eve", "pick": strict })).await;
    made_up_id(&mut apart);
    assert_eq!(apart, json!({ "outcome": "not_together", "groups": [{ "category": "near", "largest": 2 }] }));
    let mut over = reserve(&server, json!({ "user": "bob", "pick": [{ "category": "near", "count": 3 }] })).await;
    made_up_id(&mut over);
    assert_eq!(over, json!({ "outcome": "limit_reached", "left": 2 }));
}

#[tokio::test]
async fn orders_are_paid_cancelled_refunded_and_shown() {
    let (_redis, server) = with_sale().await;
    let held = reserve(&server, json!({ "user": "ann", "seats": ["A-01-01"] })).await;
    let order = &held["order"];
    let reported = |outcome: &str, state: &str| {
        let order = json!({
            "order": order, "state": state, "seats": ["A-01-01"], "cents": 500, "held_until": DUE, "extendable": false,
        });
        (200, if outcome.is_empty() { order } else { with(order, json!({ "outcome": outcome })) })
    };
    // Payments without a request id are all the same: the order stands for them.
    let payment = |outcome: &str, state: &str| {
        let (status, answer) = reported(outcome, state);
        (status, with(answer, json!({ "request_id": order })))
    };
    assert_eq!(post(&server, "order", order).await, reported("", "held"));
    assert_eq!(post(&server, "pay", order).await, payment("paid", "paid"));
    assert_eq!(post(&server, "pay", order).await, payment("repeat", "paid"));
    let cancellation = |outcome: &str| {
        let (status, answer) = reported(outcome, "refunded");
        (status, with(answer, json!({ "cancelled_seats": ["A-01-01"], "cancelled_cents": 500 })))
    };
    assert_eq!(post(&server, "cancel", order).await, cancellation("refunded"));
    assert_eq!(post(&server, "cancel", order).await, cancellation("repeat"));
    assert_eq!(post(&server, "pay", order).await, payment("repeat", "refunded"), "the payment that was accepted");
    assert_eq!(post(&server, "order", order).await, reported("", "refunded"));

    let held = reserve(&server, json!({ "user": "bob", "seats": ["A-01-01"] })).await;
    let (_, cancelled) = post(&server, "cancel", &held["order"]).await;
    assert_eq!((&cancelled["outcome"], &cancelled["state"]), (&json!("cancelled"), &json!("cancelled")));
    let held = reserve(&server, json!({ "user": "cid", "seats": ["A-01-01"] })).await;
    server.app.time.advance(60_000);
    let (_, late) = post(&server, "pay", &held["order"]).await;
    assert_eq!((&late["outcome"], &late["state"]), (&json!("refunded"), &json!("held")), "nobody has swept yet");
    server.app.ledger_service.sweep().await.expect("a sweep");
    assert_eq!(post(&server, "order", &held["order"]).await.1["state"], "expired");
}

#[tokio::test]
async fn a_part_of_an_order_is_cancelled_and_its_hold_is_extended() {
    let (_redis, server) = with_sale().await;
    server.post("/api/ticket/open", &with(terms(), json!({ "id": "e", "extendable": true }))).await;
    let seats = json!(["A-01-01", "A-01-02", "B-01-01"]);
    let held = server.post("/api/ticket/reserve", &json!({ "sale": "e", "user": "ann", "seats": seats })).await.1;
    assert_eq!(held["extendable"], true);
    let order = &held["order"];
    let post = async |verb: &str, more: Value| {
        server.post(&format!("/api/ticket/{verb}"), &with(json!({ "sale": "e", "order": order }), more)).await
    };
    let extended = |outcome: &str, request: &str| {
        let longer = json!({
            "outcome": outcome, "order": order, "state": "held", "seats": seats, "cents": 1_300,
            "held_until": DUE + 60_000, "extendable": false, "request_id": request,
        });
        (200, longer)
    };
    let why = json!({ "request_id": "e-1", "reason": "Card trouble" });
    assert_eq!(post("extend", why).await, extended("extended", "e-1"));
    assert_eq!(post("extend", json!({ "request_id": "e-1" })).await, extended("repeat", "e-1"));
    assert_eq!(post("extend", json!({ "request_id": "e-2" })).await, extended("already_extended", "e-2"));

    let part = json!({ "seats": ["A-01-02"], "request_id": "c-1" });
    let rest = json!({
        "order": order, "state": "held", "seats": ["A-01-01", "B-01-01"], "cents": 800, "held_until": DUE + 60_000,
        "extendable": false,
    });
    let came_back = |outcome: &str| {
        let back = json!({ "outcome": outcome, "cancelled_seats": ["A-01-02"], "cancelled_cents": 500 });
        (200, with(rest.clone(), back))
    };
    assert_eq!(post("cancel", part.clone()).await, came_back("cancelled"));
    assert_eq!(post("cancel", part).await, came_back("repeat"));
    assert_eq!(post("order", json!({})).await, (200, rest.clone()));
    assert_eq!(post("pay", json!({})).await.1["cents"], 800);
    let (_, refunded) = post("cancel", json!({ "seats": ["B-01-01"] })).await;
    assert_eq!((&refunded["outcome"], &refunded["state"]), (&json!("refunded"), &json!("paid")));
    assert_eq!(post("extend", json!({ "request_id": "e-3" })).await.1["outcome"], "late");
    let other = json!({ "seats": ["A-01-01"], "request_id": "c-1" });
    assert_error(&post("cancel", other).await, 409, "request_reused", Some("request_id"));
    server.app.writer("one").catch_up().await.expect("the ledger");
    let (_, page) = server.post("/api/ledger/search", &json!({ "order": order, "outcome": "extended" })).await;
    assert_eq!(page["rows"][0]["reason"], "Card trouble", "{page}");
    let (_, page) = server.post("/api/ledger/search", &json!({ "order": order, "outcome": "cancelled" })).await;
    assert_eq!(page["rows"][0].get("reason"), None, "{page}");
    // Of another sale, which does not allow it.
    let held = reserve(&server, json!({ "user": "ann", "seats": ["A-01-01"] })).await;
    let (status, answer) = self::post(&server, "extend", &held["order"]).await;
    assert_eq!((status, &answer["outcome"]), (200, &json!("not_extendable")));
}

#[tokio::test]
async fn the_snapshot_and_the_audit_are_of_one_event() {
    let (_redis, server) = with_sale().await;
    let held = reserve(&server, json!({ "user": "ann", "seats": ["A-01-01", "A-01-02", "B-01-01"] })).await;
    reserve(&server, json!({ "user": "bob", "seats": ["B-01-02"] })).await;
    reserve(&server, json!({ "user": "cid", "seats": ["B-01-02"] })).await;
    post(&server, "pay", &held["order"]).await;
    let (status, snapshot) = server.post("/api/ticket/snapshot", &json!({ "sale": "s" })).await;
    let event_id = snapshot["event_id"].as_str().expect("an event id").to_owned();
    assert!(event_id.contains('-'), "{event_id}");
    let outcomes = json!({
        "held": 2, "repeat": 0, "seat_taken": 1, "not_enough_seats": 0, "not_together": 0, "limit_reached": 0, "closed": 0, "paid": 1, "late": 0,
        "cancelled": 0, "refunded": 0, "expired": 0, "extended": 0, "not_open": 0, "paused": 0, "ended": 0,
    });
    let expected = json!({
        "sale": "s", "event_id": event_id, "opened_at": START, "hold_s": 60, "extendable": false, "limit_per_user": 6,
        "categories": [
            { "name": "near", "capacity": 5, "price_cents": 500 },
            { "name": "far", "capacity": 8, "price_cents": 300 },
        ],
        "remaining": { "near": 3, "far": 6 }, "held": { "near": 0, "far": 1 }, "sold": { "near": 2, "far": 1 },
        "outcomes": outcomes,
    });
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&snapshot[name], value, "{name}");
    }
    assert_eq!(status, 200);
    let (status, audit) = server.post("/api/ticket/audit", &json!({ "sale": "s" })).await;
    assert_eq!((status, &audit["verdict"], &audit["event_id"]), (200, &json!("holds"), &json!(event_id)), "{audit}");
    assert_eq!(audit["invariants"][0], json!({ "name": "seats", "expected": 13, "found": 13 }));
    // The board has it, and so does the audit for any kind.
    let (_, board) = server.post("/api/audit/board", &json!({})).await;
    assert_eq!((&board["sales"][0]["status"]["kind"], &board["sales"][0]["audit"]), (&json!("ticket"), &audit));
    let (_, again) = server.post("/api/audit/now", &json!({ "kind": "ticket", "sale": "s" })).await;
    assert_eq!(again, audit);
}

#[tokio::test]
async fn bad_input_is_one_sentence_that_names_the_field() {
    let (_redis, server) = with_sale().await;
    let layout = |change: Value| json!({ "id": "t", "layout": with(terms()["layout"].clone(), change) });
    let section = |change: Value| {
        layout(json!({ "sections": [with(json!({ "id": "A", "category": "near", "rows": [5] }), change)] }))
    };
    let cases = [
        ("open", json!({}), "hall"),
        ("open", json!({ "hall": "theatre", "layout": terms()["layout"] }), "hall"),
        ("open", with(terms(), json!({ "id": "" })), "id"),
        ("open", with(terms(), json!({ "id": "t", "limit_per_user": 0 })), "limit_per_user"),
        ("open", with(terms(), json!({ "id": "t", "hold_s": 7_201 })), "hold_s"),
        ("open", with(terms(), json!({ "id": "t", "prices": { "near": 1 } })), "prices"),
        ("open", with(terms(), json!({ "id": "t", "prices": { "near": 1, "far": 1, "gold": 1 } })), "prices"),
        ("open", layout(json!({ "categories": ["near", "near"] })), "layout.categories[1]"),
        ("open", section(json!({ "category": "gold" })), "layout.sections[0].category"),
        ("open", section(json!({ "rows": [201] })), "layout.sections[0].rows[0]"),
        ("open", section(json!({ "rows": [{ "seats": 4, "step": 0 }] })), "layout.sections[0].rows[0].step"),
        ("open", section(json!({ "rows": [{ "seats": 4, "row": "A" }] })), "layout.sections[0].rows[0].row"),
        ("open", layout(json!({ "marks": [{ "mark": "blocked", "seats": ["Z-01-01"] }] })), "layout.marks[0].seats[0]"),
        ("reserve", json!({ "user": "" , "seats": ["A-01-01"] }), "user"),
        ("reserve", json!({ "user": "ann" }), "seats"),
        ("reserve", json!({ "user": "ann", "seats": ["A-09-01"] }), "seats"),
        ("reserve", json!({ "user": "ann", "seats": ["A-01-01"], "request_id": "\u{7}" }), "request_id"),
        ("reserve", json!({ "user": "ann", "pick": [{ "category": "gold", "count": 1 }] }), "pick"),
        ("reserve", json!({ "user": "ann", "pick": [{ "category": "far", "count": 11 }] }), "pick"),
        (
            "reserve",
            json!({ "user": "ann", "pick": [{ "category": "far", "count": 2, "strict": 1 }] }),
            "pick[0].strict",
        ),
        (
            "reserve",
            json!({ "user": "ann", "pick": [{ "category": "far", "count": 2, "strict": true, "adjacent": false }] }),
            "pick",
        ),
        (
            "reserve",
            json!({ "user": "ann", "seats": ["A-01-01"], "holders": [] , "pick": [{ "category": "far", "count": 1 }] }),
            "pick",
        ),
        ("reserve", json!({ "user": "ann", "seats": ["A-01-01"], "holders": ["Ann", "Mei"] }), "holders"),
        // It looks like "Ann".
        ("reserve", json!({ "user": "ann", "seats": ["A-01-01"], "holders": ["An\u{200b}n"] }), "holders"),
        ("block", json!({ "seats": [] }), "seats"),
        ("block", json!({ "seats": ["A-09-01"] }), "seats"),
        ("unblock", json!({ "seats": ["A-01-01", "a-01-01"] }), "seats"),
        ("block", json!({ "seats": ["A-01-01"], "reason": "\u{7}" }), "reason"),
        ("pay", json!({ "order": "" }), "order"),
        ("open", with(terms(), json!({ "id": "t", "extendable": 1 })), "extendable"),
        ("cancel", json!({ "order": "x".repeat(65) }), "order"),
        ("cancel", json!({ "order": "o", "seats": [] }), "seats"),
        ("cancel", json!({ "order": "o", "seats": ["A-01-01", "A-01-01"] }), "seats"),
        ("cancel", json!({ "order": "o", "seats": ["Z-01-01"] }), "seats"),
        ("cancel", json!({ "order": "o", "seats": ["A-01-01"], "request_id": "" }), "request_id"),
        ("cancel", json!({ "order": "o", "reason": "x".repeat(201) }), "reason"),
        ("cancel", json!({ "order": "o", "seats": ["A-01-01"], "reason": " " }), "reason"),
        ("extend", json!({ "order": "o", "reason": "a\nb" }), "reason"),
        ("extend", json!({ "order": "" }), "order"),
        ("extend", json!({ "order": "o", "request_id": "\u{7}" }), "request_id"),
        ("order", json!({ "order": "\n" }), "order"),
        ("snapshot", json!({ "sale": "" }), "sale"),
        ("audit", json!({ "sale": "" }), "sale"),
    ];
    for (verb, body, field) in cases {
        let body = if verb == "open" { body } else { with(json!({ "sale": "s" }), body) };
        assert_error(&server.post(&format!("/api/ticket/{verb}"), &body).await, 400, "bad_request", Some(field));
    }
    let taken = with(terms(), json!({ "hold_s": 61 }));
    assert_error(&server.post("/api/ticket/open", &taken).await, 409, "sale_exists", Some("id"));
    for verb in ["reserve", "pay", "cancel", "order", "block", "snapshot", "audit"] {
        let body = match verb {
            "block" => json!({ "sale": "nope", "seats": ["A-01-01"] }),
            "reserve" => json!({ "sale": "nope", "user": "ann", "seats": ["A-01-01"] }),
            "pay" | "cancel" | "order" => json!({ "sale": "nope", "order": "o" }),
            _ => json!({ "sale": "nope" }),
        };
        let answer = server.post(&format!("/api/ticket/{verb}"), &body).await;
        assert_eq!((answer.0, &answer.1["error"]["code"]), (404, &json!("unknown_sale")), "{verb}: {}", answer.1);
    }
    for verb in ["pay", "cancel", "order"] {
        assert_error(&post(&server, verb, &json!("nope")).await, 404, "unknown_order", Some("order"));
    }
    // None of this has taken a seat.
    let (_, snapshot) = server.post("/api/ticket/snapshot", &json!({ "sale": "s" })).await;
    assert_eq!(snapshot["remaining"], json!({ "near": 5, "far": 8 }));
}

/// The largest hall with the longest layout can be opened. Larger bodies are refused, and other endpoints accept less.
#[tokio::test]
async fn a_layout_of_200_000_seats_fits_and_nothing_larger_comes_in() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let hall = |sections: u32| {
        let sections: Vec<Value> = (0..sections)
            .map(|number| {
                json!({
                    "id": format!("S{number:07}"), "category": "only", "rows": vec![1; 200], "rank": 60_000,
                    "x": -12_345.5 + f64::from(5 * number), "y": 12_345.678, "turn": -123.456, "radius": 12_345.678,
                })
            })
            .collect();
        json!({ "id": "big", "layout": { "categories": ["only"], "sections": sections }, "prices": { "only": 1 } })
    };
    let largest = hall(1_000).to_string();
    assert!(largest.len() > 400_000, "{}", largest.len());
    let (status, body) = server.post_raw("/api/ticket/open", largest).await;
    assert_eq!((status, &body["categories"][0]["capacity"]), (200, &json!(200_000)), "{body}");
    let larger = server.post("/api/ticket/open", &hall(1_001)).await;
    assert_error(&larger, 400, "bad_request", Some("layout.sections[1000].rows"));

    let too_large = |bytes: usize| format!("{}{{}}", " ".repeat(bytes));
    assert_error(&server.post_raw("/api/ticket/open", too_large(1024 * 1024)).await, 413, "bad_request", None);
    for path in ["/api/ticket/reserve", "/api/red-packet/open"] {
        assert_error(&server.post_raw(path, too_large(64 * 1024)).await, 413, "bad_request", None);
        // Even without a Content-Length.
        let parts = (0..80).map(|_| Ok::<_, std::io::Error>(vec![b' '; 1024]));
        let body = reqwest::Body::wrap_stream(futures::stream::iter(parts));
        let (status, body) = server.post_raw(path, body).await;
        assert!((400..600).contains(&status), "{status} {body}");
    }
}

/// A different request under the same id is never a repeat, even where the order would do for it.
#[tokio::test]
async fn a_different_request_under_the_same_id_is_refused() {
    let (_redis, server) = with_sale().await;
    let seat_request =
        json!({ "sale": "s", "user": "ann", "request_id": "r", "pick": [{ "category": "near", "count": 2 }] });
    let (_, held) = server.post("/api/ticket/reserve", &seat_request).await;
    assert_eq!(held["outcome"], "held", "{held}");
    assert_eq!(server.post("/api/ticket/reserve", &seat_request).await.1["outcome"], "repeat");
    let apart = json!([{ "category": "near", "count": 2, "adjacent": false }]);
    for other in [json!({ "pick": apart }), json!({ "pick": [], "seats": held["seats"] })] {
        let answer = server.post("/api/ticket/reserve", &with(seat_request.clone(), other)).await;
        assert_error(&answer, 409, "request_reused", Some("request_id"));
    }
}
