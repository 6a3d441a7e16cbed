//! Coupons, as tests know them that go through all kinds.

use super::{cases, fuzz, soak};
use crate::support::kinds::{Form, TestKind};
use engine::coupon::scripts::LASTING;
use model::coupon::INFO;
use serde_json::json;

pub static KIND: TestKind = TestKind {
    info: &INFO,
    terms: || json!({ "total": 10, "per_user_per_day": 3 }),
    other_terms: || json!({ "total": 11 }),
    attempt: "claim",
    wanted: || json!({}),
    changes: |won| {
        let code = &won["code"];
        vec![
            ("redeem", json!({ "code": code, "request_id": "r-redeem" })),
            ("give-back", json!({ "code": code, "request_id": "r-back" })),
            ("void", json!({ "code": code, "request_id": "r-redeem" })),
            ("limits", json!({ "total": 20, "request_id": "r-limits" })),
        ]
    },
    history: |won| {
        let code = won["code"].as_str().expect("a code");
        vec![
            "limits,,r-limits,total=20 per_user=none per_user_per_day=3".to_owned(),
            format!("voided,ann,r-redeem,{code}"),
            format!("redeemed,ann,r-redeem,{code}"),
            format!("won,ann,r-ann,{code}"),
            "opened,,,".to_owned(),
        ]
    },
    form: Form { fields: "", done: "<span>is yours.</span>", repeated: "already yours", figure: ("/claimed", 1) },
    lasting: &LASTING,
    needed_parts: &["events", "stats", "counts", "coupons"],
    growing_parts: &["counts", "coupons"],
    script_cases: cases::cases,
    fuzz: fuzz::FUZZ,
    soak: &soak::Coupons,
};
