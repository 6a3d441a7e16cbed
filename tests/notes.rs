//! Notes on sales: added once, kept by either database, also when the sale is archived.

use crate::support::{
    app::{Server, TestApp},
    ledger::{Base, TestLedger},
    redis::TestRedis,
    sale::{START, clock},
};
use ledger::database::{Ledger, Place};
use model::notes::{MAX_NOTE, MAX_NOTES, Note};
use serde_json::{Value, json};

async fn add(server: &Server, sale: &str, text: &str, request_id: Option<&str>) -> (u16, Value) {
    let mut request = json!({ "kind": "stock", "sale": sale, "text": text });
    if let Some(request_id) = request_id {
        request["request_id"] = json!(request_id);
    }
    server.post("/api/sales/note", &request).await
}

async fn texts(server: &Server, sale: &str) -> Vec<Value> {
    let (status, notes) = server.post("/api/sales/notes", &json!({ "kind": "stock", "sale": sale })).await;
    assert_eq!(status, 200, "{notes}");
    notes.as_array().expect("notes").iter().map(|note| note["text"].clone()).collect()
}

#[tokio::test]
async fn a_note_is_added_once_and_stays_with_its_sale() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    assert_eq!(add(&server, "shoes", "too early", None).await.0, 404);
    server.post("/api/stock/open", &json!({ "id": "shoes", "quantity": 1 })).await;
    // The ledger does not have the sale yet.
    let first = json!({ "at": START, "text": "Printed on Friday", "request_id": "n1" });
    assert_eq!(
        add(&server, "shoes", " Printed on Friday ", Some("n1")).await,
        (200, json!({ "outcome": "noted", "note": first }))
    );
    server.app.time.advance(1_000);
    assert_eq!(
        add(&server, "shoes", "Printed on Friday", Some("n1")).await,
        (200, json!({ "outcome": "repeat", "note": first }))
    );
    let (status, other) = add(&server, "shoes", "Another", Some("n1")).await;
    assert_eq!((status, &other["error"]["field"]), (400, &json!("request_id")), "{other}");
    assert_eq!(add(&server, "shoes", "客服已通知", None).await.0, 200);
    assert_eq!(texts(&server, "shoes").await, ["客服已通知", "Printed on Friday"]);
    assert_eq!(texts(&server, "boots").await, Vec::<Value>::new());

    let mut writer = server.app.writer("one");
    writer.catch_up().await.expect("the ledger");
    server.post("/api/sales/close", &json!({ "kind": "stock", "sale": "shoes" })).await;
    writer.catch_up().await.expect("the ledger");
    assert_eq!(server.post("/api/sales/archive", &json!({ "kind": "stock", "sale": "shoes" })).await.0, 200);
    server.app.time.advance(1_000);
    assert_eq!(add(&server, "shoes", "It went well", None).await.0, 200);
    assert_eq!(texts(&server, "shoes").await, ["It went well", "客服已通知", "Printed on Friday"]);
}

#[tokio::test]
async fn what_is_no_note_is_refused_by_field() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    server.post("/api/stock/open", &json!({ "id": "shoes", "quantity": 1 })).await;
    for text in ["", "  ", "two\nlines", &"a".repeat(MAX_NOTE + 1)] {
        let (status, answer) = add(&server, "shoes", text, None).await;
        assert_eq!((status, &answer["error"]["field"]), (400, &json!("text")), "{answer}");
    }
    let raffle = json!({ "kind": "raffle", "sale": "shoes", "text": "a" });
    let (status, answer) = server.post("/api/sales/note", &raffle).await;
    assert_eq!((status, &answer["error"]["field"]), (400, &json!("kind")), "{answer}");
    assert_eq!(texts(&server, "shoes").await, Vec::<Value>::new());
}

/// Status, type, name and text of a file of notes.
async fn file(server: &Server, query: &str) -> (u16, [String; 2], String) {
    let url = format!("{}/api/ledger/notes?{query}", server.url);
    let answer = server.http.get(url).send().await.expect("an answer");
    let status = answer.status().as_u16();
    let header = |name: &str| {
        let value = answer.headers().get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let headers = [header("content-type"), header("content-disposition")];
    (status, headers, answer.text().await.expect("a body"))
}

#[tokio::test]
async fn the_notes_on_a_sale_are_a_file_beside_its_export() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    server.post("/api/stock/open", &json!({ "id": "shoes", "quantity": 1 })).await;
    server.post("/api/coupon/open", &json!({ "id": "shoes", "total": 1 })).await;
    add(&server, "shoes", "=1+1, \"printed\"", Some("n1")).await;
    server.app.time.advance(1_000);
    let of_coupons = json!({ "kind": "coupon", "sale": "shoes", "text": "客服已通知", "request_id": "n2" });
    assert_eq!(server.post("/api/sales/note", &of_coupons).await.0, 200);

    let (status, headers, csv) = file(&server, "format=csv&sale=shoes").await;
    assert_eq!(status, 200);
    assert_eq!(headers, ["text/csv; charset=utf-8", "attachment; filename=\"shoes-2023-11-14-notes.csv\""]);
    let lines = [
        "\u{feff}at,kind,sale,text,request_id,at_iso".to_owned(),
        format!("{},coupon,shoes,客服已通知,n2,2023-11-14T22:13:21.000Z", START + 1_000),
        format!("{START},stock,shoes,\"'=1+1, \"\"printed\"\"\",n1,2023-11-14T22:13:20.000Z"),
        "end,rows,2,,,".to_owned(),
    ];
    assert_eq!(csv.lines().collect::<Vec<_>>(), lines);
    let (_, headers, jsonl) = file(&server, "format=jsonl&sale=shoes&kind=stock").await;
    assert_eq!(headers[1], "attachment; filename=\"shoes-stock-2023-11-14-notes.jsonl\"");
    let lines: Vec<Value> = jsonl.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let note = json!({
        "kind": "stock", "sale": "shoes", "at": START, "text": "=1+1, \"printed\"", "request_id": "n1",
    });
    assert_eq!(lines, [note, json!({ "end": true, "rows": 1 })]);
    assert_eq!(file(&server, "format=jsonl&sale=boots&kind=").await.2, "{\"end\":true,\"rows\":0}\n");

    for (query, field) in [
        ("sale=shoes", "format"),
        ("format=csv", "sale"),
        ("format=xml&sale=shoes", "format"),
        ("format=csv&sale=", "sale"),
        ("format=csv&sale=shoes&kind=raffle", "kind"),
        ("format=csv&sale=shoes&user=ann", "user"),
    ] {
        let (status, answer) = server.get(&format!("/api/ledger/notes?{query}")).await;
        assert_eq!((status, &answer["error"]["field"]), (400, &json!(field)), "{query}: {answer}");
    }
}

fn note(number: u32) -> Note {
    Note { at: i64::from(number), text: format!("note {number}"), request_id: format!("r{number}") }
}

async fn no_sale_has_more_notes_than_it_may(ledger: &TestLedger) {
    for number in 0..MAX_NOTES {
        assert_eq!(ledger.add_note("stock", "shoes", &note(number)).await, Ok(true));
    }
    assert_eq!(ledger.add_note("stock", "shoes", &note(MAX_NOTES)).await, Ok(false), "too many");
    assert_eq!(ledger.add_note("stock", "shoes", &note(3)).await, Ok(false), "it is there");
    assert_eq!(ledger.add_note("ticket", "shoes", &note(3)).await, Ok(true), "another sale");
    let notes = ledger.notes("stock", "shoes").await.expect("notes");
    assert_eq!((notes.len(), &notes[0]), (MAX_NOTES as usize, &note(MAX_NOTES - 1)), "the newest first");
    assert_eq!(ledger.notes("ticket", "shoes").await, Ok(vec![note(3)]));
}

#[tokio::test]
async fn no_sale_has_more_notes_than_it_may_in_sqlite() {
    no_sale_has_more_notes_than_it_may(&Base::sqlite().ledger().await).await;
}

#[tokio::test]
async fn no_sale_has_more_notes_than_it_may_in_postgresql() {
    no_sale_has_more_notes_than_it_may(&Base::postgres().ledger().await).await;
}

#[tokio::test]
async fn a_sale_that_is_full_of_notes_says_so() {
    let redis = TestRedis::start().await;
    let ledger = Ledger::connect(Place::Folder(redis.folder())).await.expect("a ledger");
    let server = TestApp::with(&redis.url(), ledger.clone(), clock(), 1, 10_000).await.serve().await;
    server.post("/api/stock/open", &json!({ "id": "shoes", "quantity": 1 })).await;
    for number in 0..MAX_NOTES {
        ledger.add_note("stock", "shoes", &note(number)).await.expect("added");
    }
    let (status, answer) = add(&server, "shoes", "one more", None).await;
    assert_eq!((status, &answer["error"]["field"]), (400, &json!("sale")), "{answer}");
    assert_eq!(add(&server, "shoes", "note 3", Some("r3")).await.1["outcome"], "repeat", "it was added before");
}
