//! Tickets, as tests know them that go through all kinds.

use super::{cases, fuzz, soak};
use crate::support::kinds::{Form, TestKind};
use engine::ticket::scripts::LASTING;
use model::ticket::INFO;
use serde_json::json;

pub static KIND: TestKind = TestKind {
    info: &INFO,
    terms: || json!({ "hall": "theatre", "limit_per_user": 4 }),
    other_terms: || json!({ "hold_s": 61 }),
    attempt: "reserve",
    wanted: || json!({ "pick": [{ "category": "stalls", "count": 1 }] }),
    changes: |held| {
        let order = &held["order"];
        vec![
            ("pay", json!({ "order": order, "request_id": "r-pay" })),
            ("cancel", json!({ "order": order, "request_id": "r-cancel" })),
        ]
    },
    history: |held| {
        let seat = held["seats"][0].as_str().expect("a seat");
        vec![
            // A cancellation is of the order; the request ids of an order are those of its payments.
            format!("refunded,ann,,{seat}"),
            format!("paid,ann,r-pay,{seat}"),
            format!("held,ann,r-ann,{seat}"),
            "opened,,,".to_owned(),
        ]
    },
    form: Form {
        fields: "pick-count=2&pick-category=circle&pick-seating=adjacent",
        done: "class=\"order held\"",
        repeated: "class=\"order held\"",
        figure: ("/held/circle", 2),
    },
    lasting: &LASTING,
    needed_parts: &[
        "events",
        "stats",
        "seats",
        "layout",
        "free",
        "counts",
        "holders",
        "orders",
        "requests",
        "bought",
        "deadlines",
    ],
    growing_parts: &["holders", "orders", "requests", "deadlines", "bought"],
    script_cases: cases::cases,
    fuzz: fuzz::FUZZ,
    soak: &soak::Tickets,
};
