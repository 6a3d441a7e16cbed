//! Red packets, as tests know them that go through all kinds.

use super::{cases, fuzz, soak};
use crate::support::kinds::{Form, TestKind};
use engine::red_packet::scripts::LASTING;
use model::red_packet::INFO;
use serde_json::json;

pub static KIND: TestKind = TestKind {
    info: &INFO,
    terms: || json!({ "total_cents": 300, "count": 3, "splitter": "equal" }),
    other_terms: || json!({ "count": 2 }),
    attempt: "claim",
    wanted: || json!({}),
    changes: |_| Vec::new(),
    history: |_| vec!["won,ann,r-ann,1".to_owned(), "opened,,,".to_owned()],
    form: Form {
        fields: "",
        done: "is yours: packet #",
        repeated: "You already have packet #",
        figure: ("/claimed", 1),
    },
    lasting: &LASTING,
    needed_parts: &["events", "stats", "claimants", "pending"],
    growing_parts: &["claimants"],
    script_cases: cases::cases,
    fuzz: fuzz::FUZZ,
    soak: &soak::RedPackets,
};
