//! The description of the API. Every answer that a test gets must match it.

use jsonschema::Validator;
use serde_json::{Value, json};
use stampede::server::api;
use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock, Mutex},
};
use web::{base_path::BasePath, openapi::ApiDocument};

/// The description from the server.
pub static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let ApiDocument(document) = api::description(&BasePath::default());
    document
});

/// The validators that have been used, by path and status. (Each test is a process of its own, and building all of them
/// at once would take seconds.)
static VALIDATORS: Mutex<BTreeMap<(String, u16), Arc<Validator>>> = Mutex::new(BTreeMap::new());

/// The validator of the answers of a path with this status, or of the requests to it if the status is 0; `None` if
/// nothing is described.
fn described(path: &str, status: u16) -> Option<Arc<Validator>> {
    let operation = &DOCUMENT["paths"][path]["post"];
    let content = match status {
        0 => &operation["requestBody"]["content"],
        _ => &operation["responses"][status.to_string()]["content"],
    };
    let schema = Some(&content["application/json"]["schema"]).filter(|schema| !schema.is_null())?;
    let mut validators = VALIDATORS.lock().expect("nothing panics that holds this");
    Some(validators.entry((path.to_owned(), status)).or_insert_with(|| Arc::new(validator(schema))).clone())
}

/// A validator of a schema in the document.
pub fn validator(schema: &Value) -> Validator {
    let schema = json!({ "components": DOCUMENT["components"], "allOf": [schema] });
    jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{error}: {schema}"))
}

/// The errors in a value.
pub fn faults(validator: &Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// Checks that an answer matches the description. A request that was carried out must match it, too.
pub fn check(path: &str, request: &Value, status: u16, answer: &Value) {
    // Paths that do not exist are not described, and neither is the error for another method.
    let Some(request_validator) = described(path, 0).filter(|_| status != 405) else { return };
    let validator =
        described(path, status).unwrap_or_else(|| panic!("{path} is not said to answer {status}: {answer}"));
    let wrong = faults(&validator, answer);
    assert!(wrong.is_empty(), "{path} {status}: {wrong:#?} in {answer}");
    if status == 200 {
        let wrong = faults(&request_validator, request);
        assert!(wrong.is_empty(), "{path} took {request}: {wrong:#?}");
    }
}
