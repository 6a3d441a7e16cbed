//! The ledger and the audits over real HTTP: what every endpoint takes and gives, and the history as a file.

use crate::support::{
    app::{Server, TestApp},
    kinds::samples,
    postgres::Postgres,
    redis::{Raw, TestRedis},
    sale::{START, clock, terms},
};
use engine::red_packet::scripts::key;
use ledger::database::{Ledger, Place};
use serde_json::{Value, json};

struct Bench {
    server: Server,
    redis: Raw,
    _redis: TestRedis,
}

/// The sale "s", three packets of which ann and bob have one each, all of it in the ledger.
async fn bench() -> Bench {
    let bench = Bench::new().await;
    bench.ok("/api/red-packet/open", json!({ "id": "s", "total_cents": 10, "count": 3, "splitter": "equal" })).await;
    for user in ["ann", "bob, \"the\" 红包"] {
        let claim = json!({ "sale": "s", "user": user, "request_id": format!("r-{user}") });
        bench.ok("/api/red-packet/claim", claim).await;
    }
    bench.write().await;
    bench
}

impl Bench {
    async fn new() -> Self {
        let redis = TestRedis::start().await;
        let server = TestApp::on(&redis).await.serve().await;
        Self { server, redis: redis.raw().await, _redis: redis }
    }

    async fn write(&self) {
        self.server.app.writer("one").catch_up().await.expect("the ledger is written");
        self.redis.run::<i64>("DEL", "stampede:writer").await;
    }

    async fn ok(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.server.post(path, &body).await;
        assert_eq!(status, 200, "{answer}");
        answer
    }

    async fn file(&self, query: &str) -> (String, String, String) {
        let url = format!("{}/api/ledger/export?{query}", self.server.url);
        let answer = self.server.http.get(url).send().await.expect("an answer");
        let header = |name: &str| answer.headers()[name].to_str().expect("text").to_owned();
        let headers = (header("content-type"), header("content-disposition"));
        let mut text = answer.text().await.expect("a body");
        if headers.0.starts_with("text/csv") {
            // Without it, a spreadsheet takes the text for one in the alphabet of its computer.
            text = text.strip_prefix('\u{feff}').expect("a byte order mark").to_owned();
        }
        // The last line says that it is whole.
        let last = text.trim_end().rfind('\n').map_or(0, |end| end + 1);
        let (rows, last) = (text[..last].lines().count(), text.split_off(last));
        let expected = if headers.0.starts_with("text/csv") {
            format!("end,rows,{},,,,,,,,,,,,\n", rows - 1)
        } else {
            format!("{{\"end\":true,\"rows\":{rows}}}\n")
        };
        assert_eq!(last, expected);
        (headers.0, headers.1, text)
    }
}

fn assert_error(answer: &(u16, Value), status: u16, code: &str, field: Option<&str>) {
    let (found, body) = answer;
    assert_eq!(
        (*found, &body["error"]["code"], &body["error"]["field"]),
        (status, &json!(code), &json!(field)),
        "{body}"
    );
}

#[tokio::test]
async fn search_gives_rows_total_and_the_next_page() {
    let bench = bench().await;
    let search = async |body| bench.ok("/api/ledger/search", body).await;
    let first = search(json!({ "limit": 1 })).await;
    let row = &first["rows"][0];
    let id = row["id"].as_str().expect("an id");
    let event_id = row["event_id"].as_str().expect("an id");
    assert_eq!(
        *row,
        json!({
            "id": format!("{event_id}-1-0"), "kind": "red_packet", "sale": "s", "event_id": event_id, "place": 0,
            "at": START, "outcome": "won", "user": "bob, \"the\" 红包", "request_id": "r-bob, \"the\" 红包", "item": "2",
            "cents": 3, "recorded": 3,
        })
    );
    assert_eq!((&first["total"], &first["total_is_at_least"], &first["next"]), (&json!(3), &json!(false), &json!(id)));
    let rest = search(json!({ "limit": 2, "after": id })).await;
    let users: Vec<&Value> = rest["rows"].as_array().expect("rows").iter().map(|row| &row["user"]).collect();
    assert_eq!((users, &rest["next"]), (vec![&json!("ann"), &Value::Null], &Value::Null));
    let narrowed = search(json!({ "sale": "s", "user": "ann", "request_id": "r-ann", "outcome": "won" })).await;
    assert_eq!((&narrowed["total"], &narrowed["rows"][0]["user"]), (&json!(1), &json!("ann")));
    assert_eq!(search(json!({ "user": "nobody" })).await["total"], 0);

    let refused = async |body: Value| bench.server.post("/api/ledger/search", &body).await;
    for field in ["sale", "user", "request_id", "outcome"] {
        assert_error(&refused(json!({ field: "" })).await, 400, "bad_request", Some(field));
    }
    assert_error(&refused(json!({ "limit": 1_001 })).await, 400, "bad_request", Some("limit"));
    let lost = refused(json!({ "after": "yesterday" })).await;
    assert_error(&lost, 400, "bad_request", Some("after"));
    let message = lost.1["error"]["message"].as_str().expect("a message");
    assert!(message.contains("\"yesterday\" is not a position in the history"), "{message}");
}

/// The sentence of the code says only that something is wrong; the server's own, in English, says what and how much.
#[tokio::test]
async fn the_page_says_in_the_servers_words_what_is_wrong_with_a_search_in_both_languages() {
    let bench = bench().await;
    let alert_of = async |query: &str, language: &str| {
        let request = bench.server.http.get(format!("{}/ledger?{query}", bench.server.url));
        let answer = request.header("accept-language", language).send().await.expect("an answer");
        let (status, html) = (answer.status().as_u16(), answer.text().await.expect("a page"));
        // What readers see: the data for the browser side, in scripts, has the sentence as well.
        let alerts = html.split("role=\"alert\"").skip(1).filter_map(|rest| rest.split_once("</div>"));
        (status, alerts.map(|(alert, _)| alert).collect::<String>())
    };
    let refused = [
        (format!("user={}", "W".repeat(65)), "`user` is 65 bytes long; at most 64 are allowed."),
        ("outcome=wonn".to_owned(), "There is no outcome \"wonn\"; the outcomes are: "),
    ];
    for (language, sentence) in [("en", "The server could not process this request."), ("zh", "服务器无法处理此请求。")]
    {
        for (query, reason) in &refused {
            let (status, alert) = alert_of(query, language).await;
            assert_eq!(status, 400, "{query}");
            assert!(alert.contains(sentence), "{language}: {alert}");
            let (_, in_english) = alert.split_once("<span lang=\"en\">").expect("a text that is in English");
            assert!(in_english.contains(reason), "{language}: {alert}");
        }
        let (status, alert) = alert_of("user=ann", language).await;
        assert_eq!((status, alert.contains("lang=\"en\"")), (200, false), "{alert}");
    }
}

#[tokio::test]
async fn status_says_how_far_the_ledger_is() {
    let bench = bench().await;
    bench.ok("/api/red-packet/claim", json!({ "sale": "s", "user": "cid" })).await;
    bench.server.app.time.advance(1_500);
    let status = bench.ok("/api/ledger/status", json!({ "sale": "s" })).await;
    assert_eq!((&status["writer"], &status["unreachable"]), (&Value::Null, &Value::Null));
    let mut line = status["sales"][0].clone();
    let applied = line["applied_event_id"].take();
    let last = line["last_event_id"].take();
    assert_ne!(applied, last);
    assert_eq!(
        line,
        json!({
            "kind": "red_packet", "sale": "s", "applied_event_id": null, "last_event_id": null, "lag_events": 1,
            "lag_seconds": 1.5, "set_aside": 0, "missing_events": 0, "stream_length": 4, "alarm": false, "lost": false, "archived": false,
        })
    );
    assert_eq!(bench.ok("/api/ledger/status", json!({})).await, status);
    let unknown = bench.server.post("/api/ledger/status", &json!({ "sale": "nope" })).await;
    assert_error(&unknown, 404, "unknown_sale", Some("sale"));
}

#[tokio::test]
async fn what_is_set_aside_is_listed_and_tried_again() {
    let bench = bench().await;
    assert_eq!(bench.ok("/api/ledger/set-aside", json!({})).await, json!([]));
    let forged = (key("s", "events"), "*", "type", "stolen", "at", 1);
    let id: String = bench.redis.run("XADD", forged).await;
    bench.write().await;
    let aside = bench.ok("/api/ledger/set-aside", json!({ "sale": "s" })).await;
    let reason = aside[0]["reason"].as_str().expect("a reason");
    assert!(reason.contains("stolen"), "{reason}");
    let line = |tries| {
        json!([{
            "kind": "red_packet", "sale": "s", "event_id": id, "reason": reason, "at": START, "tries": tries,
        }])
    };
    assert_eq!(aside, line(1));
    let retried = bench.ok("/api/ledger/retry", json!({ "sale": "s" })).await;
    assert_eq!(retried, json!({ "applied": 0, "still_set_aside": 1 }));
    assert_eq!(bench.ok("/api/ledger/set-aside", json!({})).await, line(2));
}

#[tokio::test]
async fn an_audit_asked_for_stands_on_the_board() {
    let bench = bench().await;
    let board = bench.ok("/api/audit/board", json!({})).await;
    assert_eq!((&board["sales"][0]["audit"], &board["sales"][0]["status"]["sale"]), (&Value::Null, &json!("s")));
    let audit = bench.ok("/api/audit/now", json!({ "kind": "red_packet", "sale": "s" })).await;
    assert_eq!(audit["verdict"], "holds");
    assert_eq!(bench.ok("/api/audit/board", json!({})).await["sales"][0]["audit"], audit);
    let now = async |body: Value| bench.server.post("/api/audit/now", &body).await;
    assert_error(&now(json!({ "kind": "raffle", "sale": "s" })).await, 400, "bad_request", Some("kind"));
    assert_error(&now(json!({ "kind": "red_packet", "sale": "nope" })).await, 404, "unknown_sale", Some("sale"));
}

/// A spreadsheet would run it.
#[tokio::test]
async fn a_name_that_looks_like_a_formula_is_text_in_a_file() {
    let bench = bench().await;
    bench.ok("/api/red-packet/claim", json!({ "sale": "s", "user": "=1+1", "request_id": "@r" })).await;
    bench.write().await;
    let (_, _, csv) = bench.file("format=csv&user=%3D1%2B1").await;
    let row = csv.lines().nth(1).expect("a row");
    assert!(row.contains(",won,'=1+1,'@r,"), "{row}");
}

/// Each kind has outcomes of its own, and a file of one kind has those.
#[tokio::test]
async fn the_history_of_each_kind_is_a_file() {
    let bench = Bench::new().await;
    let mut histories = Vec::new();
    for sample in samples() {
        let (path, terms) = sample.open_request("s");
        bench.ok(&path, terms).await;
        let (path, attempt) = sample.attempt_request("s", "ann");
        let answer = bench.ok(&path, attempt).await;
        for (path, change) in sample.change_requests("s", &answer) {
            bench.ok(&path, change).await;
        }
        histories.push((sample.kind, (sample.of.history)(&answer)));
    }
    bench.write().await;
    for (kind, history) in histories {
        let (_, _, csv) = bench.file(&format!("format=csv&kind={kind}")).await;
        // All but the times and the event.
        let columns = |line: &str| line.split(',').skip(1).take(6).collect::<Vec<_>>().join(",");
        let expected: Vec<String> = history.iter().map(|row| format!("{kind},s,{row}")).collect();
        assert_eq!(csv.lines().skip(1).map(columns).collect::<Vec<_>>(), expected);
    }
}

#[tokio::test]
async fn the_history_is_a_file_in_either_format() {
    let bench = bench().await;
    let (mime, name, csv) = bench.file("format=csv").await;
    assert_eq!(
        (mime.as_str(), name.as_str()),
        ("text/csv; charset=utf-8", "attachment; filename=\"ledger-2023-11-14.csv\"")
    );
    let rows = bench.ok("/api/ledger/search", json!({})).await["rows"].as_array().expect("rows").clone();
    let event = |nth: usize| rows[nth]["event_id"].as_str().expect("an id");
    let at_iso = "2023-11-14T22:13:20.000Z";
    assert_eq!(
        csv.lines().collect::<Vec<_>>(),
        [
            "at,kind,sale,outcome,user,request_id,item,cents,event_id,place,order,holder,at_iso,recorded,reason"
                .to_owned(),
            format!(
                "{START},red_packet,s,won,\"bob, \"\"the\"\" 红包\",\"r-bob, \"\"the\"\" 红包\",2,3,{},0,,,{at_iso},3,",
                event(0)
            ),
            format!("{START},red_packet,s,won,ann,r-ann,1,4,{},0,,,{at_iso},2,", event(1)),
            format!("{START},red_packet,s,opened,,,,10,{},0,,,{at_iso},1,", event(2)),
        ]
    );
    let (mime, name, jsonl) = bench.file("format=jsonl&user=ann&sale=&outcome=won").await;
    assert_eq!(
        (mime.as_str(), name.as_str()),
        ("application/x-ndjson; charset=utf-8", "attachment; filename=\"ledger-2023-11-14.jsonl\"")
    );
    let (_, name, _) = bench.file("format=csv&kind=red_packet&sale=s").await;
    assert_eq!(name, "attachment; filename=\"s-red-packets-2023-11-14.csv\"");
    let (_, name, _) = bench.file("format=csv&sale=%E7%BA%A2%E5%8C%85%2F1").await;
    assert_eq!(
        name,
        "attachment; filename=\"___1-2023-11-14.csv\"; filename*=UTF-8''%E7%BA%A2%E5%8C%85_1-2023-11-14.csv"
    );
    let lines: Vec<Value> = jsonl.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines, [rows[1].clone()]);

    assert_error(&bench.server.get("/api/ledger/export").await, 400, "bad_request", Some("format"));
    assert_error(&bench.server.get("/api/ledger/export?format=xml").await, 400, "bad_request", Some("format"));
    assert_error(&bench.server.get("/api/ledger/export?format=csv&sal=s").await, 400, "bad_request", Some("sal"));
    assert_error(&bench.server.get("/api/ledger/export?format=csv&user=%00").await, 400, "bad_request", Some("user"));
    let refused = async |parameter: &str| bench.server.get(&format!("/api/ledger/export?format=csv&{parameter}")).await;
    for parameter in ["kind=raffle", "outcome=Won", "from=yesterday", "to=-1", "from=9&to=9"] {
        let field = if parameter == "from=9&to=9" { "to" } else { parameter.split('=').next().expect("a name") };
        assert_error(&refused(parameter).await, 400, "bad_request", Some(field));
    }
}

/// What is recorded late has the time at which it happened, so who goes by time never sees it.
async fn each_row_is_read_once_however_late_it_is_recorded(bench: Bench) {
    for sale in ["late", "prompt"] {
        bench.ok("/api/stock/open", json!({ "id": sale, "quantity": 10 })).await;
    }
    bench.write().await;
    let poll = async |after: u64, rest: &str| {
        let url = format!("{}/api/ledger/export?format=jsonl&recorded_after={after}{rest}", bench.server.url);
        let text = bench.server.http.get(url).send().await.expect("an answer").text().await.expect("a body");
        let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let end = lines.pop().expect("the last line");
        assert_eq!((&end["end"], &end["rows"]), (&json!(true), &json!(lines.len())), "{text}");
        let rows: Vec<String> = lines
            .iter()
            .map(|row| {
                let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
                format!("{} {} {} {}", row["recorded"], text("sale"), text("outcome"), text("user"))
            })
            .collect();
        (rows, end["next"].as_u64().expect("where to go on"))
    };
    let (rows, next) = poll(0, "").await;
    assert_eq!((rows, next), (vec!["1 late opened ".to_owned(), "2 prompt opened ".to_owned()], 2));

    bench.ok("/api/stock/pause", json!({ "sale": "late", "seconds": 60 })).await;
    for (sale, user) in [("late", "ann"), ("prompt", "bob")] {
        bench.ok("/api/stock/deduct", json!({ "sale": sale, "user": user, "quantity": 1 })).await;
    }
    bench.write().await;
    let (rows, next) = poll(next, "").await;
    assert_eq!((rows, next), (vec!["3 prompt won bob".to_owned()], 3));

    bench.ok("/api/stock/pause", json!({ "sale": "late", "seconds": 0 })).await;
    bench.write().await;
    assert_eq!(poll(next, "&sale=prompt").await, (vec![], 4), "it need not look at those again");
    let (rows, next) = poll(next, "").await;
    assert_eq!((rows, next), (vec!["4 late won ann".to_owned()], 4));
    assert_eq!(poll(next, "").await, (vec![], 4));
    // A time narrows, and a place that the ledger has not come to is no place to go on from.
    assert_eq!(poll(0, "&kind=stock&outcome=won&user=bob&from=1").await, (vec!["3 prompt won bob".to_owned()], 4));
    for (parameter, field) in [("recorded_after=5", "recorded_after"), ("recorded_after=x", "recorded_after")] {
        let refused = bench.server.get(&format!("/api/ledger/export?format=csv&{parameter}")).await;
        assert_error(&refused, 400, "bad_request", Some(field));
    }
    let url = format!("{}/api/ledger/export?format=csv&recorded_after=3", bench.server.url);
    let csv = bench.server.http.get(url).send().await.expect("an answer").text().await.expect("a body");
    assert!(csv.ends_with("\nend,rows,1,next,4,,,,,,,,,,\n"), "{csv}");
}

#[tokio::test]
async fn each_row_is_read_once_however_late_sqlite_records_it() {
    each_row_is_read_once_however_late_it_is_recorded(Bench::new().await).await;
}

#[tokio::test]
async fn each_row_is_read_once_however_late_postgresql_records_it() {
    let (postgres, redis) = (Postgres::start(), TestRedis::start().await);
    let ledger = Ledger::connect(Place::Url(&postgres.url())).await.expect("a ledger");
    let server = TestApp::with(&redis.url(), ledger, clock(), 1, 10_000).await.serve().await;
    let bench = Bench { server, redis: redis.raw().await, _redis: redis };
    each_row_is_read_once_however_late_it_is_recorded(bench).await;
}

/// The parameters of a search and of an export are the same, and so is what they find.
#[tokio::test]
async fn a_search_and_a_file_are_narrowed_alike() {
    let bench = bench().await;
    let rows = bench.ok("/api/ledger/search", json!({})).await["rows"].as_array().expect("rows").clone();
    let millis = |nth: usize| -> i64 {
        let id = rows[nth]["event_id"].as_str().expect("an id");
        id.split('-').next().expect("milliseconds").parse().expect("a number")
    };
    let users =
        |rows: &[Value]| rows.iter().map(|row| row["user"].as_str().unwrap_or("").to_owned()).collect::<Vec<_>>();
    for (wanted, expected) in [
        (json!({ "user": "an*" }), vec![]),
        (json!({ "user": "ann" }), vec!["ann"]),
        (json!({ "user": "an" }), vec![]),
        (json!({ "sale": "s", "outcome": "opened" }), vec![""]),
        (
            json!({ "sale": "s", "user": "bob, \"the\" 红包", "from": millis(2), "to": millis(0) + 1 }),
            vec!["bob, \"the\" 红包"],
        ),
        (json!({ "to": millis(2) }), vec![]),
        (json!({ "from": millis(0) + 1 }), vec![]),
        (json!({ "order": "o1" }), vec![]),
        (json!({ "kind": "red_packet", "outcome": "opened" }), vec![""]),
        (json!({ "kind": "ticket" }), vec![]),
    ] {
        let page = bench.ok("/api/ledger/search", wanted.clone()).await;
        assert_eq!(users(page["rows"].as_array().expect("rows")), expected, "{wanted}");
        assert_eq!(page["total"], expected.len(), "{wanted}");
        let mut query = form_urlencoded::Serializer::new(String::from("format=jsonl&"));
        for (name, value) in wanted.as_object().expect("fields") {
            query.append_pair(name, value.as_str().map_or_else(|| value.to_string(), str::to_owned).as_str());
        }
        let (.., file) = bench.file(&query.finish()).await;
        let lines: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(users(&lines), expected, "{wanted}");
    }

    let refused = async |body: Value| bench.server.post("/api/ledger/search", &body).await;
    let unknown = refused(json!({ "outcome": "Won" })).await;
    assert_error(&unknown, 400, "bad_request", Some("outcome"));
    let message = unknown.1["error"]["message"].as_str().expect("a message");
    assert!(message.starts_with("There is no outcome \"Won\"; the outcomes are: blocked, cancelled, "), "{message}");
    assert_error(&refused(json!({ "kind": "raffle" })).await, 400, "bad_request", Some("kind"));
    assert_error(&refused(json!({ "from": 5, "to": 5 })).await, 400, "bad_request", Some("to"));
    assert_error(&refused(json!({ "from": -1 })).await, 400, "bad_request", Some("from"));

    assert_eq!(bench.ok("/api/ledger/row", json!({ "id": rows[0]["id"] })).await, rows[0]);
    assert_eq!(bench.ok("/api/ledger/row", json!({ "id": "1-2-3-4" })).await, Value::Null);
}

/// More rows than are read at a time, each once, under one line of names.
#[tokio::test]
async fn a_long_history_is_exported_whole() {
    const WON: usize = 9_500;
    let bench = bench().await;
    let app = &bench.server.app;
    app.red_packet.open(terms("long", 50_000, WON as u64)).await.expect("a sale");
    for first in (0..WON).step_by(500) {
        let claims = (first..first + 500).map(|user| app.red_packet.claim("long", format!("u{user}"), None));
        for outcome in futures::future::join_all(claims).await {
            outcome.expect("an outcome");
        }
    }
    bench.write().await;
    let (.., csv) = bench.file("format=csv&sale=long&outcome=won").await;
    let mut lines = csv.lines();
    assert!(lines.next().is_some_and(|names| names.starts_with("at,kind,")));
    let mut users: Vec<usize> = lines
        .map(|line| line.split(',').nth(4).and_then(|user| user.strip_prefix('u')?.parse().ok()).expect("a user"))
        .collect();
    users.sort_unstable();
    assert!(users.into_iter().eq(0..WON));
}

#[tokio::test]
async fn while_the_ledger_is_away_its_endpoints_say_so_and_sales_go_on() {
    let mut postgres = Postgres::start();
    let redis = TestRedis::start().await;
    let ledger = Ledger::connect(Place::Url(&postgres.url())).await.expect("a ledger");
    let server = TestApp::with(&redis.url(), ledger, clock(), 1, 10_000).await.serve().await;
    let open = json!({ "id": "s", "total_cents": 10, "count": 3, "splitter": "equal" });
    assert_eq!(server.post("/api/red-packet/open", &open).await.0, 200);
    postgres.stop();
    let claim = json!({ "sale": "s", "user": "ann" });
    assert_eq!(server.post("/api/red-packet/claim", &claim).await.0, 200);
    assert_eq!(
        server.post("/api/red-packet/open", &json!({ "total_cents": 5, "count": 5, "splitter": "equal" })).await.0,
        200
    );
    for (path, body) in
        [("/api/ledger/search", json!({})), ("/api/ledger/set-aside", json!({})), ("/api/ledger/retry", json!({}))]
    {
        assert_error(&server.post(path, &body).await, 503, "ledger_unavailable", None);
    }
    assert_error(&server.get("/api/ledger/export?format=csv").await, 503, "ledger_unavailable", None);
    let (status, answer) = server.post("/api/ledger/status", &json!({ "sale": "s" })).await;
    assert_eq!((status, &answer["sales"][0]["lag_events"]), (200, &json!(2)), "{answer}");
    assert!(answer["unreachable"].as_str().expect("a reason").contains("The ledger did not answer"));
    let (status, answer) = server.post("/api/audit/now", &json!({ "kind": "red_packet", "sale": "s" })).await;
    assert_eq!((status, &answer["verdict"]), (200, &json!("unknown")), "{answer}");
    assert_eq!(server.get("/readyz").await.0, 200);
}

#[tokio::test]
async fn dead_letters_of_an_unknown_kind_are_refused_by_field() {
    let bench = bench().await;
    for path in ["/api/ledger/set-aside", "/api/ledger/retry"] {
        let (status, answer) = bench.server.post(path, &json!({ "kind": "raffle" })).await;
        let error = &answer["error"];
        assert_eq!((status, &error["code"], &error["field"]), (400, &json!("bad_request"), &json!("kind")), "{answer}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains("red_packet")), "{answer}");
    }
}
