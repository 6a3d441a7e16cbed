//! The server function that makes the page `/api`.

use crate::{domain::StrictJson, error::Result};
use leptos::{prelude::*, server_fn::codec::Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use super::{ApiDocument, Reference, html::html, words::words};
#[cfg(feature = "ssr")]
use crate::{i18n::detect_lang, runtime::service};

/// This description as the HTML of the page `/api`, with headings in the language of the request.
#[server(
    name = DescriptionRequest,
    prefix = "/api",
    endpoint = "/description",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn description() -> Result<String> {
    provide_context(detect_lang());
    Ok(html(&Reference::read(&service::<ApiDocument>()?.0), words()))
}
