//! What the API refuses before it does anything: fields that nobody knows, other methods, hosts that are none.

use crate::support::{
    app::{Server, TestApp},
    kinds::samples,
    redis::TestRedis,
    within,
};
use serde_json::{Value, json};
use store::keys;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

async fn server() -> (TestRedis, Server) {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    (redis, server)
}

#[tokio::test]
async fn a_field_that_an_endpoint_does_not_know_is_named_and_nothing_is_tried() {
    let (_redis, server) = server().await;
    let red_packet = json!({ "id": "s", "total_cents": 10, "count": 3, "splitter": "equal" });
    let tickets = json!({ "id": "t", "hall": "theatre" });
    let crowd = json!({ "sale": "s", "users": 1, "concurrency": 1, "repeat_rate": 0.0, "arrival": "burst" });
    let section = json!({ "id": "A", "category": "x", "rows": [1], "ranks": 1 });
    let layout = json!({ "categories": ["x"], "sections": [section] });
    let cases = [
        ("/api/red-packet/open", &red_packet, "expires_in", json!(5), "expires_in"),
        ("/api/ticket/open", &tickets, "hold", json!(5), "hold"),
        ("/api/ticket/open", &json!({ "id": "t" }), "layout", layout, "layout.sections[0].ranks"),
        ("/api/sales", &json!({}), "State", json!("open"), "State"),
        ("/api/ping", &json!({}), "x", Value::Null, "x"),
        ("/api/crowd/start", &crowd, "arrival", json!({ "kind": "ramp", "per": 5 }), "arrival.per"),
        // Fields that say how users behave depend on the kind of the sale.
        ("/api/crowd/start", &crowd, "pay", json!(0.5), "pay"),
    ];
    for (path, body, field, value, named) in cases {
        if path == "/api/crowd/start" && field == "pay" {
            assert_eq!(server.post("/api/red-packet/open", &red_packet).await.0, 200);
        }
        let mut body = body.clone();
        body[field] = value;
        let (status, answer) = server.post(path, &body).await;
        let error = &answer["error"];
        assert_eq!((status, &error["code"], &error["field"]), (400, &json!("bad_request"), &json!(named)), "{answer}");
        let sentence = format!("The request body is not the JSON that this endpoint expects: unknown field `{named}`.");
        assert_eq!(error["message"], sentence, "{path}");
        let (_, list) = server.post("/api/sales", &json!({})).await;
        assert_eq!(list["sales"].as_array().map(Vec::len), Some(usize::from(field == "pay")), "{path} opened a sale");
    }
    server.post("/api/ticket/open", &tickets).await;
    let at_tickets = json!({
        "sale": "t", "users": 1, "concurrency": 1, "repeat_rate": 0.0, "arrival": "burst", "pays": 0.5,
    });
    let (status, answer) = server.post("/api/crowd/start", &at_tickets).await;
    assert_eq!((status, &answer["error"]["field"]), (400, &json!("pays")), "{answer}");
}

/// Whoever corrects a request wants to correct it once.
#[tokio::test]
async fn every_field_at_fault_is_named_at_once() {
    let (_redis, server) = server().await;
    let attempt = json!({ "sale": "", "user": " a", "request_id": "" });
    let with = |mut body: Value, field: &str, value: Value| {
        body[field] = value;
        body
    };
    let seats = with(with(attempt.clone(), "seats", json!(["A-1-1", "A-1-1"])), "holders", json!(["b", ""]));
    let of_order = json!({ "sale": "", "order": "", "request_id": "" });
    let of_coupon = json!({ "sale": "", "code": "x", "request_id": "" });
    let limits = json!({ "sale": "", "request_id": "", "total": u64::MAX, "per_user": 1, "unlimited": ["per_user"] });
    let list = json!({ "kind": "x", "state": "x", "id": "", "sale": "", "limit": 0 });
    for (path, body, fields) in [
        ("/api/red-packet/claim", &attempt, &["sale", "user", "request_id"][..]),
        ("/api/coupon/claim", &attempt, &["sale", "user", "request_id"]),
        ("/api/coupon/user", &json!({ "sale": "", "user": "" }), &["sale", "user"]),
        ("/api/coupon/redeem", &of_coupon, &["sale", "code", "request_id"]),
        ("/api/coupon/limits", &limits, &["sale", "request_id", "total", "per_user"]),
        ("/api/ticket/reserve", &seats, &["sale", "user", "request_id", "seats", "holders"]),
        ("/api/ticket/pay", &of_order, &["sale", "request_id", "order"]),
        ("/api/stock/give-back", &json!({ "sale": "", "request_id": "" }), &["sale", "request_id"]),
        (
            "/api/stock/correct",
            &json!({ "sale": "", "counted": u64::MAX, "expected": i64::MAX, "request_id": "" }),
            &["counted", "expected", "sale", "request_id"],
        ),
        ("/api/sales", &list, &["kind", "state", "limit", "id", "sale"]),
        ("/api/sales", &json!({ "limit": 0, "after": "x" }), &["limit", "after"]),
        ("/api/sales/explain", &json!({ "kind": "x", "sale": "", "user": "" }), &["sale", "user", "kind"]),
        ("/api/crowd/change", &json!({ "run": "", "per_s": 0 }), &["run", "per_s"]),
    ] {
        let (status, answer) = server.post(path, body).await;
        let named: Vec<&str> = answer["errors"]
            .as_array()
            .unwrap_or_else(|| panic!("{path}: {answer}"))
            .iter()
            .filter_map(|error| error["field"].as_str())
            .collect();
        assert_eq!((status, &named[..]), (400, fields), "{path}: {answer}");
    }
}

/// Java's HttpURLConnection accepts HTML by default, and some libraries begin a body with a byte order mark.
#[tokio::test]
async fn an_endpoint_answers_in_json_whatever_a_client_accepts_and_says_why_it_cannot_read_a_body() {
    let (_redis, server) = server().await;
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().expect("a client");
    let post = async |accept: &str, body: &[u8]| {
        let request = client.post(format!("{}/api/stock/open", server.url)).body(body.to_vec());
        let request = request.header("content-type", "application/json; charset=UTF-8").header("accept", accept);
        let answer = request.send().await.expect("an answer");
        (answer.status().as_u16(), answer.json::<Value>().await.expect("JSON"))
    };
    let java = "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2";
    assert_eq!(post(java, b"{\"id\":\"a\",\"quantity\":5}").await, (200, json!({ "sale": "a", "existed": false })));
    assert_eq!(post(java, b"{\"id\":\"a\",\"quantity\":6}").await.0, 409);
    assert_eq!(post("application/xml", b"\xef\xbb\xbf{\"id\":\"b\",\"quantity\":5e0}").await.0, 200);
    for (body, why) in [
        (&b"{\"id\":\"caf\xe9\",\"quantity\":5}"[..], "it is not encoded in UTF-8 (byte 10)"),
        (b"{\0\"\0i\0d\0", "expects: "),
        (b"{\"id\":\"c\",\"id\":\"d\",\"quantity\":5}", "duplicate field `id`"),
    ] {
        let (status, answer) = post("*/*", body).await;
        assert_eq!((status, &answer["error"]["code"]), (400, &json!("bad_request")), "{answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|message| message.contains(why)), "{answer}");
    }
}

/// A sale is suspended for what Redis has of it, never for what a client sends.
#[tokio::test]
async fn no_value_that_a_client_sends_suspends_a_sale() {
    let (redis, server) = server().await;
    let raw = redis.raw().await;
    let values = [
        json!(null),
        json!(true),
        json!(""),
        json!("?"),
        json!("\0"),
        json!("0x10"),
        json!("x".repeat(64)),
        json!("x".repeat(9_999)),
        json!(0),
        json!(-1),
        json!(0.5),
        json!(1e300),
        json!((1_u64 << 53) - 1),
        json!(1_u64 << 53),
        json!(i64::MIN),
        json!(u64::MAX),
        json!([]),
        json!({}),
        json!(["Z-99-99"]),
        json!([u64::MAX]),
        json!([{ "category": "x", "count": u32::MAX }]),
    ];
    for sample in samples() {
        let kind = sample.kind;
        let (path, terms) = sample.open_request("s");
        assert_eq!(server.post(&path, &terms).await.0, 200);
        let attempt = sample.attempt_request("s", "ann");
        let (status, won) = server.post(&attempt.0, &attempt.1).await;
        assert_eq!(status, 200, "{won}");
        for (path, body) in [attempt].into_iter().chain(sample.change_requests("s", &won)) {
            let fields: Vec<&String> = body.as_object().expect("an object").keys().collect();
            for field in fields {
                for value in &values {
                    let mut body = body.clone();
                    body[field] = value.clone();
                    if field != "request_id" {
                        body["request_id"] = json!(format!("{field} {value}").chars().take(40).collect::<String>());
                    }
                    let (_, answer) = server.post(&path, &body).await;
                    let code = &answer["error"]["code"];
                    assert!(code != "sale_suspended" && code != "internal", "{path} {body}: {answer}");
                }
            }
        }
        let state: String = raw.run("HGET", (keys::sale(kind, "s", "meta"), "state")).await;
        assert_ne!(state, "suspended", "{kind}");
    }
}

#[tokio::test]
async fn another_method_is_an_error_like_any_other_and_says_which_there_are() {
    let (_redis, server) = server().await;
    for (method, path, allowed) in [
        ("GET", "/api/red-packet/claim", "POST"),
        ("DELETE", "/api/sales", "POST"),
        ("POST", "/healthz", "GET"),
        ("PUT", "/live/red-packet/s", "GET"),
        ("PATCH", "/ledger", "GET"),
    ] {
        let method = http::Method::from_bytes(method.as_bytes()).expect("a method");
        let request = server.http.request(method.clone(), format!("{}{path}", server.url));
        let answer = request.header("content-type", "application/json").send().await.expect("an answer");
        assert_eq!(answer.status(), 405, "{method} {path}");
        assert!(answer.headers()["allow"].to_str().expect("text").contains(allowed), "{method} {path}");
        let body: Value = answer.json().await.expect("JSON");
        let error = &body["error"];
        assert_eq!((&error["code"], &error["field"]), (&json!("bad_request"), &json!("method")), "{body}");
        let sentence = format!("{method} {path} is not possible; the header Allow says which methods are.");
        assert_eq!(error["message"], sentence);
    }
}

#[tokio::test]
async fn a_server_is_no_proxy() {
    let (_redis, server) = server().await;
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).await.expect("a connection");
    let request = b"CONNECT localhost:80 HTTP/1.1\r\nhost: localhost:80\r\nconnection: close\r\n\r\n";
    stream.write_all(request).await.expect("a request");
    let mut answer = String::new();
    within("an answer", stream.read_to_string(&mut answer)).await.expect("text");
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(answer.contains("The request names no path; this server is not a proxy"), "{answer}");
}

/// HTTP/1.0 knows no hosts, and probes of load balancers still speak it.
#[tokio::test]
async fn a_host_may_be_left_out_by_http_1_0_alone() {
    let (_redis, server) = server().await;
    for (version, status) in [("HTTP/1.0", "200 OK"), ("HTTP/1.1", "400 Bad Request")] {
        let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).await.expect("a connection");
        let request = format!("GET /healthz {version}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("a request");
        let mut answer = String::new();
        within("an answer", stream.read_to_string(&mut answer)).await.expect("text");
        assert!(answer.starts_with(&format!("{version} {status}")), "{answer}");
    }
}

#[tokio::test]
async fn a_host_header_that_names_no_host_is_a_bad_request() {
    let (_redis, server) = server().await;
    for host in ["", " ", "a b", "\u{e9}", "me@localhost"] {
        let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).await.expect("a connection");
        let request = format!("GET /healthz HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("a request");
        let mut answer = String::new();
        within("an answer", stream.read_to_string(&mut answer)).await.expect("text");
        assert!(answer.starts_with("HTTP/1.1 400"), "{host:?}: {answer}");
        assert!(answer.contains("The Host header must name one host"), "{host:?}: {answer}");
    }
}
