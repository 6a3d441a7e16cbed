//! Templates of the forms that open sales: saved under a name, replaced, deleted, on either database.

use crate::support::{
    app::{Server, TestApp},
    ledger::{Base, TestLedger},
    redis::TestRedis,
    sale::START,
};
use model::templates::{MAX_FIELD, MAX_TEMPLATES, Template};
use serde_json::{Value, json};

async fn ok(server: &Server, path: &str, body: Value) -> Value {
    let (status, answer) = server.post(path, &body).await;
    assert_eq!(status, 200, "{path}: {answer}");
    answer
}

#[tokio::test]
async fn a_template_is_saved_under_its_name_replaced_and_deleted() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let save = async |name: &str, quantity: &str| {
        let fields = json!({ "quantity": quantity, "id": "" });
        ok(&server, "/api/templates/save", json!({ "kind": "stock", "name": name, "fields": fields })).await
    };
    let of = |name: &str, quantity: &str, saved_at: i64| json!({ "kind": "stock", "name": name, "fields": { "id": "", "quantity": quantity }, "saved_at": saved_at });
    let all = async |kind: &str| ok(&server, "/api/templates", json!({ "kind": kind })).await;
    assert_eq!(all("stock").await, json!([]));
    assert_eq!(save("Flash sale", "10").await, of("Flash sale", "10", START));
    assert_eq!(save("All week", "500").await, of("All week", "500", START));
    server.app.time.advance(5);
    save("Flash sale", "20").await;
    assert_eq!(all("stock").await, json!([of("All week", "500", START), of("Flash sale", "20", START + 5)]));
    assert_eq!(all("coupon").await, json!([]), "another kind has its own");
    let delete = async || {
        ok(&server, "/api/templates/delete", json!({ "kind": "stock", "name": "Flash sale" })).await["outcome"].clone()
    };
    assert_eq!((delete().await, delete().await), (json!("deleted"), json!("repeat")));
    assert_eq!(all("stock").await, json!([of("All week", "500", START)]));

    for (field, request) in [
        ("kind", json!({ "kind": "raffle", "name": "a", "fields": { "a": "b" } })),
        ("name", json!({ "kind": "stock", "name": "a  b", "fields": { "a": "b" } })),
        ("fields", json!({ "kind": "stock", "name": "a", "fields": {} })),
        ("fields", json!({ "kind": "stock", "name": "a", "fields": { "a": "b".repeat(MAX_FIELD + 1) } })),
    ] {
        let (status, answer) = server.post("/api/templates/save", &request).await;
        assert_eq!((status, &answer["error"]["field"]), (400, &json!(field)), "{answer}");
    }
}

fn template(number: u32) -> Template {
    let fields = [("quantity".to_owned(), number.to_string())].into();
    Template { kind: "stock".to_owned(), name: format!("t{number:02}"), fields, saved_at: i64::from(number) }
}

async fn no_kind_has_more_templates_than_it_may(ledger: &TestLedger) {
    for number in 0..MAX_TEMPLATES {
        assert_eq!(ledger.save_template(&template(number)).await, Ok(true));
    }
    assert_eq!(ledger.save_template(&template(MAX_TEMPLATES)).await, Ok(false), "too many");
    let again = Template { saved_at: 99, ..template(3) };
    assert_eq!(ledger.save_template(&again).await, Ok(true), "in place of the one that is there");
    let found = ledger.templates("stock").await.expect("templates");
    assert_eq!((found.len(), &found[3], &found[4]), (MAX_TEMPLATES as usize, &again, &template(4)));
    assert_eq!(ledger.delete_template("stock", "t03").await, Ok(true));
    assert_eq!(ledger.delete_template("stock", "t03").await, Ok(false));
    assert_eq!(ledger.save_template(&template(MAX_TEMPLATES)).await, Ok(true), "there is room again");
}

#[tokio::test]
async fn no_kind_has_more_templates_than_it_may_in_sqlite() {
    no_kind_has_more_templates_than_it_may(&Base::sqlite().ledger().await).await;
}

#[tokio::test]
async fn no_kind_has_more_templates_than_it_may_in_postgresql() {
    no_kind_has_more_templates_than_it_may(&Base::postgres().ledger().await).await;
}
