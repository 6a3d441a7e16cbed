//! The description of the API, which every answer that a test gets must fit.

use serde_json::{Value, json};
use stampede::{openapi::ApiDocument, server::api};
use std::{collections::BTreeMap, sync::LazyLock};

/// As the server gives it.
pub static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let ApiDocument(document) = api::description();
    document
});

/// By path and status; the schema of the request has status 0.
static VALIDATORS: LazyLock<BTreeMap<(String, u16), jsonschema::Validator>> = LazyLock::new(|| {
    let mut validators = BTreeMap::new();
    for (path, operation) in DOCUMENT["paths"].as_object().expect("paths") {
        let operation = &operation["post"];
        let mut add = |status: u16, content: &Value| {
            let schema = &content["application/json"]["schema"];
            if !schema.is_null() {
                validators.insert((path.clone(), status), validator(schema));
            }
        };
        add(0, &operation["requestBody"]["content"]);
        for (status, response) in operation["responses"].as_object().into_iter().flatten() {
            add(status.parse().expect("a status"), &response["content"]);
        }
    }
    validators
});

/// A validator of a schema that stands in the document.
pub fn validator(schema: &Value) -> jsonschema::Validator {
    let schema = json!({ "components": DOCUMENT["components"], "allOf": [schema] });
    jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{error}: {schema}"))
}

/// What is wrong with a value.
pub fn faults(validator: &jsonschema::Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// An answer must be one that the description has; a request that was carried out, too.
pub fn check(path: &str, request: &Value, status: u16, answer: &Value) {
    let described = |status: u16| VALIDATORS.get(&(path.to_owned(), status));
    // Nobody described what there is not, and that a request whose method, media type or pace is wrong is an error.
    if described(0).is_none() || matches!(status, 405 | 408 | 415) {
        return;
    }
    let validator = described(status).unwrap_or_else(|| panic!("{path} is not said to answer {status}: {answer}"));
    let wrong = faults(validator, answer);
    assert!(wrong.is_empty(), "{path} {status}: {wrong:#?} in {answer}");
    if status == 200 {
        let wrong = described(0).map(|validator| faults(validator, request)).unwrap_or_default();
        assert!(wrong.is_empty(), "{path} took {request}: {wrong:#?}");
    }
}
