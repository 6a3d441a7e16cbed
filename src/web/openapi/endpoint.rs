//! An endpoint, as its module describes it. The types give the fields, and their doc comments the texts; limits and
//! examples are beside the server functions.

use crate::openapi::errors;
use leptos::server_fn::ServerFn;
use model::{MAX_ID_BYTES, error::Code};
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Makes the schema of an answer; types that it refers to go to the generator's definitions.
pub type MakeSchema = Box<dyn Fn(&mut SchemaGenerator) -> Schema>;

/// Endpoints about one subject.
pub struct Group {
    /// The heading.
    pub name: &'static str,
    /// General information about them, in paragraphs.
    pub description: String,
    /// The endpoints, in the order in which a client needs them.
    pub endpoints: Vec<Endpoint>,
}

/// One endpoint.
pub struct Endpoint {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) description: String,
    /// The schema of the body or, for GET, of the parameters.
    pub(super) request: Value,
    /// The parameters in the path.
    pub(super) in_path: &'static [&'static str],
    pub(super) answer: ResponseBody,
    pub(super) errors: Vec<Code>,
    pub(super) examples: Vec<Example>,
}

/// The HTTP method of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
}

/// The body of an answer with status 200.
pub(super) struct ResponseBody {
    /// Its media types.
    pub media: &'static [&'static str],
    pub schema: MakeSchema,
    /// Other media types with the same content as text, each with the beginning of an example.
    pub texts: &'static [(&'static str, &'static str)],
    /// For streams: the schema of the data of one message, or of one line.
    pub item: Option<MakeSchema>,
}

/// A request and its answer.
pub(super) struct Example {
    pub name: &'static str,
    pub request: Value,
    pub answer: Value,
}

impl Endpoint {
    /// Describes the endpoint of a server function. Path, fields and description are the function's own.
    pub fn of<F>() -> Self
    where
        F: ServerFn + JsonSchema,
        F::Output: JsonSchema,
    {
        let mut request = request_schema::<F>();
        let description = request.remove("description");
        let description = description.as_ref().and_then(Value::as_str).unwrap_or_default();
        // The macro's own paragraph precedes the function's.
        let (_, description) = description.split_once("\n\n").unwrap_or_default();
        Self {
            method: Method::Post,
            path: F::PATH,
            description: paragraphs(description),
            request: request.to_value(),
            in_path: &[],
            answer: json_answer::<F::Output>(),
            errors: errors::EVERYWHERE.into(),
            examples: Vec::new(),
        }
    }

    /// Describes a resource to read with GET. The parameters are the fields of `P`; those in `in_path` are in the path.
    pub fn get<P: JsonSchema>(path: &'static str, in_path: &'static [&'static str], description: &str) -> Self {
        Self {
            method: Method::Get,
            path,
            description: paragraphs(description),
            request: request_schema::<P>().to_value(),
            in_path,
            answer: json_answer::<()>(),
            errors: vec![Code::BadRequest, Code::Forbidden],
            examples: Vec::new(),
        }
    }

    /// Sets the answer to JSON of this type.
    #[must_use]
    pub fn json<T: JsonSchema>(mut self) -> Self {
        self.answer = json_answer::<T>();
        self
    }

    /// Sets the answer to JSON with a schema that is not that of a single type.
    #[must_use]
    pub fn answer(mut self, schema: impl Fn(&mut SchemaGenerator) -> Schema + 'static) -> Self {
        self.answer.schema = Box::new(schema);
        self
    }

    /// Sets the answer to text of these media types; `item` is the schema of the JSON in each message, or on each line.
    #[must_use]
    pub fn stream(
        mut self,
        media: &'static [&'static str],
        item: impl Fn(&mut SchemaGenerator) -> Schema + 'static,
    ) -> Self {
        // Testers compare each event of an event stream with the schema.
        let one = if media == ["text/event-stream"] { "object" } else { "string" };
        let schema = move |_: &mut SchemaGenerator| schemars::json_schema!({ "type": one });
        self.answer = ResponseBody { media, schema: Box::new(schema), texts: &[], item: Some(Box::new(item)) };
        self
    }

    /// Adds text answers of these media types for requests that ask for them, with the beginning of each.
    #[must_use]
    pub fn or_text(mut self, texts: &'static [(&'static str, &'static str)]) -> Self {
        self.answer.texts = texts;
        self
    }

    /// Marks a field as the id of an existing object, or of a request.
    #[must_use]
    pub fn id(self, field: &str) -> Self {
        // There are never more characters than bytes.
        self.limit(field, json!({ "minLength": 1, "maxLength": MAX_ID_BYTES, "pattern": model::id_pattern() }))
    }

    /// Marks a field as the id of a new sale, or of a user.
    #[must_use]
    pub fn new_id(self, field: &str) -> Self {
        self.limit(field, new_id())
    }

    /// Sets the limits of a number field.
    #[must_use]
    pub fn range(self, field: &str, least: impl Serialize, most: impl Serialize) -> Self {
        self.limit(field, json!({ "minimum": least, "maximum": most }))
    }

    /// Sets the default of an optional field.
    #[must_use]
    pub fn default(self, field: &str, value: impl Serialize) -> Self {
        self.limit(field, json!({ "default": value }))
    }

    /// Sets the limits of a field, as keywords of JSON Schema.
    ///
    /// # Panics
    /// If the request has no such field: then this description is wrong.
    #[must_use]
    pub fn limit(mut self, field: &str, keywords: Value) -> Self {
        let schema = self.request["properties"].get_mut(field).and_then(Value::as_object_mut);
        let schema = schema.unwrap_or_else(|| panic!("{} has no field {field}", self.path));
        if let Value::Object(keywords) = keywords {
            schema.extend(keywords);
        }
        // An optional field may also be null.
        let is_optional =
            schema.get("type").and_then(Value::as_array).is_some_and(|types| types.contains(&"null".into()));
        if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut).filter(|_| is_optional) {
            values.push(Value::Null);
        }
        self
    }

    /// Adds rules for several fields together, as keywords of JSON Schema.
    #[must_use]
    pub fn together(mut self, keywords: Value) -> Self {
        if let (Some(schema), Value::Object(keywords)) = (self.request.as_object_mut(), keywords) {
            schema.extend(keywords);
        }
        self
    }

    /// Adds fields beside those of the function's own type.
    #[must_use]
    pub fn fields(mut self, fields: Map<String, Value>) -> Self {
        if let Some(known) = self.request["properties"].as_object_mut() {
            known.extend(fields);
        }
        self.request["additionalProperties"] = false.into();
        self
    }

    /// Adds errors of this endpoint, beside those of every endpoint.
    #[must_use]
    pub fn errors(mut self, codes: &[Code]) -> Self {
        // A list may repeat earlier codes.
        let new = codes.iter().filter(|code| !self.errors.contains(code)).copied();
        self.errors.extend(new.collect::<Vec<_>>());
        self
    }

    /// Adds a request and its answer. Examples are in the order of their names.
    #[must_use]
    pub fn example(mut self, name: &'static str, request: Value, answer: Value) -> Self {
        self.examples.push(Example { name, request, answer });
        self
    }
}

/// Returns the schema of the id of a new sale, or of a user.
pub fn new_id() -> Value {
    json!({
        "minLength": 1,
        "maxLength": MAX_ID_BYTES,
        "pattern": model::new_id_pattern(),
        "not": { "enum": [".", ".."] },
    })
}

/// Returns the schema of requests with this field, if it is neither `null` nor an empty list.
pub fn given(field: &str) -> Value {
    json!({ "required": [field], "properties": { field: { "type": ["string", "integer", "object", "array"], "minItems": 1 } } })
}

fn json_answer<T: JsonSchema>() -> ResponseBody {
    let schema = |generator: &mut SchemaGenerator| generator.subschema_for::<T>();
    ResponseBody { media: &["application/json"], schema: Box::new(schema), texts: &[], item: None }
}

/// Returns the fields of a type, as in a request.
pub fn request_fields<T: JsonSchema>() -> Map<String, Value> {
    match request_schema::<T>().remove("properties") {
        Some(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// Returns the schema of a request: self-contained, and no object in it accepts unknown fields.
fn request_schema<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_deserialize().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = T::json_schema(&mut settings.into_generator());
    schema.ensure_object().values_mut().for_each(refuse_unknown_fields);
    if schema.get("properties").is_none() {
        schema.insert("properties".to_owned(), json!({}));
    }
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}

/// Forbids unknown fields at any depth, as `model::StrictJson` refuses them.
fn refuse_unknown_fields(value: &mut Value) {
    match value {
        Value::Object(schema) => {
            if schema.contains_key("properties") && !schema.contains_key("additionalProperties") {
                schema.insert("additionalProperties".to_owned(), false.into());
            }
            schema.values_mut().for_each(refuse_unknown_fields);
        }
        Value::Array(values) => values.iter_mut().for_each(refuse_unknown_fields),
        _ => {}
    }
}

/// Returns the id of a group in addresses: `red-packets`.
pub fn id_of(group: &str) -> String {
    group.to_lowercase().replace(' ', "-")
}

/// Joins the broken lines of a source text, with one line per paragraph.
pub(super) fn paragraphs(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
    paragraphs.filter(|paragraph| !paragraph.is_empty()).collect::<Vec<_>>().join("\n\n")
}
