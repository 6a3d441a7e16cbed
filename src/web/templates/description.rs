//! The description of the API of templates.

use crate::KINDS;
use crate::{
    openapi::Endpoint,
    templates::api::{DeleteTemplateRequest, SaveTemplateRequest, TemplatesRequest},
};
use model::{
    error::Code,
    templates::{MAX_FIELD, MAX_FIELDS},
};
use serde_json::{Value, json};

/// Returns the endpoints that list, save and delete templates.
pub fn endpoints() -> [Endpoint; 3] {
    let kinds = || json!({ "enum": KINDS.iter().map(|kind| kind.info.id).collect::<Vec<_>>() });
    let kind = KINDS[0].info.id;
    let fields = || json!({ "count": "100", "total_cents": "88.80" });
    let texts = json!({ "type": "string", "maxLength": MAX_FIELD });
    let limits = json!({
        "minProperties": 1, "maxProperties": MAX_FIELDS,
        "propertyNames": { "maxLength": MAX_FIELD }, "additionalProperties": texts,
    });
    [
        Endpoint::of::<SaveTemplateRequest>()
            .limit("kind", kinds())
            .new_id("name")
            .limit("fields", limits)
            .errors(&[Code::LedgerUnavailable])
            .example(
                "saved now",
                json!({ "kind": kind, "name": "Flash sale", "fields": fields() }),
                template(kind, fields()),
            ),
        Endpoint::of::<TemplatesRequest>().limit("kind", kinds()).errors(&[Code::LedgerUnavailable]).example(
            "all of a kind",
            json!({ "kind": kind }),
            json!([template(kind, fields())]),
        ),
        Endpoint::of::<DeleteTemplateRequest>()
            .limit("kind", kinds())
            .id("name")
            .errors(&[Code::LedgerUnavailable])
            .example("deleted now", json!({ "kind": kind, "name": "Flash sale" }), json!({ "outcome": "deleted" })),
    ]
}

fn template(kind: &str, fields: Value) -> Value {
    json!({ "kind": kind, "name": "Flash sale", "fields": fields, "saved_at": 1_767_225_600_000_i64 })
}
