//! Requests about stock.

use super::kind::KIND;
use crate::fuzz::requests::{Call, Fuzz, Values, body, maybe};
use model::stock::Item;
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
        group: maybe(random, |_| "g".to_owned()),
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
            sale: Some(sale),
            sales: None,
            request_id: values.request_id(random),
            quantity: maybe(random, |random| random.random_range(1..=3)),
            return_id: maybe(random, |random| values.request_id(random)),
            reason: maybe(random, |_| "fuzz".to_owned()),
        }),
        11 => body(ConfirmStockRequest {
            sale: Some(sale),
            sales: None,
            reason: maybe(random, |_| "fuzz".to_owned()),
            request_id: values.request_id(random),
        }),
        12 => body(ConfirmStockRequest {
            sale: None,
            sales: Some(vec![sale, values.sale(&KIND)]),
            reason: None,
            request_id: values.request_id(random),
        }),
        13..15 => {
            let mut item = |sale| Item { sale, quantity: random.random_range(1..=5) };
            let items = Some(vec![item(sale), item(values.sale(&KIND))]);
            body(DeductStockRequest { sale: None, user, quantity: None, items, request_id })
        }
        _ => {
            let quantity = Some(random.random_range(1..=5));
            body(DeductStockRequest { sale: Some(sale), user, quantity, items: None, request_id })
        }
    }
}
