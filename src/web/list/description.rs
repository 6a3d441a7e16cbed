//! The description of the list's API.

use crate::KINDS;
use crate::{
    list::api::ListRequest,
    openapi::{Endpoint, MakeSchema, OF_THE_STORE},
};
use model::{
    SaleState,
    error::Code,
    list::{DEFAULT_LIMIT, MAX_LIMIT, MAX_TEXT, SaleList, SaleSummary, Sort},
};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};

/// Returns the endpoint of the list. `details` has the additional fields of each kind's sales.
pub fn endpoint(details: Vec<(&'static str, MakeSchema)>) -> Endpoint {
    let kinds: Vec<_> = KINDS.iter().map(|kind| kind.info.id).collect();
    Endpoint::of::<ListRequest>()
        .limit("kind", json!({ "enum": kinds }))
        .limit("state", json!({ "enum": SaleState::ALL.map(SaleState::name) }))
        .id("id")
        .limit("text", json!({ "minLength": 1, "maxLength": MAX_TEXT }))
        .id("sale")
        .limit("sort", json!({ "enum": Sort::names() }))
        .range("limit", 1, MAX_LIMIT)
        .default("limit", DEFAULT_LIMIT)
        // For archived sales, the cursor is the ledger's number of the sale; in a sorted list, how many come before.
        .limit("after", json!({ "pattern": format!("^([1-9][0-9]{{0,17}}$|[0-9]{{1,18}}-({}):.)", kinds.join("|")) }))
        .errors(&OF_THE_STORE)
        .errors(&[Code::LedgerUnavailable])
        .answer(move |generator| {
            let list = generator.subschema_for::<SaleList>();
            by_kind(generator, &details);
            list
        })
        .example("open sales", json!({ "state": "open", "limit": 1 }), example())
        .example("fewest left first", json!({ "sort": "left", "limit": 1 }), sorted_example())
}

/// Splits the schema of a sale into one for each kind, with the fields of the kind.
fn by_kind(generator: &mut SchemaGenerator, details: &[(&'static str, MakeSchema)]) {
    let name = generator.subschema_for::<SaleSummary>();
    let Some(name) = name.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next()) else { return };
    let kinds: Vec<Schema> = details
        .iter()
        .map(|(kind, details)| {
            let details = details(generator);
            schemars::json_schema!({ "properties": { "kind": { "const": kind } }, "allOf": [details] })
        })
        .collect();
    if let Some(summary) = generator.definitions_mut().get_mut(name).and_then(Value::as_object_mut) {
        summary.remove("additionalProperties");
        summary.insert("oneOf".to_owned(), json!(kinds));
    }
}

fn sorted_example() -> Value {
    let mut sorted = example();
    sorted["next"] = json!("1");
    sorted["totals"] = json!({ "listed": 3, "sales": 3, "live": 2, "total": 1_200, "left": 510 });
    sorted
}

fn example() -> Value {
    let kind = &KINDS[0];
    json!({
        "sales": [{
            "kind": kind.info.id, "sale": "spring", "state": "open", "total": 100, "left": 99,
            "opened_at": 1_767_225_600_000_i64, "now": 1_767_225_602_000_i64, "opens_at": null, "ends_at": 1_767_312_000_000_i64, "title": {},
            "currency": "CNY", "crowd": false, "lag_events": 0,
            "count": 100, "pending": 99, "total_cents": 8_880, "claimed_cents": 30,
            "expires_at": 1_767_312_000_000_i64,
        }],
        "next": null,
    })
}
