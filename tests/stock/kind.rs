//! Stock, as tests know it that go through all kinds.

use super::{cases, fuzz, soak};
use crate::support::kinds::{Form, TestKind};
use engine::stock::scripts::LASTING;
use model::stock::INFO;
use serde_json::json;

pub static KIND: TestKind = TestKind {
    info: &INFO,
    terms: || json!({ "quantity": 10, "low_mark": 2 }),
    other_terms: || json!({ "quantity": 11 }),
    attempt: "deduct",
    wanted: || json!({ "quantity": 1 }),
    changes: |_| {
        vec![
            ("give-back", json!({ "request_id": "r-ann" })),
            ("restock", json!({ "quantity": 5, "request_id": "r-restock" })),
            ("correct", json!({ "counted": 9, "request_id": "r-correct" })),
        ]
    },
    history: |_| {
        ["corrected,,r-correct,'-6", "restocked,,r-restock,5", "returned,ann,r-ann,1", "won,ann,r-ann,1", "opened,,,10"]
            .map(str::to_owned)
            .to_vec()
    },
    form: Form {
        fields: "quantity=4",
        done: "Deducted. 6 left.",
        repeated: "Already deducted",
        figure: ("/cached", 6),
    },
    lasting: &LASTING,
    needed_parts: &["events", "stats", "requests"],
    growing_parts: &["requests"],
    script_cases: cases::cases,
    fuzz: fuzz::FUZZ,
    soak: &soak::Stock,
};
