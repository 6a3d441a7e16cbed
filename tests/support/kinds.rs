//! A small sale of each kind, for rules that hold for all of them.

use serde_json::{Value, json};

/// The requests that open a sale of a kind, and make an attempt at it.
pub struct Sample {
    pub kind: &'static str,
    /// The terms, without the id of the sale.
    pub terms: Value,
    /// The endpoint of an attempt.
    endpoint: &'static str,
    /// The wanted item of an attempt.
    wanted: Value,
}

/// Red packets, tickets, coupons and stock, in this order. Each sale has enough for three users.
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
    /// The path of an endpoint of the kind.
    pub fn path(&self, endpoint: &str) -> String {
        format!("/api/{}/{endpoint}", self.kind.replace('_', "-"))
    }

    /// The path and the body of the request that opens a sale.
    pub fn open_request(&self, sale: &str) -> (String, Value) {
        let mut terms = self.terms.clone();
        terms["id"] = json!(sale);
        (self.path("open"), terms)
    }

    /// The path and the body of a user's attempt, the same each time.
    pub fn attempt_request(&self, sale: &str, user: &str) -> (String, Value) {
        let mut attempt = self.wanted.clone();
        (attempt["sale"], attempt["user"], attempt["request_id"]) =
            (json!(sale), json!(user), json!(format!("r-{user}")));
        (self.path(self.endpoint), attempt)
    }
}
