//! The document for people: the contents of the page `/api`, read from the OpenAPI document alone.

use crate::openapi::{endpoint::id_of, example_text::json_text};
use model::error::shell_word;
use serde_json::{Map, Value};

/// All contents of the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reference {
    /// The general part, in paragraphs.
    pub about: String,
    /// The server's limits, in paragraphs.
    pub limits: String,
    /// The endpoints by subject.
    pub groups: Vec<Group>,
    /// The types of answers, by name.
    pub types: Vec<Type>,
    /// The codes of errors.
    pub errors: Vec<ErrorCode>,
}

/// Endpoints about one subject.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The id in the address of its page.
    pub id: String,
    /// The heading.
    pub name: String,
    /// The text, in paragraphs.
    pub description: String,
    /// The endpoints, in the order in which a client needs them.
    pub endpoints: Vec<Endpoint>,
}

/// One endpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    /// The fragment of its address on the page.
    pub id: String,
    /// `GET` or `POST`
    pub method: String,
    /// Its path.
    pub path: String,
    /// Its purpose, in a sentence.
    pub summary: String,
    /// The text, in paragraphs.
    pub description: String,
    /// The fields of its body, or its parameters.
    pub fields: Vec<Field>,
    /// The type of its answer.
    pub answer: TypeName,
    /// Its media types besides JSON.
    pub media: Vec<String>,
    /// The types of the messages or lines of its answer, if it is a stream.
    pub items: Vec<String>,
    /// The codes of its errors.
    pub errors: Vec<String>,
    /// Requests and their answers.
    pub examples: Vec<Example>,
}

/// A request and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// The case that it shows.
    pub name: String,
    /// The command that sends it.
    pub curl: String,
    /// The response.
    pub answer: String,
}

/// A field of a request or of an answer. Fields of nested objects follow it, with names like `pick[].count`.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The field is required.
    pub required: bool,
    /// Its type.
    pub kind: TypeName,
    /// The permitted values, minimum and maximum, and the default.
    pub limits: String,
    /// Its meaning.
    pub description: String,
}

/// A type in words, which may name one of [`Reference::types`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TypeName {
    /// The words before the name: `list of`; or the whole type.
    pub text: String,
    /// The name.
    pub reference: Option<String>,
    /// The value may be `null`.
    pub nullable: bool,
}

/// A type of answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Its type in JSON, if it is not an object.
    pub kind: Option<TypeName>,
    /// Its fields.
    pub fields: Vec<Field>,
    /// Its alternatives: forms or values.
    pub variants: Vec<Variant>,
}

/// A form of a type, or one of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its value, or that of the field that distinguishes the forms; `None` for a form without a name.
    pub name: Option<String>,
    /// Its meaning.
    pub description: String,
    /// The fields that only this form has.
    pub fields: Vec<Field>,
    /// The type whose fields it has as well.
    pub reference: Option<String>,
}

/// A code of errors.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorCode {
    /// Its name.
    pub code: String,
    /// The HTTP status that carries it.
    pub status: u64,
    /// The advice to a client.
    pub what_to_do: String,
    /// The paths of the endpoints that may return it; empty if every one that takes JSON may.
    pub given_by: Vec<String>,
}

impl Reference {
    /// Reads an OpenAPI document from `openapi::document`. The examples send their requests to `server`.
    pub fn read(document: &Value, server: &str) -> Self {
        let groups: Vec<Group> = list(&document["tags"]).map(|tag| group(document, tag, server)).collect();
        let posts = || endpoints(&groups).filter(|endpoint| endpoint.method == "POST");
        let errors = list(&document["x-errors"])
            .map(|error| {
                let code = text(&error["code"]);
                let given_by = if posts().all(|endpoint| endpoint.errors.contains(&code)) {
                    Vec::new()
                } else {
                    let giving = endpoints(&groups).filter(|endpoint| endpoint.errors.contains(&code));
                    giving.map(|endpoint| endpoint.path.clone()).collect()
                };
                let status = error["status"].as_u64().unwrap_or_default();
                ErrorCode { code, status, what_to_do: text(&error["what_to_do"]), given_by }
            })
            .collect();
        let types = document["components"]["schemas"].as_object().into_iter().flatten();
        Self {
            about: text(&document["info"]["description"]),
            limits: text(&document["info"]["x-limits"]),
            types: types.map(|(name, schema)| one_type(name, schema)).collect(),
            errors,
            groups,
        }
    }
}

fn endpoints(groups: &[Group]) -> impl Iterator<Item = &Endpoint> {
    groups.iter().flat_map(|group| &group.endpoints)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn group(document: &Value, tag: &Value, server: &str) -> Group {
    let paths = list(&tag["x-order"]).filter_map(Value::as_str);
    let endpoints = paths.flat_map(|path| {
        let operations = document["paths"][path].as_object().into_iter().flatten();
        operations.map(move |(method, operation)| endpoint(method, path, operation, server))
    });
    let (name, description) = (text(&tag["name"]), text(&tag["description"]));
    Group { id: id_of(&name), name, description, endpoints: endpoints.collect() }
}

fn endpoint(method: &str, path: &str, operation: &Value, server: &str) -> Endpoint {
    let content = operation["responses"]["200"]["content"].as_object();
    let answer = content.and_then(|content| content.values().next()).unwrap_or(&Value::Null);
    let media = content.into_iter().flatten().map(|(media, _)| media.clone());
    let media: Vec<String> = media.filter(|media| media != "application/json").collect();
    let mut fields = Vec::new();
    let body = &operation["requestBody"]["content"]["application/json"];
    add_fields(&body["schema"], "", &mut fields);
    for parameter in list(&operation["parameters"]) {
        fields.push(Field {
            description: text(&parameter["description"]),
            ..field(text(&parameter["name"]), &parameter["schema"], parameter["required"] == true)
        });
    }
    let refusals = operation["responses"].as_object().into_iter().flatten().filter(|(status, _)| *status != "200");
    let codes = refusals.flat_map(|(_, refusal)| {
        let schema = &refusal["content"]["application/json"]["schema"];
        list(&schema["allOf"][1]["properties"]["error"]["properties"]["code"]["enum"]).map(text)
    });
    // An endpoint may list a code under several statuses.
    let mut errors = Vec::new();
    for code in codes {
        if !errors.contains(&code) {
            errors.push(code);
        }
    }
    let examples = answer["examples"].as_object().into_iter().flatten().map(|(name, example)| {
        let answer = match &example["value"] {
            Value::String(text) => text.trim_end().to_owned(),
            json => json_text(json),
        };
        let curl = match method {
            "post" => post(server, path, &body["examples"][name]["value"]),
            _ => get(server, path, &operation["parameters"], &media),
        };
        Example { name: name.clone(), curl, answer }
    });
    let examples = examples.collect();
    let item = &answer["x-item"];
    let items = if item["anyOf"].is_array() { list(&item["anyOf"]).collect() } else { vec![item] };
    Endpoint {
        id: text(&operation["operationId"]),
        method: method.to_uppercase(),
        path: path.to_owned(),
        summary: text(&operation["summary"]),
        description: text(&operation["description"]),
        fields,
        answer: type_name(&answer["schema"]),
        items: items.into_iter().filter_map(reference).collect(),
        media,
        errors,
        examples,
    }
}

fn post(server: &str, path: &str, body: &Value) -> String {
    let (url, body) = (format!("{server}{path}"), body.to_string());
    format!("curl {} -H 'Content-Type: application/json' -d {}", shell_word(&url), shell_word(&body))
}

fn get(server: &str, path: &str, parameters: &Value, media: &[String]) -> String {
    let (mut path, mut query) = (path.to_owned(), String::new());
    for parameter in list(parameters) {
        let (name, Some(value)) = (text(&parameter["name"]), parameter["example"].as_str()) else { continue };
        if parameter["in"] == "path" {
            path = path.replace(&format!("{{{name}}}"), value);
        } else {
            query.push(if query.is_empty() { '?' } else { '&' });
            query.push_str(&format!("{name}={value}"));
        }
    }
    let unbuffered = if media.iter().any(|media| media == "text/event-stream") { "-N " } else { "" };
    // The host comes from the reader, and may contain text that a shell would execute.
    format!("curl {unbuffered}{}", shell_word(&format!("{server}{path}{query}")))
}

fn one_type(name: &str, schema: &Value) -> Type {
    let mut fields = Vec::new();
    add_fields(schema, "", &mut fields);
    let variants: Vec<Variant> = list(&schema["oneOf"]).chain(list(&schema["anyOf"])).flat_map(variants).collect();
    let values = list(&schema["enum"]).map(|value| value_variant(value, String::new()));
    let variants: Vec<Variant> = variants.into_iter().chain(values).collect();
    let is_object = schema["type"] == "object" || !variants.is_empty();
    Type {
        name: name.to_owned(),
        description: text(&schema["description"]),
        kind: (!is_object).then(|| type_name(schema)),
        fields,
        variants,
    }
}

/// Returns the variants of a schema. An entry of `oneOf` is a value, several values without a text, or a form.
fn variants(schema: &Value) -> Vec<Variant> {
    let description = text(&schema["description"]);
    if schema.get("const").is_some() {
        return vec![value_variant(&schema["const"], description)];
    }
    if schema.get("enum").is_some() {
        return list(&schema["enum"]).map(|value| value_variant(value, description.clone())).collect();
    }
    let mut fields = Vec::new();
    let properties = schema["properties"].as_object();
    let name = properties.into_iter().flatten().find_map(|(_, field)| field["const"].as_str());
    let mut own = schema.clone();
    if let Some(properties) = own["properties"].as_object_mut() {
        properties.retain(|_, field| field.get("const").is_none());
    }
    add_fields(&own, "", &mut fields);
    let reference = reference(schema).or_else(|| reference(&schema["allOf"][0]));
    vec![Variant { name: name.map(str::to_owned), description, fields, reference }]
}

fn value_variant(value: &Value, description: String) -> Variant {
    let name = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Variant { name: Some(name), description, fields: Vec::new(), reference: None }
}

/// Returns the type that a schema refers to.
fn reference(schema: &Value) -> Option<String> {
    schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()).map(str::to_owned)
}

/// Adds the fields of an object, required ones first; each is followed by the fields of its nested objects.
fn add_fields(schema: &Value, prefix: &str, fields: &mut Vec<Field>) {
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    let required: Vec<&str> = list(&schema["required"]).filter_map(Value::as_str).collect();
    let rest = properties.keys().map(String::as_str).filter(|name| !required.contains(name));
    for name in required.iter().copied().chain(rest) {
        let Some(schema) = properties.get(name) else { continue };
        let path = format!("{prefix}{name}");
        fields.push(field(path.clone(), schema, required.contains(&name)));
        for (schema, suffix) in inner(schema) {
            add_fields(schema, &format!("{path}{suffix}"), fields);
        }
    }
}

/// Returns the schemas of objects in a field, with the suffixes of the field's name for their fields.
fn inner(schema: &Value) -> Vec<(&Value, &'static str)> {
    let mut found = Vec::new();
    if schema["items"]["properties"].is_object() {
        found.push((&schema["items"], "[]."));
    }
    if schema["properties"].is_object() {
        found.push((schema, "."));
    }
    found.extend(list(&schema["anyOf"]).filter(|schema| schema["properties"].is_object()).map(|schema| (schema, ".")));
    found
}

fn field(name: String, schema: &Value, required: bool) -> Field {
    let mut kind = type_name(schema);
    // An optional field may also be null, which is not mentioned.
    kind.nullable &= required;
    Field { name, required, kind, limits: limits(schema), description: text(&schema["description"]) }
}

fn type_name(schema: &Value) -> TypeName {
    if let Some(name) = reference(schema) {
        return TypeName { reference: Some(name), ..TypeName::default() };
    }
    let choices: Vec<&Value> = list(&schema["anyOf"]).chain(list(&schema["oneOf"])).collect();
    if !choices.is_empty() {
        let (null, others): (Vec<&Value>, Vec<&Value>) =
            choices.into_iter().partition(|choice| choice["type"] == "null");
        let mut names: Vec<TypeName> = others.into_iter().map(type_name).collect();
        names.dedup();
        let mut name = match names.len() {
            1 => names.remove(0),
            _ => {
                let texts: Vec<String> = names.into_iter().map(|name| name.reference.unwrap_or(name.text)).collect();
                TypeName { text: texts.join(" or "), ..TypeName::default() }
            }
        };
        name.nullable |= !null.is_empty();
        return name;
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        types => list(types).filter_map(Value::as_str).collect(),
    };
    let nullable = types.len() > 1 && types.contains(&"null");
    let TypeName { text, reference, .. } = match types.first().copied() {
        Some("array") => within("list of", type_name(&schema["items"])),
        Some("object") if schema["additionalProperties"].is_object() => {
            within("by name:", type_name(&schema["additionalProperties"]))
        }
        Some(name) => TypeName { text: name.to_owned(), ..TypeName::default() },
        None => TypeName { text: "any".to_owned(), ..TypeName::default() },
    };
    TypeName { text, reference, nullable }
}

fn within(outer: &str, inner: TypeName) -> TypeName {
    TypeName { text: format!("{outer} {}", inner.text).trim_end().to_owned(), ..inner }
}

/// Returns the permitted values of a field, minimum and maximum, and the default.
fn limits(schema: &Value) -> String {
    let mut limits = Vec::new();
    let values: Vec<String> = list(&schema["enum"])
        .chain(list(&schema["oneOf"]).filter_map(|choice| choice.get("const")))
        .chain(
            list(&schema["anyOf"]).flat_map(|choice| list(&choice["oneOf"]).filter_map(|choice| choice.get("const"))),
        )
        .filter(|value| !value.is_null())
        .map(|value| format!("`{}`", value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
        .collect();
    if !values.is_empty() {
        limits.push(values.join(", "));
    }
    // The limits of an integer's own type are not mentioned.
    let is_unlimited =
        |least: &Value, most: &Value| (most.is_null() || *most == u64::MAX) && (least.is_null() || *least == 0);
    let (least, most) = (&schema["minimum"], &schema["maximum"]);
    if !is_unlimited(least, most) {
        limits.push(span(least, most, ""));
    }
    let (shortest, longest) = (&schema["minLength"], &schema["maxLength"]);
    if !is_unlimited(shortest, longest) {
        limits.push(span(shortest, longest, " bytes"));
    }
    let (fewest, highest) = (&schema["minItems"], &schema["maxItems"]);
    if !is_unlimited(fewest, highest) && fewest != highest {
        limits.push(span(fewest, highest, " entries"));
    }
    // Objects are left out, as their fields are listed separately.
    let each = [&schema["items"], &schema["additionalProperties"]].into_iter();
    for schema in each.filter(|schema| schema.is_object() && !schema["properties"].is_object()) {
        let inner = self::limits(schema);
        if !inner.is_empty() {
            limits.push(format!("each {inner}"));
        }
    }
    if let Some(default) = schema.get("default").filter(|default| !default.is_null()) {
        limits.push(format!("default {default}"));
    }
    limits.join("; ")
}

fn span(least: &Value, most: &Value, unit: &str) -> String {
    match (least.is_null(), most.is_null()) {
        (false, false) => format!("{} to {}{unit}", number(least), number(most)),
        (true, _) => format!("at most {}{unit}", number(most)),
        (_, true) => format!("at least {}{unit}", number(least)),
    }
}

/// Formats 1000000 as 1,000,000.
fn number(value: &Value) -> String {
    match value.as_i64() {
        Some(number) if number < 0 => format!("-{}", crate::components::format::count(number.unsigned_abs())),
        Some(number) => crate::components::format::count(number.unsigned_abs()),
        None => value.as_f64().map_or_else(|| value.to_string(), |number| number.to_string()),
    }
}
