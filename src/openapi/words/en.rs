//! English.

use super::Words;

pub static EN: Words = Words {
    title: "API",
    intro: "Every endpoint of this server, with its fields, limits, errors and examples.",
    document: "OpenAPI 3.1 document",
    contents: "Endpoints",
    request: "Request",
    field: "Field",
    kind: "Type",
    limits: "Limits",
    meaning: "Meaning",
    optional: "optional",
    no_fields: "No fields.",
    answer: "Answer",
    example: "Example",
    errors: "Errors",
    status: "Status",
    code: "Code",
    what_to_do: "What to do",
    given_by: "Given by",
    by_every_endpoint: "every endpoint",
    server_limits: "Limits of the server",
    types: "Types",
    types_intro: "The types of answers.",
    fields_of: "With the fields of",
};
