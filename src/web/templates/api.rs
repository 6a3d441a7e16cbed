//! The server functions, which are also the JSON API.

#[cfg(feature = "ssr")]
use crate::services::services;
use leptos::{prelude::*, server_fn::codec::Json};
use model::{
    StrictJson,
    error::Result,
    templates::{Deleted, Template, TemplateFields},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The templates of the form that opens sales of a kind, by their names.
#[server(
    name = TemplatesRequest,
    prefix = "/api",
    endpoint = "/templates",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn templates(
    /// The id of the kind.
    kind: String,
) -> Result<Vec<Template>> {
    services()?.templates.templates(&kind).await
}

/// Saves what the form that opens sales of a kind holds, in place of the template with the same name. There may be 50 of a
/// kind. A template is checked only when a sale is opened.
#[server(
    name = SaveTemplateRequest,
    prefix = "/api",
    endpoint = "/templates/save",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn save(
    /// The id of the kind.
    kind: String,
    /// The name of the template.
    name: String,
    /// What the fields of the form hold, by their names: a text, a chosen value, `on` for a ticked box. At most 100, of at
    /// most 200 characters each.
    fields: TemplateFields,
) -> Result<Template> {
    services()?.templates.save(&kind, &name, fields).await
}

/// Deletes a template. Sales that were opened from it stay as they are.
#[server(
    name = DeleteTemplateRequest,
    prefix = "/api",
    endpoint = "/templates/delete",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn delete(
    /// The id of the kind.
    kind: String,
    /// The name of the template.
    name: String,
) -> Result<Deleted> {
    services()?.templates.delete(&kind, &name).await
}
