//! The JSON API over real HTTP: what every endpoint takes and gives, and what it says of bad input.

use crate::{
    KINDS,
    support::{
        app::{Server, TestApp, made_up_id},
        eventually,
        property::{holds_async, runtime},
        proxy::FaultProxy,
        redis::TestRedis,
        sale::{Chunk, END, LIFE_S, START, clock},
    },
};
use futures::future::join;
use proptest::{collection::vec, prelude::*, test_runner::TestCaseError};
use serde_json::{Map, Value, json};

const ENDPOINTS: [&str; 27] = [
    "/api/red-packet/open",
    "/api/red-packet/claim",
    "/api/red-packet/snapshot",
    "/api/red-packet/refund",
    "/api/red-packet/audit",
    "/api/red-packet/script",
    "/api/ticket/open",
    "/api/ticket/reserve",
    "/api/ticket/pay",
    "/api/ticket/cancel",
    "/api/ticket/order",
    "/api/ticket/snapshot",
    "/api/ticket/audit",
    "/api/ticket/script",
    "/api/sales",
    "/api/sales/close",
    "/api/sales/archive",
    "/api/ping",
    "/api/crowd/start",
    "/api/crowd/status",
    "/api/crowd/stop",
    "/api/ledger/search",
    "/api/ledger/status",
    "/api/ledger/set-aside",
    "/api/ledger/retry",
    "/api/audit/board",
    "/api/audit/now",
];

async fn server(redis: &TestRedis) -> Server {
    TestApp::on(redis).await.serve().await
}

/// A server with the sale "s": 4, 3, 3 cents.
async fn with_sale() -> (TestRedis, Server) {
    let redis = TestRedis::start().await;
    let server = server(&redis).await;
    let body = json!({ "id": "s", "total_cents": 10, "count": 3, "splitter": "equal", "expires_in_s": LIFE_S });
    assert_eq!(server.post("/api/red-packet/open", &body).await, (200, json!({ "sale": "s", "existed": false })));
    (redis, server)
}

async fn claim(server: &Server, user: &str) -> (u16, Value) {
    server.post("/api/red-packet/claim", &json!({ "sale": "s", "user": user })).await
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// An error as the API gives it: exactly these keys, and a sentence. Where several fields are at fault, the first.
fn assert_error(answer: &(u16, Value), status: u16, code: &str, field: Option<&str>) {
    let (found, body) = answer;
    assert_eq!(*found, status, "{body}");
    let several = body["errors"].as_array();
    assert_eq!(keys(body), if several.is_some() { vec!["error", "errors"] } else { vec!["error"] }, "{body}");
    assert!(several.is_none_or(|all| all.len() > 1 && all[0]["field"] == body["error"]["field"]), "{body}");
    let mut named = keys(&body["error"]);
    // Where the outcome of an attempt is unknown.
    named.retain(|key| *key != "request_id" || code != "unavailable");
    assert_eq!(named, ["code", "field", "message"], "{body}");
    assert_eq!(body["error"]["code"], code, "{body}");
    assert_eq!(body["error"]["field"], json!(field), "{body}");
    assert!(body["error"]["message"].as_str().expect("text").len() > 20, "{body}");
}

#[tokio::test]
async fn open_takes_every_splitter_and_makes_an_id_where_none_is_given() {
    let redis = TestRedis::start().await;
    let server = server(&redis).await;
    for splitter in ["double_mean", "line_cut", "equal"] {
        let terms = json!({ "total_cents": 1_000, "count": 10, "splitter": splitter });
        let (status, body) = server.post("/api/red-packet/open", &terms).await;
        assert_eq!((status, keys(&body)), (200, vec!["existed", "sale"]));
        let sale = body["sale"].as_str().expect("an id");
        assert_eq!((sale.len(), sale.as_bytes()[14]), (36, b'7'), "a UUIDv7: {sale}");
        let (_, snapshot) = server.post("/api/red-packet/snapshot", &json!({ "sale": sale })).await;
        assert_eq!(snapshot["splitter"], splitter);
        assert_eq!(snapshot["expires_at"], START + 86_400_000, "a day");
    }
    // An id of one's own, a seed, a life: and again, the same sale.
    let terms = json!({
        "id": "红包 #1", "total_cents": 1_000, "count": 10, "splitter": "line_cut", "expires_in_s": 5, "seed": 42,
    });
    for existed in [false, true] {
        let opened = json!({ "sale": "红包 #1", "existed": existed });
        assert_eq!(server.post("/api/red-packet/open", &terms).await, (200, opened));
    }
}

#[tokio::test]
async fn claim_answers_won_then_repeat_then_sold_out_then_expired() {
    let (_redis, server) = with_sale().await;
    let outcome = async |user| {
        let (status, mut answer) = claim(&server, user).await;
        assert_eq!(status, 200, "{answer}");
        made_up_id(&mut answer);
        answer
    };
    assert_eq!(outcome("ann").await, json!({ "outcome": "won", "packet": 1, "cents": 4 }));
    assert_eq!(outcome("ann").await, json!({ "outcome": "repeat", "packet": 1, "cents": 4 }));
    let bob = json!({ "sale": "s", "user": "bob", "request_id": "r-1" });
    let won = json!({ "outcome": "won", "packet": 2, "cents": 3, "request_id": "r-1" });
    assert_eq!(server.post("/api/red-packet/claim", &bob).await, (200, won));
    let repeat = json!({ "outcome": "repeat", "packet": 2, "cents": 3, "request_id": "r-1" });
    assert_eq!(server.post("/api/red-packet/claim", &bob).await, (200, repeat));
    outcome("cid").await;
    assert_eq!(outcome("dan").await, json!({ "outcome": "sold_out" }));
    server.app.time.advance(LIFE_S * 1_000);
    assert_eq!(outcome("dan").await, json!({ "outcome": "expired", "expired_at": END }));
    assert_eq!(outcome("cid").await, json!({ "outcome": "repeat", "packet": 3, "cents": 3 }));
}

#[tokio::test]
async fn snapshot_tells_all_of_a_sale() {
    let (_redis, server) = with_sale().await;
    claim(&server, "ann").await;
    claim(&server, "ann").await;
    let (status, mut snapshot) = server.post("/api/red-packet/snapshot", &json!({ "sale": "s" })).await;
    assert_eq!(status, 200);
    let event_id = snapshot["event_id"].take();
    assert!(event_id.as_str().expect("an id").contains('-'), "{event_id}");
    let declined = snapshot["declined"].take();
    assert_eq!(declined.as_array().map(Vec::len), Some(1));
    assert_eq!(keys(&declined[0]), ["at", "id", "outcome", "user"]);
    assert_eq!((&declined[0]["user"], &declined[0]["outcome"]), (&json!("ann"), &json!("repeat")));
    let mut counts = vec![0; 24];
    counts[3] = 1;
    let ann = json!({ "user": "ann", "packet": 1, "cents": 4, "at": START });
    assert_eq!(
        snapshot,
        json!({
            "sale": "s", "state": "open", "splitter": "equal", "total_cents": 10, "count": 3,
            "opened_at": START, "expires_at": END,
            "pending": 2, "pending_cents": 6, "claimed": 1, "claimed_cents": 4,
            "refunded": 0, "refunded_cents": 0,
            "outcomes": {
                "won": 1, "repeat": 1, "sold_out": 0, "expired": 0, "closed": 0, "not_open": 0, "paused": 0,
            },
            "life": {
                "now": START, "opens_at": null, "ends_at": END, "pause": null, "title": {}, "description": {},
                "currency": "CNY",
            },
            "luckiest": ann, "histogram": { "width": 1, "counts": counts },
            "latest": [ann], "declined": null, "calls": 2, "crowd": null, "event_id": null,
        })
    );
}

#[tokio::test]
async fn refund_waits_for_the_end_and_repeats_its_figure() {
    let (_redis, server) = with_sale().await;
    claim(&server, "ann").await;
    let refund = async || server.post("/api/red-packet/refund", &json!({ "sale": "s" })).await;
    let early = json!({ "outcome": "not_expired", "refunded_cents": 0, "expires_at": END });
    assert_eq!(refund().await, (200, early));
    server.app.time.advance(LIFE_S * 1_000);
    assert_eq!(refund().await, (200, json!({ "outcome": "refunded", "refunded_cents": 6 })));
    assert_eq!(refund().await, (200, json!({ "outcome": "repeat", "refunded_cents": 6 })));
}

#[tokio::test]
async fn audit_gives_the_verdict_and_every_invariant() {
    let (redis, server) = with_sale().await;
    claim(&server, "ann").await;
    let audit = async || server.post("/api/red-packet/audit", &json!({ "sale": "s" })).await;
    let (status, body) = audit().await;
    assert_eq!(status, 200);
    assert_eq!(keys(&body), ["at", "event_id", "invariants", "reason", "verdict"]);
    assert_eq!((&body["verdict"], &body["reason"], &body["at"]), (&json!("holds"), &Value::Null, &json!(START)));
    assert_eq!(body["invariants"][0], json!({ "name": "packets", "expected": 3, "found": 3 }));
    redis.raw().await.run::<i64>("HDEL", ("{red_packet:s}:claimants", "ann")).await;
    let (status, body) = audit().await;
    assert_eq!((status, &body["verdict"]), (200, &json!("broken")));
    assert_eq!(body["invariants"][0], json!({ "name": "packets", "expected": 3, "found": 2 }));
}

#[tokio::test]
async fn a_crowd_is_started_watched_and_stopped() {
    let (_redis, server) = with_sale().await;
    let orders = json!({
        "sale": "s", "users": 1_000, "concurrency": 10, "repeat_rate": 0.5,
        "arrival": { "kind": "constant", "per_s": 1 }, "seed": 5,
    });
    let (status, started) = server.post("/api/crowd/start", &orders).await;
    assert_eq!((status, keys(&started)), (200, vec!["run"]));
    assert_error(&server.post("/api/crowd/start", &orders).await, 409, "crowd_running", None);

    let (status, running) = server.post("/api/crowd/status", &started).await;
    assert_eq!((status, &running["phase"], &running["run"]), (200, &json!("running"), &started["run"]));
    assert_eq!(
        keys(&running),
        [
            "answered",
            "attempts",
            "changes",
            "elapsed_ms",
            "expected_attempts",
            "history",
            "judgement",
            "left_at_start",
            "left_ms",
            "max_us",
            "mean_per_s",
            "orders",
            "outcomes",
            "p50_us",
            "p90_us",
            "p99_us",
            "per_s",
            "phase",
            "reported_at",
            "run",
            "started_at",
            "unanswered",
            "unknown",
            "verdict",
        ]
    );
    assert_eq!(running["orders"]["seed"], 5);
    assert_eq!(running["orders"]["arrival"], json!({ "kind": "constant", "per_s": 1, "over_s": 10 }));

    assert_eq!(server.post("/api/crowd/stop", &started).await.0, 200);
    let over = eventually("the crowd has stopped", async || {
        let (_, status) = server.post("/api/crowd/status", &started).await;
        (status["phase"] == "stopped").then_some(status)
    })
    .await;
    assert_eq!(over["verdict"], "holds");
    assert_eq!(
        keys(&over["judgement"]),
        ["currency", "doubled", "expected_cents", "found_cents", "lost", "oversold", "reason", "unexpected", "verdict"]
    );
}

#[tokio::test]
async fn the_script_that_runs_is_the_script_that_is_shown() {
    let (_redis, server) = with_sale().await;
    for (endpoint, name) in
        [("/api/red-packet/script", "red_packet/claim.lua"), ("/api/ticket/script", "ticket/reserve.lua")]
    {
        let (status, body) = server.post(endpoint, &json!({})).await;
        assert_eq!(status, 200);
        assert_eq!(keys(&body), ["healed", "name", "sha", "source"]);
        assert_eq!(body["name"], name);
        let file = std::fs::read_to_string(crate::readme::lua().join(name)).expect("the script");
        assert!(body["source"].as_str().is_some_and(|source| source.ends_with(&file)), "{body}");
        let exists: Vec<bool> =
            server.app.store.query("SCRIPT", ("EXISTS", body["sha"].as_str())).await.expect("an answer");
        assert_eq!(exists, [true], "Redis knows it by this name");
    }
}

#[tokio::test]
async fn every_bad_field_is_named() {
    let (_redis, server) = with_sale().await;
    let open =
        json!({ "id": "x", "total_cents": 100, "count": 10, "splitter": "equal", "expires_in_s": 60, "seed": 1 });
    let claim = json!({ "sale": "s", "user": "ann", "request_id": "r" });
    let crowd =
        json!({ "sale": "s", "users": 10, "concurrency": 5, "repeat_rate": 0.5, "arrival": "burst", "seed": 1 });
    let long = "x".repeat(65);
    let ids = [json!(""), json!("  "), json!(long), json!("a\u{0}b"), json!("a\nb"), json!("\u{7f}"), json!("\u{85}")];
    let mut cases: Vec<(&str, &Value, &str, Value)> = vec![
        ("/api/red-packet/open", &open, "count", json!(0)),
        ("/api/red-packet/open", &open, "count", json!(1_000_001)),
        ("/api/red-packet/open", &open, "total_cents", json!(9)),
        ("/api/red-packet/open", &open, "total_cents", json!(0)),
        ("/api/red-packet/open", &open, "total_cents", json!(-5)),
        ("/api/red-packet/open", &open, "total_cents", json!(1_000_000_000_001_i64)),
        ("/api/red-packet/open", &open, "expires_in_s", json!(0)),
        ("/api/red-packet/open", &open, "expires_in_s", json!(366 * 86_400 + 1)),
        ("/api/crowd/start", &crowd, "users", json!(0)),
        ("/api/crowd/start", &crowd, "users", json!(1_000_001)),
        ("/api/crowd/start", &crowd, "concurrency", json!(0)),
        ("/api/crowd/start", &crowd, "concurrency", json!(10_001)),
        ("/api/crowd/start", &crowd, "repeat_rate", json!(1.5)),
        ("/api/crowd/start", &crowd, "repeat_rate", json!(-0.1)),
    ];
    for id in &ids {
        cases.push(("/api/red-packet/open", &open, "id", id.clone()));
        cases.push(("/api/red-packet/claim", &claim, "sale", id.clone()));
        cases.push(("/api/red-packet/claim", &claim, "user", id.clone()));
        cases.push(("/api/red-packet/claim", &claim, "request_id", id.clone()));
        cases.push(("/api/crowd/start", &crowd, "sale", id.clone()));
        for path in ["/api/red-packet/snapshot", "/api/red-packet/refund", "/api/red-packet/audit"] {
            cases.push((path, &Value::Null, "sale", id.clone()));
        }
        for path in ["/api/crowd/status", "/api/crowd/stop"] {
            cases.push((path, &Value::Null, "run", id.clone()));
        }
    }
    for (path, good, field, bad) in cases {
        let mut body = if good.is_null() { json!({}) } else { good.clone() };
        body[field] = bad;
        let answer = server.post(path, &body).await;
        assert_error(&answer, 400, "bad_request", Some(field));
    }
    // Of a field in a field, the path.
    let mut ramp = crowd.clone();
    ramp["arrival"] = json!({ "kind": "ramp", "per_s": 0 });
    assert_error(&server.post("/api/crowd/start", &ramp).await, 400, "bad_request", Some("arrival.per_s"));
    // None of this was carried out.
    let (_, sales) = server.post("/api/sales", &json!({})).await;
    assert_eq!(sales["sales"].as_array().map(Vec::len), Some(1));
    let (_, snapshot) = server.post("/api/red-packet/snapshot", &json!({ "sale": "s" })).await;
    assert_eq!((&snapshot["calls"], &snapshot["crowd"]), (&json!(0), &Value::Null));
}

#[tokio::test]
async fn a_user_of_64_bytes_is_taken_and_counted_in_bytes() {
    let (_redis, server) = with_sale().await;
    assert_eq!(claim(&server, &"x".repeat(64)).await.0, 200);
    assert_eq!(claim(&server, &"é".repeat(32)).await.0, 200);
    assert_error(&claim(&server, &"é".repeat(33)).await, 400, "bad_request", Some("user"));
}

#[tokio::test]
async fn a_missing_field_is_named() {
    let (_redis, server) = with_sale().await;
    let open = json!({ "total_cents": 100, "count": 10, "splitter": "equal" });
    let claim = json!({ "sale": "s", "user": "ann" });
    let crowd = json!({ "sale": "s", "users": 10, "concurrency": 5, "repeat_rate": 0.5, "arrival": "burst" });
    let sale = json!({ "sale": "s" });
    let run = json!({ "run": "r" });
    let bodies = [
        ("/api/red-packet/open", open),
        ("/api/red-packet/claim", claim),
        ("/api/red-packet/snapshot", sale.clone()),
        ("/api/red-packet/refund", sale.clone()),
        ("/api/red-packet/audit", sale),
        ("/api/crowd/start", crowd),
        ("/api/crowd/status", run.clone()),
        ("/api/crowd/stop", run),
    ];
    for (path, body) in bodies {
        for field in keys(&body) {
            let mut without = body.clone();
            without.as_object_mut().expect("an object").remove(field);
            assert_error(&server.post(path, &without).await, 400, "bad_request", Some(field));
        }
    }
}

#[tokio::test]
async fn a_body_that_is_not_the_json_asked_for_is_refused_with_a_reason() {
    let (_redis, server) = with_sale().await;
    let claim = "/api/red-packet/claim";
    let bodies = [
        "",
        "not json",
        "{",
        "null",
        "[]",
        "[1]",
        "\"text\"",
        r#"{"sale":7,"user":"ann"}"#,
        r#"{"sale":"s","user":null}"#,
        r#"{"sale":"s","user":["ann"]}"#,
        r#"{"sale":"s","user":"ann"} trailing"#,
        r#"{"sale":"s","user":"\ud800"}"#,
    ];
    for body in bodies {
        let (status, answer) = server.post_raw(claim, body).await;
        assert_eq!((status, &answer["error"]["code"]), (400, &json!("bad_request")), "{body}: {answer}");
    }
    let bytes = b"{\"sale\":\"s\",\"user\":\"\xff\xfe\"}".to_vec();
    assert_eq!(server.post_raw(claim, bytes).await.0, 400);
    for wrong in [r#""many""#, "-1", "1.5", "null", "99999999999999999999999999"] {
        let body = format!(r#"{{"total_cents":100,"count":{wrong},"splitter":"equal"}}"#);
        let (status, answer) = server.post_raw("/api/red-packet/open", body).await;
        assert_eq!((status, &answer["error"]["code"]), (400, &json!("bad_request")), "{wrong}: {answer}");
    }
    for wrong in ["NaN", "Infinity", "1e999", r#""half""#] {
        let body = format!(r#"{{"sale":"s","users":1,"concurrency":1,"repeat_rate":{wrong},"arrival":"burst"}}"#);
        let (status, answer) = server.post_raw("/api/crowd/start", body).await;
        assert_eq!((status, &answer["error"]["code"]), (400, &json!("bad_request")), "{wrong}: {answer}");
    }
    for wrong in [json!("rain"), json!({ "kind": "rain" }), json!(7), Value::Null] {
        let body = json!({ "sale": "s", "users": 1, "concurrency": 1, "repeat_rate": 0, "arrival": wrong });
        let (status, answer) = server.post("/api/crowd/start", &body).await;
        assert_eq!((status, &answer["error"]["code"]), (400, &json!("bad_request")), "{wrong}: {answer}");
    }
    // Too large, known in advance or only found while reading.
    let fat = format!(r#"{{"sale":"s","user":"{}"}}"#, "x".repeat(70_000));
    assert_error(&server.post_raw(claim, fat.clone()).await, 413, "bad_request", None);
    let chunks = futures::stream::iter(
        fat.into_bytes().chunks(9_000).map(<[u8]>::to_vec).map(Ok::<_, std::io::Error>).collect::<Vec<_>>(),
    );
    assert_error(&server.post_raw(claim, reqwest::Body::wrap_stream(chunks)).await, 413, "bad_request", None);
}

/// What a page of another site can do to a server on loopback without asking.
#[tokio::test]
async fn another_sites_page_gets_nothing_and_changes_nothing() {
    let (_redis, server) = with_sale().await;
    let send = async |method: http::Method, path: &str, headers: &[(&str, &str)]| {
        let mut request = server.http.request(method.clone(), format!("{}{path}", server.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if method == http::Method::POST {
            request = request.body(r#"{"sale":"s","user":"eve"}"#);
        }
        request.send().await.expect("an answer").status().as_u16()
    };
    let (get, post) = (http::Method::GET, http::Method::POST);
    let (claim, json) = ("/api/red-packet/claim", ("content-type", "application/json"));
    // A form, or a script that sends text, needs no leave.
    for form in ["text/plain", "application/x-www-form-urlencoded"] {
        assert_eq!(send(post.clone(), claim, &[("content-type", form)]).await, 415, "{form}");
    }
    assert_eq!(send(post.clone(), claim, &[json, ("origin", "https://evil.example")]).await, 403);
    assert_eq!(send(post.clone(), claim, &[json, ("origin", "http://évil.example")]).await, 403);
    let two = [json, ("origin", server.url.as_str()), ("origin", "https://evil.example")];
    assert_eq!(send(post.clone(), claim, &two).await, 403);
    assert_eq!(send(post.clone(), claim, &[json, ("sec-fetch-site", "cross-site")]).await, 403);
    // A name of theirs that leads here.
    let rebound = ("host", "evil.example");
    assert_eq!(send(post.clone(), claim, &[json, rebound]).await, 403);
    for path in ["/", "/ledger", "/live/red-packet/s", "/api/ledger/export?format=csv", "/healthz", "/icon.svg"] {
        assert_eq!(send(get.clone(), path, &[rebound]).await, 403, "{path}");
    }
    // Browsers leave out `Sec-Fetch-Site` where a page has no TLS, but not the origin of who listens to another's stream.
    for path in ["/live/red-packet/s", "/api/ledger/export?format=csv"] {
        assert_eq!(send(get.clone(), path, &[("origin", "https://evil.example")]).await, 403, "{path}");
    }
    let body = json!({ "sale": "s" });
    assert_eq!(server.post("/api/red-packet/snapshot", &body).await.1["claimed"], 0);

    // A page of ours, a link to one, and a program.
    let own = ("origin", server.url.as_str());
    assert_eq!(send(post.clone(), claim, &[json, own, ("sec-fetch-site", "same-origin")]).await, 200);
    let link = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
    assert_eq!(send(get, "/ledger", &link).await, 200);
    assert_eq!(send(post, claim, &[json]).await, 200);
}

#[tokio::test]
async fn what_is_not_there_is_404() {
    let (_redis, server) = with_sale().await;
    for path in ["/api/red-packet/snapshot", "/api/red-packet/refund", "/api/red-packet/audit"] {
        assert_error(&server.post(path, &json!({ "sale": "nope" })).await, 404, "unknown_sale", Some("sale"));
    }
    let nope = json!({ "sale": "nope", "user": "ann" });
    assert_error(&server.post("/api/red-packet/claim", &nope).await, 404, "unknown_sale", Some("sale"));
    let crowd = json!({ "sale": "nope", "users": 1, "concurrency": 1, "repeat_rate": 0, "arrival": "burst" });
    assert_error(&server.post("/api/crowd/start", &crowd).await, 404, "unknown_sale", Some("sale"));
    for path in ["/api/crowd/status", "/api/crowd/stop"] {
        assert_error(&server.post(path, &json!({ "run": "nope" })).await, 404, "unknown_run", Some("run"));
    }
    for path in ["/api/nope", "/api/red-packet", "/api/red-packet/open/more", "/api/red-packet/Open"] {
        assert_error(&server.post(path, &json!({})).await, 404, "bad_request", Some("path"));
        assert_error(&server.get(path).await, 404, "bad_request", Some("path"));
    }
    // A claim changes something, so it is not a GET.
    let (status, _) = server.get("/api/red-packet/claim?sale=s&user=ann").await;
    assert_eq!(status, 405);
}

#[tokio::test]
async fn what_is_in_the_way_is_409() {
    let (redis, server) = with_sale().await;
    let other = json!({ "id": "s", "total_cents": 11, "count": 3, "splitter": "equal", "expires_in_s": LIFE_S });
    assert_error(&server.post("/api/red-packet/open", &other).await, 409, "sale_exists", Some("id"));
    Chunk::whole(&[2, 1]).part(1, 1).send(&redis.raw().await, "half").await;
    for path in ["/api/red-packet/claim", "/api/red-packet/refund", "/api/red-packet/audit"] {
        let mut body = json!({ "sale": "half" });
        if path.ends_with("claim") {
            body["user"] = json!("ann");
        }
        assert_error(&server.post(path, &body).await, 409, "sale_opening", None);
    }
}

#[tokio::test]
async fn without_redis_the_outcome_is_unknown_and_the_server_is_not_ready_but_lives() {
    let redis = TestRedis::start().await;
    let proxy = FaultProxy::before(&redis).await;
    let server = TestApp::at(&redis, &proxy.url, clock(), 1).await.serve().await;
    let body = json!({ "id": "s", "total_cents": 10, "count": 3, "splitter": "equal" });
    server.post("/api/red-packet/open", &body).await;
    assert_eq!(server.get("/readyz").await, (200, json!({ "status": "ready" })));
    assert_eq!(server.get("/healthz").await, (200, json!({ "status": "ok" })));

    proxy.cut();
    let attempt = json!({ "sale": "s", "user": "ann", "request_id": "r1" });
    let answer = server.post("/api/red-packet/claim", &attempt).await;
    assert_error(&answer, 503, "unavailable", None);
    let message = answer.1["error"]["message"].as_str().expect("text");
    assert!(message.contains("the outcome is unknown"), "{message}");
    assert!(message.contains("same request id again"), "{message}");
    assert_eq!(answer.1["error"]["request_id"], "r1");
    // Without it, the attempt could not be sent again.
    let without = server.post("/api/red-packet/claim", &json!({ "sale": "s", "user": "ann" })).await;
    assert_error(&without, 503, "unavailable", None);
    assert!(without.1["error"]["request_id"].is_string(), "{}", without.1);
    for (path, body) in [
        ("/api/red-packet/open", json!({ "total_cents": 10, "count": 3, "splitter": "equal" })),
        ("/api/red-packet/snapshot", json!({ "sale": "s" })),
        ("/api/red-packet/refund", json!({ "sale": "s" })),
        ("/api/red-packet/script", json!({})),
        ("/api/sales", json!({})),
        (
            "/api/crowd/start",
            json!({ "sale": "s", "users": 1, "concurrency": 1, "repeat_rate": 0, "arrival": "burst" }),
        ),
        ("/api/crowd/status", json!({ "run": "r" })),
    ] {
        assert_error(&server.post(path, &body).await, 503, "unavailable", None);
    }
    let (status, audit) = server.post("/api/red-packet/audit", &json!({ "sale": "s" })).await;
    assert_eq!((status, &audit["verdict"]), (200, &json!("unknown")));
    let answer = server.get("/readyz").await;
    assert_error(&answer, 503, "unavailable", None);
    let message = answer.1["error"]["message"].as_str().expect("a message");
    assert!(message.contains("Check that Redis is running") && !message.contains("request id"), "{message}");
    assert_eq!(server.get("/healthz").await, (200, json!({ "status": "ok" })));

    proxy.heal();
    eventually("it is ready again", async || (server.get("/readyz").await.0 == 200).then_some(())).await;
    let outcome = eventually("it answers again", async || {
        let (status, body) = server.post("/api/red-packet/claim", &attempt).await;
        (status == 200).then_some(body)
    })
    .await;
    assert_eq!(outcome, json!({ "outcome": "won", "packet": 1, "cents": 4, "request_id": "r1" }));
}

/// A server that is not ready gets no calls, so no call would load the scripts again.
#[tokio::test]
async fn scripts_that_redis_forgot_are_loaded_again_by_asking_whether_the_server_is_ready() {
    let (redis, server) = with_sale().await;
    let raw = redis.raw().await;
    raw.run::<()>("SCRIPT", "FLUSH").await;
    assert_eq!(server.get("/readyz").await, (200, json!({ "status": "ready" })));
    let shas: Vec<&str> = stampede::server::scripts().iter().map(|script| script.sha()).collect();
    let known: Vec<bool> = raw.run("SCRIPT", ("EXISTS", &shas)).await;
    assert_eq!(known, vec![true; shas.len()]);
    // The scripts were already loaded for this attempt.
    assert_eq!(claim(&server, "ann").await.0, 200);
    assert_eq!(server.post("/api/red-packet/script", &json!({})).await.1["healed"], 0);
}

#[tokio::test]
async fn every_answer_has_the_headers_that_keep_browsers_out_of_trouble() {
    let (_redis, server) = with_sale().await;
    for path in ["/healthz", "/api/nope", "/live/red-packet/nope"] {
        let response = server.http.get(format!("{}{path}", server.url)).send().await.expect("an answer");
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        assert_eq!(header("x-content-type-options").as_deref(), Some("nosniff"), "{path}");
        assert_eq!(header("x-frame-options").as_deref(), Some("DENY"), "{path}");
        assert_eq!(header("referrer-policy").as_deref(), Some("same-origin"), "{path}");
    }
    let response =
        server.http.post(format!("{}/api/red-packet/claim", server.url)).body("{").send().await.expect("an answer");
    assert!(response.headers()["content-type"].to_str().expect("text").starts_with("application/json"));
    assert_eq!(response.headers().get("serverfnerror"), None);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,70}".prop_map(Value::from),
        Just(json!("s")),
        Just(json!("burst")),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec(("[a-z]{1,5}", inner), 0..4).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// Bodies with the fields that the endpoints know, good or not.
fn any_body() -> impl Strategy<Value = Value> {
    let names = vec![
        "id",
        "total_cents",
        "count",
        "splitter",
        "expires_in_s",
        "seed",
        "sale",
        "user",
        "request_id",
        "users",
        "concurrency",
        "repeat_rate",
        "arrival",
        "run",
        "outcome",
        "limit",
        "after",
        "kind",
    ];
    let value = prop_oneof![
        4 => any_json(),
        2 => (1..200_i64).prop_map(Value::from),
        1 => Just(json!("s")),
        1 => Just(json!("equal")),
        1 => Just(json!("line_cut")),
        1 => Just(json!("red_packet")),
        1 => (0.0..1.0_f64).prop_map(Value::from),
    ];
    let body = vec((proptest::sample::select(names), value), 0..14);
    body.prop_map(|pairs| {
        Value::Object(pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
    })
}

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..200),
        any_json().prop_map(|json| json.to_string().into_bytes()),
        any_body().prop_map(|json| json.to_string().into_bytes()),
        // JSON cut short.
        (any_body(), 0..100_usize).prop_map(|(json, cut)| {
            let mut bytes = json.to_string().into_bytes();
            bytes.truncate(bytes.len().saturating_sub(cut));
            bytes
        }),
    ]
}

#[test]
fn no_request_body_causes_an_internal_error() {
    let runtime = runtime();
    let (_redis, server) = runtime.block_on(with_sale());
    let requests = (proptest::sample::select(ENDPOINTS.to_vec()), any_bytes());
    holds_async(1_500, requests, &runtime, async |(path, body): (&str, Vec<u8>)| {
        let (status, answer) = server.post_raw(path, body).await;
        let busy = status == 503 && answer["error"]["code"] == "busy";
        prop_assert!(status < 500 || busy, "{path} answers {status}: {answer}");
        prop_assert!(!answer.is_string(), "{path} answers {status} and no JSON: {answer}");
        Ok::<(), TestCaseError>(())
    });
    runtime.block_on(async {
        assert_eq!(server.get("/readyz").await.0, 200);
        let (_, audit) = server.post("/api/red-packet/audit", &json!({ "sale": "s" })).await;
        assert_eq!(audit["verdict"], "holds");
    });
}

#[test]
fn no_path_or_query_of_the_live_view_causes_an_internal_error() {
    let runtime = runtime();
    let (_redis, server) = runtime.block_on(with_sale());
    let requests = ("[a-z0-9%/{}.?&=-]{0,24}", "[a-z0-9%{}.&=-]{0,16}");
    holds_async(200, requests, &runtime, async |(sale, after): (String, String)| {
        let url = format!("{}/live/red-packet/{sale}?after={after}", server.url);
        if let Ok(response) = server.http.get(url).send().await {
            prop_assert!(response.status().as_u16() < 500, "{sale:?} {after:?}: {}", response.status());
        }
        Ok::<(), TestCaseError>(())
    });
}

/// Who got no answer sends the request again, perhaps to another server. Who did not choose an id is not told to choose
/// another one.
#[tokio::test]
async fn a_request_id_opens_one_sale_of_a_kind_however_often_it_is_sent_and_no_other() {
    let redis = TestRedis::start().await;
    let [one, other] = TestApp::two_on(&redis).await;
    let (one, other) = (one.serve().await, other.serve().await);
    for kind in KINDS {
        let (mut terms, changes) = ((kind.terms)(), (kind.other_terms)());
        let path = format!("/api/{}/open", kind.info.segment);
        let list = json!({ "kind": kind.info.id });
        terms["request_id"] = json!("r");
        // At once, and a day later, when its events are in the ledger.
        let ((status, mut opened), second) = join(one.post(&path, &terms), other.post(&path, &terms)).await;
        assert_eq!(status, 200, "{path}: {opened}");
        assert_ne!(opened["existed"], second.1["existed"], "{path}: one of them has opened it");
        opened["existed"] = second.1["existed"].clone();
        assert_eq!(second, (200, opened.clone()), "{path}");
        one.app.writer("one").catch_up().await.expect("the ledger");
        one.app.time.advance(86_400_000);
        opened["existed"] = json!(true);
        assert_eq!(other.post(&path, &terms).await, (200, opened.clone()), "{path}");
        let (_, listed) = one.post("/api/sales", &list).await;
        let ids: Vec<&Value> = listed["sales"].as_array().expect("sales").iter().map(|sale| &sale["sale"]).collect();
        assert_eq!(ids, [&opened["sale"]], "{path} opened one sale");

        let mut others = terms.clone();
        others.as_object_mut().expect("an object").extend(changes.as_object().expect("an object").clone());
        for server in [&one, &other] {
            assert_error(&server.post(&path, &others).await, 409, "request_reused", Some("request_id"));
        }
        assert_eq!(one.post("/api/sales", &list).await.1, listed, "{path} opened nothing else");
        terms["request_id"] = json!("another");
        assert_ne!(
            one.post(&path, &terms).await.1["sale"],
            opened["sale"],
            "{path}: another request opens another sale"
        );
    }
}
