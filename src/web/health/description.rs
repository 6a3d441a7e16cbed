//! The description of the API of health.

use crate::{
    health::api::HealthRequest,
    openapi::{Endpoint, OF_THE_STORE},
};
use serde_json::json;

/// Returns the endpoint.
pub fn endpoint(kind: &str) -> Endpoint {
    Endpoint::of::<HealthRequest>().errors(&OF_THE_STORE).example(
        "one sale is sold out, and a webhook has refused rows",
        json!({}),
        json!({
            "redis": "free",
            "writer": "shop-1/4321/9c1b3f",
            "ledger_answers": true,
            "lag_events": 0,
            "lag_seconds": 0.0,
            "audits": { "holds": 3, "broken": 0, "unknown": 0, "not_audited": 0 },
            "missing_sales": 0,
            "matters": [
                { "reason": "undelivered", "subject": { "webhook": "accounting" }, "number": 3 },
                { "reason": "sold_out", "subject": { "kind": kind, "sale": "spring" }, "number": 0 },
            ],
        }),
    )
}
