//! A small sale of each kind, for what must hold for all of them.

use serde_json::{Value, json};

/// How a kind's sale is opened, and tried.
pub struct Sample {
    pub kind: &'static str,
    /// The terms, without the id of the sale.
    pub terms: Value,
    /// The endpoint of an attempt.
    endpoint: &'static str,
    /// What an attempt asks for.
    wanted: Value,
}

/// Red packets, tickets, coupons and stock, in this order. Three users can get something.
pub fn samples() -> [Sample; 4] {
    let pick = json!([{ "category": "stalls", "count": 1 }]);
    let sample = |kind, terms, endpoint, wanted| Sample { kind, terms, endpoint, wanted };
    [
        sample("red_packet", json!({ "total_cents": 300, "count": 3, "splitter": "equal" }), "claim", json!({})),
        sample("ticket", json!({ "hall": "theatre" }), "reserve", json!({ "pick": pick })),
        sample("coupon", json!({ "total": 10, "per_user_per_day": 3 }), "claim", json!({})),
        sample("stock", json!({ "quantity": 10, "low_mark": 2 }), "deduct", json!({ "quantity": 1 })),
    ]
}

impl Sample {
    /// The path of one of the kind's endpoints.
    pub fn path(&self, endpoint: &str) -> String {
        format!("/api/{}/{endpoint}", self.kind.replace('_', "-"))
    }

    /// Path and body of the request that opens a sale.
    pub fn open_request(&self, sale: &str) -> (String, Value) {
        let mut terms = self.terms.clone();
        terms["id"] = json!(sale);
        (self.path("open"), terms)
    }

    /// Path and body of the request of a user who tries to get something, the same each time.
    pub fn attempt_request(&self, sale: &str, user: &str) -> (String, Value) {
        let mut attempt = self.wanted.clone();
        (attempt["sale"], attempt["user"], attempt["request_id"]) =
            (json!(sale), json!(user), json!(format!("r-{user}")));
        (self.path(self.endpoint), attempt)
    }
}
