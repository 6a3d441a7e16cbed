//! The description of the API, and whether the server does what it says.

use crate::support::{
    api::{DOCUMENT, faults, validator},
    app::{Server, TestApp},
    eventually,
    redis::TestRedis,
    sse::EventSource,
};
use http::Method;
use model::{check_id, check_new_id};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Method, path and operation of every endpoint, in the order of the page.
fn operations() -> Vec<(&'static str, &'static str, &'static Value)> {
    let tags = DOCUMENT["tags"].as_array().expect("tags").iter();
    let paths = tags.flat_map(|tag| tag["x-order"].as_array().expect("paths"));
    let operations = paths.map(|path| path.as_str().expect("a path")).flat_map(|path| {
        let operations = DOCUMENT["paths"][path].as_object().expect("operations");
        operations.iter().map(move |(method, operation)| (method.as_str(), path, operation))
    });
    operations.collect()
}

#[test]
fn every_server_function_is_described_and_nothing_else() {
    let described: BTreeSet<&str> =
        operations().into_iter().filter(|(method, ..)| *method == "post").map(|(_, path, _)| path).collect();
    let registered: BTreeSet<&str> = leptos::server_fn::axum::server_fn_paths().map(|(path, _)| path).collect();
    assert_eq!(described, registered);
    let listed: BTreeSet<&str> = operations().into_iter().map(|(_, path, _)| path).collect();
    let paths: BTreeSet<&str> = DOCUMENT["paths"].as_object().expect("paths").keys().map(String::as_str).collect();
    assert_eq!(listed, paths, "in the order of the page");
}

/// Calls `visit` with every object in a value, and the name of the field that it is in.
fn each_object<'a>(value: &'a Value, name: &'a str, visit: &mut impl FnMut(&'a Map<String, Value>, &'a str)) {
    match value {
        Value::Object(fields) => {
            visit(fields, name);
            fields.iter().for_each(|(name, value)| each_object(value, name, visit));
        }
        Value::Array(values) => values.iter().for_each(|value| each_object(value, name, visit)),
        _ => {}
    }
}

#[test]
fn the_document_is_openapi_3_1() {
    assert_eq!(DOCUMENT["openapi"], "3.1.0");
    for field in ["title", "version", "description"] {
        assert!(DOCUMENT["info"][field].as_str().is_some_and(|text| !text.is_empty()), "info.{field}");
    }
    let of_objects = ["openapi", "info", "servers", "tags", "paths", "components"];
    for field in DOCUMENT.as_object().expect("an object").keys() {
        assert!(of_objects.contains(&field.as_str()) || field.starts_with("x-"), "{field}");
    }
    each_object(&DOCUMENT, "", &mut |object, name| {
        if let Some(Value::String(reference)) = object.get("$ref") {
            let target = reference.strip_prefix('#').expect("a reference within the document");
            assert!(DOCUMENT.pointer(target).is_some(), "{reference}");
        }
        if name == "schema" || name == "x-item" {
            let schema = Value::Object(object.clone());
            assert!(jsonschema::meta::is_valid(&schema), "{schema}");
        }
    });
    for (name, schema) in DOCUMENT["components"]["schemas"].as_object().expect("schemas") {
        assert!(jsonschema::meta::is_valid(schema), "{name}: {schema}");
        assert!(name.chars().all(|c| c.is_ascii_alphabetic()), "{name} is no name to read");
    }
    let tags: Vec<&Value> = DOCUMENT["tags"].as_array().expect("tags").iter().map(|tag| &tag["name"]).collect();
    let mut ids: BTreeSet<&str> = BTreeSet::new();
    for (method, path, operation) in operations() {
        assert!(["get", "post"].contains(&method), "{method} {path}");
        assert!(ids.insert(operation["operationId"].as_str().expect("an id")), "{path}");
        assert!(operation["tags"].as_array().is_some_and(|own| own.iter().all(|tag| tags.contains(&tag))), "{path}");
        assert!(operation["description"].as_str().is_some_and(|text| text.len() > 20), "{path}");
        let summary = operation["summary"].as_str().unwrap_or_default();
        assert!((10..160).contains(&summary.len()) && !summary.ends_with('.'), "{path}: {summary:?} is no sentence");
        let responses = operation["responses"].as_object().expect("responses");
        for (status, response) in responses {
            assert!(response["description"].is_string(), "{path} {status}");
            for (media, content) in response["content"].as_object().expect("content") {
                let examples = content["examples"].as_object().expect("examples");
                assert!(!examples.is_empty(), "{path} {status} {media} has no example");
            }
        }
        // What stands in braces is a parameter, and the other way round.
        let in_path: BTreeSet<&str> =
            path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let parameters = parameters.filter(|parameter| parameter["in"] == "path");
        let parameters: BTreeSet<&str> =
            parameters.map(|parameter| parameter["name"].as_str().expect("a name")).collect();
        assert_eq!(in_path, parameters, "{path}");
    }
}

/// A program says what it takes, so nothing that it takes is left without a word; and it speaks of JSON, not of Rust.
#[test]
fn every_field_of_a_request_is_explained() {
    for (_, path, operation) in operations() {
        let mut schema = operation["requestBody"]["content"]["application/json"]["schema"].clone();
        // What holds for several fields together explains none.
        if let Some(schema) = schema.as_object_mut() {
            schema.retain(|keyword, _| !["oneOf", "anyOf", "allOf", "not"].contains(&&**keyword));
        }
        each_object(&schema, "", &mut |object, name| {
            if name == "properties" {
                for (field, schema) in object {
                    assert!(schema["description"].is_string(), "{path}: {field} has no description");
                }
            }
            if object.contains_key("properties") && name != "properties" {
                assert_eq!(object.get("additionalProperties"), Some(&json!(false)), "{path}: {name}");
            }
        });
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            assert!(parameter["description"].as_str().is_some_and(|text| !text.is_empty()), "{path}: {parameter}");
        }
    }
    let text = DOCUMENT.to_string();
    for word in ["[`", "`None`", "`Some`", "snake_case", "Serialized arguments", "server function"] {
        assert!(!text.contains(word), "{word} in {:?}", text.split(word).next().map(|text| &text[text.len() - 80..]));
    }
}

/// What is the same whenever an example is sent. (The invariants of an audit are shortened.)
fn lasting(value: &Value) -> Value {
    const OTHER_EACH_TIME: [&str; 12] = [
        "id",
        "order",
        "at",
        "now",
        "opened_at",
        "expires_at",
        "ends_at",
        "held_until",
        "event_id",
        "invariants",
        "sha",
        "source",
    ];
    match value {
        Value::Object(fields) => {
            let lasting = fields.iter().filter(|(name, _)| !OTHER_EACH_TIME.contains(&name.as_str()));
            lasting.map(|(name, value)| (name.clone(), self::lasting(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(values) => values.iter().map(lasting).collect(),
        other => other.clone(),
    }
}

/// Sends the examples one after the other. Ids that the server makes are others each time: those of earlier answers
/// take the place of those in the examples.
struct Conversation {
    server: Server,
    ids: BTreeMap<String, String>,
}

impl Conversation {
    /// Remembers which id of the answer stands for which of the example.
    fn learn(&mut self, example: &Value, answer: &Value) {
        for name in ["order", "run", "code", "incident"] {
            if let (Some(example), Some(answer)) = (example[name].as_str(), answer[name].as_str()) {
                self.ids.insert(example.to_owned(), answer.to_owned());
            }
        }
        let row = |rows: &Value| rows["rows"][0]["id"].as_str().map(str::to_owned);
        if let (Some(example), Some(answer)) = (row(example), row(answer)) {
            self.ids.insert(example, answer);
        }
    }

    fn with_ids(&self, request: &Value) -> Value {
        let mut text = request.to_string();
        for (example, id) in &self.ids {
            text = text.replace(example, id);
        }
        serde_json::from_str(&text).expect("JSON")
    }

    async fn record(&self) {
        let mut writer = self.server.app.writer("one");
        writer.catch_up().await.expect("the ledger");
        writer.give_up().await;
    }

    async fn post(&mut self, path: &str, name: &str, request: &Value, example: &Value) {
        let request = self.with_ids(request);
        // What changed must be in the ledger before it can be found there, or the sale be archived.
        self.record().await;
        // Checks both against the schemas.
        let (status, answer) = self.server.post(path, &request).await;
        assert_eq!(status, 200, "{path}, {name}: {answer}");
        let keys = |value: &Value| value.as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>());
        assert_eq!(keys(&answer), keys(example), "{path}, {name}");
        // Nothing else is going on at these sales.
        if path.starts_with("/api/red-packet/") || path.starts_with("/api/ticket/") {
            assert_eq!(lasting(&answer), lasting(example), "{path}, {name}");
        }
        self.learn(example, &answer);
        if path == "/api/crowd/start" {
            eventually("the crowd is over", async || {
                // It is kept a moment after its verdict.
                let (status, _) = self.server.post("/api/crowd/run", &answer).await;
                (status == 200).then_some(())
            })
            .await;
        }
        if path == "/api/lab/start" {
            eventually("the run of the lab is over", async || {
                let (_, found) = self.server.post("/api/lab/run", &answer).await;
                (found["phase"] == "done").then_some(())
            })
            .await;
        }
    }

    async fn get(&self, path: &str, operation: &Value) {
        let (mut path, mut query) = (path.to_owned(), form_urlencoded::Serializer::new(String::new()));
        for parameter in operation["parameters"].as_array().expect("parameters") {
            let (name, value) = (parameter["name"].as_str().expect("a name"), parameter["example"].as_str());
            match value {
                Some(value) if parameter["in"] == "path" => path = path.replace(&format!("{{{name}}}"), value),
                Some(value) => {
                    _ = query.append_pair(name, self.ids.get(value).map_or(value, String::as_str));
                }
                None => assert_eq!(parameter["required"], false, "{path} has no example of {name}"),
            }
        }
        let url = format!("{}{path}?{}", self.server.url, query.finish());
        let content = operation["responses"]["200"]["content"].as_object().expect("content");
        let item = content.values().find_map(|content| content.get("x-item")).map(validator);
        if content.contains_key("text/event-stream") {
            let message = EventSource::connect(&url, None).await.next().await;
            assert_eq!(faults(&item.expect("a schema"), &message.json()), [""; 0], "{path}");
            return;
        }
        let answer = self.server.http.get(url).send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{path}");
        let media = answer.headers()["content-type"].to_str().expect("text").split(';').next().map(str::to_owned);
        let media = media.expect("a media type");
        let schema = &content.get(&media).unwrap_or_else(|| panic!("{path} is not said to answer {media}"))["schema"];
        let text = answer.text().await.expect("text");
        match item {
            Some(item) => {
                assert!(!text.is_empty(), "{path}");
                for line in text.lines() {
                    let row = serde_json::from_str(line).expect("JSON on each line");
                    assert_eq!(faults(&item, &row), [""; 0], "{path}: {line}");
                }
            }
            None => {
                let answer = serde_json::from_str(&text).expect("JSON");
                assert_eq!(faults(&validator(schema), &answer), [""; 0], "{path}: {answer}");
            }
        }
    }
}

#[tokio::test]
async fn every_example_is_answered_as_described() {
    let redis = TestRedis::start().await;
    let server = TestApp::with_faults(&redis).await.serve().await;
    let mut conversation = Conversation { server, ids: BTreeMap::new() };
    // A sale ends after everything else.
    let (last, first): (Vec<_>, Vec<_>) = operations()
        .into_iter()
        .partition(|(_, path, _)| ["/api/sales/close", "/api/sales/archive"].contains(&&**path));
    for (method, path, operation) in first.into_iter().chain(last) {
        let content = &operation["responses"]["200"]["content"];
        if method == "get" {
            conversation.get(path, operation).await;
            continue;
        }
        let body = &operation["requestBody"]["content"]["application/json"];
        let answers = &content["application/json"];
        let (request, answer) = (validator(&body["schema"]), validator(&answers["schema"]));
        let examples = body["examples"].as_object().expect("examples");
        assert!(!examples.is_empty(), "{path} has no example");
        for (name, example) in examples {
            let expected = &answers["examples"][name]["value"];
            assert_eq!(faults(&request, &example["value"]), [""; 0], "{path}, {name}");
            assert_eq!(faults(&answer, expected), [""; 0], "{path}, {name}");
            conversation.post(path, name, &example["value"], expected).await;
        }
    }
}

#[tokio::test]
async fn errors_are_as_described() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let hall = json!({ "categories": ["front"], "sections": [{ "id": "A", "category": "front", "rows": [4] }] });
    let (seat, pick) = ("A-01-01", json!([{ "category": "front", "count": 2 }]));
    let cases = [
        ("/api/red-packet/claim", json!({ "sale": "nope", "user": "mei" }), 404, "unknown_sale"),
        ("/api/red-packet/claim", json!({ "sale": "", "user": "mei" }), 400, "bad_request"),
        ("/api/ticket/open", json!({ "hall": "theatre", "holds": 1 }), 400, "bad_request"),
        ("/api/ticket/pay", json!({ "sale": "nope", "order": "1" }), 404, "unknown_sale"),
        ("/api/crowd/status", json!({ "run": "nope" }), 404, "unknown_run"),
        ("/api/sales", json!({ "limit": 0 }), 400, "bad_request"),
        ("/api/ledger/search", json!({ "after": "nowhere" }), 400, "bad_request"),
        // Fields that exclude each other, of which one must be there.
        ("/api/ticket/open", json!({ "hall": null, "layout": null }), 400, "bad_request"),
        ("/api/ticket/open", json!({ "hall": "theatre", "layout": hall }), 400, "bad_request"),
        (
            "/api/ticket/reserve",
            json!({ "sale": "nope", "user": "mei", "seats": [], "pick": null }),
            400,
            "bad_request",
        ),
        (
            "/api/ticket/reserve",
            json!({ "sale": "nope", "user": "mei", "seats": [seat], "pick": pick }),
            400,
            "bad_request",
        ),
        (
            "/api/ticket/reserve",
            json!({ "sale": "nope", "user": "mei", "seats": [], "pick": pick }),
            404,
            "unknown_sale",
        ),
        (
            "/api/ticket/reserve",
            json!({ "sale": "nope", "user": "mei", "seats": [seat], "holders": ["."] }),
            400,
            "bad_request",
        ),
        ("/api/coupon/limits", json!({ "sale": "nope", "unlimited": [] }), 400, "bad_request"),
        ("/api/coupon/limits", json!({ "sale": "nope", "total": 1, "unlimited": ["total"] }), 400, "bad_request"),
        ("/api/coupon/limits", json!({ "sale": "nope", "total": 1, "unlimited": ["per_user"] }), 404, "unknown_sale"),
        ("/api/description", json!({ "group": "nothing" }), 400, "bad_request"),
        ("/api/ledger/retry", json!({ "kind": "nothing" }), 400, "bad_request"),
        ("/api/ledger/set-aside", json!({ "kind": "nothing" }), 400, "bad_request"),
        ("/api/audit/last", json!({ "kind": "nothing", "sale": "nope" }), 400, "bad_request"),
        ("/api/sales", json!({ "after": "1-nothing:nope" }), 400, "bad_request"),
        ("/api/sales", json!({ "state": "archived", "after": "0" }), 400, "bad_request"),
        ("/api/coupon/open", json!({ "time_zone": "a zone" }), 400, "bad_request"),
        ("/api/crowd/runs", json!({ "kind": "stock", "sale": "nope", "after": "1" }), 400, "bad_request"),
        ("/api/coupon/redeem", json!({ "sale": "nope", "code": "0_00-0000-0000" }), 400, "bad_request"),
        ("/api/coupon/redeem", json!({ "sale": "nope", "code": " 0l0o-0000 0000-" }), 404, "unknown_sale"),
        // To JSON Schema, this is an integer.
        ("/api/coupon/limits", json!({ "sale": "nope", "total": 5.0 }), 404, "unknown_sale"),
        ("/api/coupon/limits", json!({ "sale": "nope", "total": 5.5 }), 400, "bad_request"),
    ];
    for (path, request, status, code) in cases {
        // Checks the answer against the schema of this status.
        let (found, answer) = server.post(path, &request).await;
        assert_eq!((found, &answer["error"]["code"]), (status, &json!(code)), "{path}: {answer}");
        let request_schema = &DOCUMENT["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"];
        let is_as_described = faults(&validator(request_schema), &request).is_empty();
        assert_eq!(is_as_described, status != 400, "the schema knows what is refused: {path} {request}");
    }
    for error in DOCUMENT["components"]["examples"].as_object().expect("examples").values() {
        let schema = json!({ "$ref": "#/components/schemas/Error" });
        assert_eq!(faults(&validator(&schema), &error["value"]), [""; 0]);
    }
}

/// An id may be valid by its pattern and not to the server if it has more bytes than characters, or is not composed.
#[test]
fn the_patterns_of_ids_allow_what_the_server_does() {
    let of = |path: &str, field: &str| {
        let schema = &DOCUMENT["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"];
        validator(&schema["properties"][field])
    };
    let (id, new_id) = (of("/api/ticket/order", "order"), of("/api/ticket/reserve", "user"));
    let around =
        |letter: char| [format!("{letter}"), format!("a{letter}"), format!("{letter}a"), format!("a{letter}b")];
    let letters = (0..0x3100).chain(0xd7f0..0x10100).chain((0x10000..0x11_0000).step_by(0x101));
    let edges =
        [0x16fe3, 0x16fe4, 0x16fe5, 0x1bc9f, 0x1bca0, 0x1bca4, 0x1d172, 0x1d17b, 0xe0fff, 0xe1000, 0xeffff, 0xf0000];
    let letters = letters.chain(edges).filter_map(char::from_u32);
    let texts = ["", " ", "  ", "a b", "a  b", " a", ".", "..", "...", "a\n", "\n"].map(str::to_owned);
    let (longest, too_long) = ("a".repeat(64), "a".repeat(65));
    for text in letters.flat_map(around).chain(texts).chain([longest, too_long]) {
        assert_eq!(id.is_valid(&json!(text)), check_id("id", &text).is_ok(), "{text:?}");
        let allowed = check_new_id("id", &text);
        let is_composed = !allowed.as_ref().is_err_and(|error| error.message.contains("(NFC)"));
        assert!(!is_composed || new_id.is_valid(&json!(text)) == allowed.is_ok(), "{text:?}");
    }
}

#[tokio::test]
async fn every_status_is_described() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    for (method, path, operation) in operations() {
        let url = format!("{}{path}", server.url);
        for other in [Method::GET, Method::POST, Method::PUT, Method::DELETE] {
            if other.as_str().eq_ignore_ascii_case(method) {
                continue;
            }
            let answer = server.http.request(other.clone(), &url).send().await.expect("an answer");
            assert_eq!(answer.status(), 405, "{other} {path}");
            let allowed = answer.headers()["allow"].to_str().expect("text").to_lowercase();
            assert!(allowed.split(',').any(|allowed| allowed == method), "{other} {path}: {allowed}");
        }
        if method == "post" {
            let answer = server.http.post(url).body("{}").send().await.expect("an answer");
            assert_eq!(answer.status(), 415, "{path}");
            let answer: Value = answer.json().await.expect("JSON");
            for status in ["408", "413", "415"] {
                let schema = &operation["responses"][status]["content"]["application/json"]["schema"];
                assert_eq!(faults(&validator(schema), &answer), [""; 0], "{path} {status}");
            }
        }
    }
    let report = server.http.get(format!("{}/api/lab/report?run=a&format=json&lang=de", server.url));
    assert_eq!(report.send().await.expect("an answer").status(), 400);
    for path in ["/api/lab/report", "/api/crowd/report"] {
        let parameters = DOCUMENT["paths"][path]["get"]["parameters"].as_array().expect("parameters");
        let lang = parameters.iter().find(|parameter| parameter["name"] == "lang").expect("a parameter");
        assert_eq!(lang["schema"]["enum"], json!(["en", "zh"]), "{path}: an address has no null");
    }
}

#[tokio::test]
async fn the_document_is_served_for_programs_to_read() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let url = format!("{}/api/openapi.json", server.url);
    let request = server.http.get(url).header("accept-encoding", "gzip");
    let answer = request.send().await.expect("an answer");
    let header = |name: &str| answer.headers()[name].to_str().expect("text").to_owned();
    assert_eq!(
        [header("content-type"), header("cache-control"), header("content-encoding")],
        ["application/json", "no-cache", "gzip"]
    );
    assert_eq!(server.get("/api/openapi.json").await, (200, DOCUMENT.clone()));
}

/// What stands behind each of these, up to the next quotation mark.
fn attributes<'a>(html: &'a str, start: &'a str) -> Vec<&'a str> {
    html.split(start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[tokio::test]
async fn the_pages_show_every_endpoint_without_javascript_and_in_both_languages() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let page = async |query: &str, language: &str| {
        let request = server.http.get(format!("{}/api{query}", server.url)).header("accept-language", language);
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 200);
        // Without the marks of hydration.
        answer.text().await.expect("a page").replace("<!>", "")
    };
    for (language, title) in [("en", "Endpoints"), ("zh-CN", "接口")] {
        let contents = page("", language).await;
        assert!(contents.contains(&format!("<h2 id=\"contents\">{title}</h2>")), "{language}");
        assert!(contents.contains("href=\"/api/openapi.json\""), "{language}");
        for code in ["bad_request", "sale_suspended", "unavailable"] {
            assert!(contents.contains(&format!("id=\"error-{code}\"")), "{code}");
        }
        let types = page("?group=types", language).await;
        let types: BTreeSet<&str> = attributes(&types, " id=\"").into_iter().collect();
        let mut shown = BTreeSet::new();
        for group in attributes(&contents, "href=\"/api?group=").into_iter().filter(|link| !link.contains('#')) {
            let html = page(&format!("?group={group}"), language).await;
            let ids = attributes(&html, " id=\"");
            let known: BTreeSet<&str> = ids.iter().copied().collect();
            assert_eq!(known.len(), ids.len(), "each id is there once");
            for link in attributes(&html, "href=\"#") {
                assert!(known.contains(link), "nothing has the id {link}");
            }
            for link in attributes(&html, "href=\"/api?group=types#") {
                assert!(types.contains(link), "there is no type {link}");
            }
            shown.extend(ids.iter().map(|id| format!("{group}#{id}")));
        }
        let links = attributes(&contents, "href=\"/api?group=").into_iter().filter(|link| link.contains('#'));
        let links: BTreeSet<&str> = links.collect();
        assert_eq!(links.len(), operations().len());
        for (_, path, operation) in operations() {
            let id = operation["operationId"].as_str().expect("an id");
            let link = links.iter().find(|link| link.ends_with(&format!("#{id}"))).unwrap_or_else(|| panic!("{path}"));
            assert!(shown.contains(*link), "{link}");
        }
    }
}

#[tokio::test]
async fn the_table_of_contents_is_filtered_without_javascript_too() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let (_, html) = server.get("/api?filter=TICKET+reserve").await;
    let html = html.as_str().expect("a page").replace("<!>", "");
    assert!(html.contains("value=\"TICKET reserve\""));
    assert!(html.contains("<span role=\"status\">1 endpoint</span>"));
    let links = html.split("<li").filter_map(|item| item.split_once("<a rel=\"external\" href=\"/api?group=tickets#"));
    let (hidden, shown): (Vec<_>, Vec<_>) = links.partition(|(item, _)| item.starts_with(" hidden"));
    assert_eq!(shown.len(), 1);
    assert!(shown[0].1.contains("<code>/api/ticket/reserve</code>"), "{shown:?}");
    assert_eq!(hidden.len(), operations().iter().filter(|(_, path, _)| path.starts_with("/api/ticket/")).count() - 1);
}

#[tokio::test]
async fn the_examples_ask_the_host_that_the_reader_asked() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let page = async |host: &str| {
        let request = server.http.get(format!("{}/api?group=server", server.url)).header("host", host);
        request.send().await.expect("an answer").text().await.expect("a page")
    };
    assert!(page("shop.localhost:8080").await.contains("curl http://shop.localhost:8080/api/ping -H"));
    assert!(page("127.0.0.1").await.contains("curl http://127.0.0.1/healthz<"));
    // What a shell would carry out is quoted.
    assert!(page("$(reboot).localhost").await.contains("curl 'http://$(reboot).localhost/healthz'<"));
}
