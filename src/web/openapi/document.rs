//! The OpenAPI document, assembled from the descriptions of all endpoints.

use crate::{
    base_path::BasePath,
    openapi::{
        endpoint::{Endpoint, Group, Method, paragraphs},
        errors,
    },
};
use model::error::{Code, Error};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Describes these endpoints of a server under this path as OpenAPI 3.1. `info` has the general information about the API.
pub fn document(base: &BasePath, info: &Value, groups: &[Group]) -> Value {
    let mut generator = answers();
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for group in groups {
        for endpoint in &group.endpoints {
            let operation = operation(endpoint, group.name, &mut generator);
            paths.entry(endpoint.path).or_default().insert(endpoint.method.name().to_owned(), operation);
        }
    }
    let _error = generator.subschema_for::<Error>();
    let tags: Vec<Value> = groups
        .iter()
        .map(|group| {
            let order: Vec<&str> = group.endpoints.iter().map(|endpoint| endpoint.path).collect();
            json!({ "name": group.name, "description": paragraphs(&group.description), "x-order": order })
        })
        .collect();
    let mut document = json!({
        "openapi": "3.1.0",
        "info": info,
        // Relative to the origin of this document.
        "servers": [{ "url": if base.as_str().is_empty() { "/" } else { base.as_str() } }],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "examples": errors::ALL
                .map(|code| (name(code), json!({ "value": errors::example(code) })))
                .into_iter()
                .collect::<Map<_, _>>(),
        },
        "x-errors": errors::ALL.map(|code| json!({
            "code": code,
            "status": code.status(),
            "what_to_do": errors::what_to_do(code),
        })),
    });
    join_lines(&mut document);
    document
}

/// Joins the lines of all descriptions into paragraphs: doc comments have the line breaks of the source.
fn join_lines(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(description)) = fields.get_mut("description") {
                *description = paragraphs(description);
            }
            fields.values_mut().for_each(join_lines);
        }
        Value::Array(values) => values.iter_mut().for_each(join_lines),
        _ => {}
    }
}

/// Returns a generator for the schemas of answers: named types are shared definitions.
fn answers() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    settings.into_generator()
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Post => "post",
        }
    }
}

fn operation(endpoint: &Endpoint, tag: &str, generator: &mut SchemaGenerator) -> Value {
    let mut operation = json!({
        "tags": [tag],
        "operationId": id(endpoint),
        "summary": summary(&endpoint.description),
        "description": endpoint.description,
        "responses": responses(endpoint, generator),
    });
    match endpoint.method {
        Method::Get => operation["parameters"] = parameters(endpoint),
        Method::Post => {
            let examples = examples(endpoint, |example| &example.request);
            operation["requestBody"] = json!({
                "required": true,
                "content": { "application/json": { "schema": endpoint.request, "examples": examples } },
            });
        }
    }
    operation
}

/// Returns the id of an operation: `post-api-red-packet-claim`
fn id(endpoint: &Endpoint) -> String {
    let words = endpoint.path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    std::iter::once(endpoint.method.name()).chain(words).collect::<Vec<_>>().join("-")
}

/// Returns the first sentence.
fn summary(description: &str) -> &str {
    let paragraph = description.split("\n\n").next().unwrap_or_default();
    paragraph.split(". ").next().unwrap_or_default().trim_end_matches('.')
}

fn parameters(endpoint: &Endpoint) -> Value {
    let required: Vec<&str> = match endpoint.request["required"].as_array() {
        Some(names) => names.iter().filter_map(Value::as_str).collect(),
        None => Vec::new(),
    };
    let fields = endpoint.request["properties"].as_object().into_iter().flatten();
    let example = endpoint.examples.first().map(|example| &example.request);
    let parameters = fields.map(|(name, schema)| {
        let mut schema = schema.clone();
        let description = schema.as_object_mut().and_then(|schema| schema.remove("description")).unwrap_or_default();
        forbid_null(&mut schema);
        let is_in_path = endpoint.in_path.contains(&name.as_str());
        let mut parameter = json!({
            "name": name,
            "in": if is_in_path { "path" } else { "query" },
            "required": is_in_path || required.contains(&name.as_str()),
            "description": description,
            "schema": schema,
        });
        if let Some(value) = example.and_then(|example| example.get(name)) {
            parameter["example"] = value.clone();
        }
        parameter
    });
    parameters.collect()
}

/// Removes `null` from a schema: an address can leave a parameter out, but cannot give it no value.
fn forbid_null(schema: &mut Value) {
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        values.retain(|value| !value.is_null());
    }
    if let Some([name, null]) = schema.get("type").and_then(Value::as_array).map(Vec::as_slice)
        && null == "null"
    {
        schema["type"] = name.clone();
    }
}

fn responses(endpoint: &Endpoint, generator: &mut SchemaGenerator) -> Value {
    let schema = (endpoint.answer.schema)(generator);
    let mut media_type = json!({ "schema": schema, "examples": examples(endpoint, |example| &example.answer) });
    if let Some(item) = &endpoint.answer.item {
        media_type["x-item"] = item(generator).to_value();
    }
    let media = endpoint.answer.media.iter().map(|media| ((*media).to_owned(), media_type.clone()));
    let texts = endpoint.answer.texts.iter().map(|(media, text)| {
        let examples = json!({ "beginning": { "value": text } });
        ((*media).to_owned(), json!({ "schema": { "type": "string" }, "examples": examples }))
    });
    let content: Map<String, Value> = media.chain(texts).collect();
    let mut responses = Map::new();
    responses.insert("200".to_owned(), json!({ "description": "The answer.", "content": content }));
    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in &endpoint.errors {
        by_status.entry(code.status()).or_default().push(*code);
    }
    for (status, codes) in by_status {
        responses.insert(status.to_string(), refusal(&codes, generator));
    }
    if endpoint.method == Method::Post {
        for (status, why) in errors::OF_BODIES {
            responses.insert(status.to_string(), refusal_of_body(why, generator));
        }
    }
    responses.into()
}

/// Returns the name of a code: `bad_request`
fn name(code: Code) -> String {
    json!(code).as_str().unwrap_or_default().to_owned()
}

/// Returns the response with one of these codes, which share a status.
fn refusal(codes: &[Code], generator: &mut SchemaGenerator) -> Value {
    let names: Vec<String> = codes.iter().copied().map(name).collect();
    let examples: Map<String, Value> =
        names.iter().map(|name| (name.clone(), json!({ "$ref": format!("#/components/examples/{name}") }))).collect();
    let description = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let schema = error_schema(&names, generator);
    json!({ "description": description, "content": { "application/json": { "schema": schema, "examples": examples } } })
}

/// Returns the response to a body that is refused before it is read.
fn refusal_of_body(why: &str, generator: &mut SchemaGenerator) -> Value {
    let schema = error_schema(&[name(Code::BadRequest)], generator);
    let examples = json!({ "bad_request": { "value": Error::new(Code::BadRequest, why) } });
    json!({ "description": why, "content": { "application/json": { "schema": schema, "examples": examples } } })
}

fn error_schema(codes: &[String], generator: &mut SchemaGenerator) -> Value {
    json!({
        "allOf": [
            generator.subschema_for::<Error>(),
            { "properties": { "error": { "properties": { "code": { "enum": codes } } } } },
        ],
    })
}

fn examples(endpoint: &Endpoint, part: fn(&crate::openapi::endpoint::Example) -> &Value) -> Map<String, Value> {
    let examples = endpoint.examples.iter();
    examples.map(|example| (example.name.to_owned(), json!({ "value": part(example) }))).collect()
}

/// The document as served.
#[derive(Clone)]
pub struct ApiDocument(pub Value);

/// Nothing: the parameters of an endpoint that takes none.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
pub struct Nothing {}
