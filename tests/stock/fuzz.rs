//! Requests about stock.

use super::kind::KIND;
use crate::fuzz::requests::{Call, Fuzz, Values, body, maybe};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use web::stock::api::{
    ConfirmStockRequest, CorrectStockRequest, DeductStockRequest, ExpireStockRequest, GiveBackStockRequest,
    OpenStockRequest, PauseStockRequest, RestockRequest, StockAuditRequest, StockCourseRequest, StockScriptRequest,
    StockSnapshotRequest,
};

pub const FUZZ: Fuzz = Fuzz { open, call, behavior: |share| json!({ "several": 0.5, "fail": share }) };

fn open(values: &Values, id: Option<String>, random: &mut ChaCha8Rng) -> Call {
    body(OpenStockRequest {
        id,
        request_id: maybe(random, |random| values.request_id(random)),
        quantity: 500,
        ttl_s: maybe(random, |_| 60),
        low_mark: Some(100),
        limit_per_user: maybe(random, |_| 200),
        hold_s: maybe(random, |_| 60),
        opens_at: None,
        opens_in_s: None,
        ends_at: None,
        ends_in_s: None,
        title: None,
        description: None,
        currency: None,
    })
}

fn call(values: &Values, random: &mut ChaCha8Rng) -> Call {
    let (sale, user) = (values.sale(&KIND), values.user(random));
    let request_id = maybe(random, |random| values.request_id(random));
    match random.random_range(0..20) {
        0 => body(RestockRequest { sale, quantity: random.random_range(1..=50), request_id }),
        1 => body(CorrectStockRequest {
            sale,
            counted: random.random_range(0..=600),
            expected: maybe(random, |random| random.random_range(0..=600)),
            request_id,
        }),
        2 => body(ExpireStockRequest { sale }),
        3 => body(PauseStockRequest { sale, seconds: maybe(random, |random| random.random_range(0..=2)) }),
        4 => body(StockSnapshotRequest { sale }),
        5 => body(StockAuditRequest { sale }),
        6 => body(StockScriptRequest {}),
        7 => body(StockCourseRequest { sale }),
        8..11 => body(GiveBackStockRequest {
            sale,
            request_id: values.request_id(random),
            quantity: maybe(random, |random| random.random_range(1..=3)),
            return_id: maybe(random, |random| values.request_id(random)),
        }),
        11..13 => body(ConfirmStockRequest { sale, request_id: values.request_id(random) }),
        _ => body(DeductStockRequest { sale, user, quantity: random.random_range(1..=5), request_id }),
    }
}
