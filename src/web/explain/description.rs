//! The description of the API for explained attempts.

use crate::KINDS;
use crate::{
    explain::api::ExplainRequest,
    openapi::{Endpoint, OF_A_SALE},
};
use model::error::Code;
use serde_json::json;

/// Returns the endpoint that explains an attempt.
pub fn endpoint() -> Endpoint {
    Endpoint::of::<ExplainRequest>()
        .limit("kind", json!({ "enum": KINDS.iter().map(|kind| kind.info.id).collect::<Vec<_>>() }))
        .id("sale")
        .new_id("user")
        .errors(&OF_A_SALE)
        .errors(&[Code::Busy, Code::Internal])
        .example(
            "shortened",
            json!({ "kind": KINDS[0].info.id, "sale": "spring", "user": "ann" }),
            json!({
                "script": format!("{}/claim.lua", KINDS[0].info.id),
                "code": "done",
                "reply": "[0, \"1:250\", \"…\"]",
                "has_ended": true,
                "micros": 240,
                "commands": [{
                    "line": 329,
                    "words": ["HMGET", "claimants", "ann"],
                    "reply": "[(nil)]",
                    "micros": 4,
                }],
            }),
        )
}
