//! The server function, which is also the JSON API.

#[cfg(feature = "ssr")]
use crate::services::services;
use leptos::{prelude::*, server_fn::codec::Json};
use model::{StrictJson, error::Result, explain::Explanation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes an attempt at a copy of a sale, and returns every command that the script runs. The sale itself is not
/// changed, and the copy is deleted. A user who has got something before gets the original answer only with the
/// original request id, so this is what another attempt of the same user would do.
#[server(
    name = ExplainRequest,
    prefix = "/api",
    endpoint = "/sales/explain",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn explain(
    /// The id of the kind.
    kind: String,
    /// The id of the sale.
    sale: String,
    /// Who makes the attempt.
    user: String,
) -> Result<Explanation> {
    services()?.explaining.explain(&kind, &sale, user).await
}
