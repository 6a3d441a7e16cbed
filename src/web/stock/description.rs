//! The API of stock described: limits, errors and examples of each endpoint.

use crate::kind::KindDescription;
use crate::{
    components::format::count,
    life::description::{one_text, plain_life, plan},
    openapi::{Endpoint, Group, OF_A_SALE, OF_THE_STORE, given, request_fields},
    stock::api::{
        ConfirmStockRequest, CorrectStockRequest, DeductStockRequest, ExpireStockRequest, GiveBackStockRequest,
        OpenStockRequest, PauseStockRequest, RestockRequest, StockAuditRequest, StockCourseRequest, StockScriptRequest,
        StockSnapshotRequest,
    },
};
use model::{
    MAX_ID_BYTES,
    error::Code,
    id_pattern,
    life::MAX_REASON,
    stock::{
        DEFAULT_PAUSE_S, DEFAULT_TTL_S, Details, INFO, MAX_COUNTED, MAX_EXPECTED, MAX_HOLD_S, MAX_ITEMS, MAX_PARTS,
        MAX_PAUSE_S, MAX_QUANTITY, MAX_TTL_S, Snapshot, crowd::Behavior,
    },
};
use serde_json::{Value, json};

const DEDUCTED_AT: i64 = 1_767_225_601_500;

/// What this kind adds to the description of the API.
pub fn description() -> KindDescription {
    KindDescription {
        group: Group {
            name: "Stock",
            description: format!(
                "A product with a quantity. Redis caches the quantity while it is in demand: each deduction renews its \
                 time to live, and a quantity that has expired is cached again, exactly, by one server at a time, \
                 after a comparison with the ledger. It never goes below zero, and it can be restocked and corrected \
                 while the sale runs.\n\n\
                 A sale may limit how many units a user has at once, and may reserve what is deducted until it is \
                 confirmed (`hold_s`). A reservation that is not confirmed in time returns to the stock by itself.\n\n\
                 Sales that are opened with the same `group` can be in one attempt, with `items`: the user gets all of \
                 them or none. Each item is a deduction of its own sale, with the same request id, and is decided by the \
                 rules of that.\n\n\
                 Limits: {} units at the opening, in a restock and in an attempt; {} in a correction; {MAX_PARTS} parts \
                 of a deduction given back; {MAX_ITEMS} items in an attempt.",
                count(MAX_QUANTITY),
                count(MAX_COUNTED)
            ),
            endpoints: vec![
                open(),
                deduct(),
                give_back(),
                confirm(),
                restock(),
                correct(),
                expire(),
                pause(),
                snapshot(),
                course(),
                audit(),
                script(),
            ],
        },
        snapshot: Box::new(|generator| generator.subschema_for::<Snapshot>()),
        summary: Box::new(|generator| generator.subschema_for::<Details>()),
        behavior: request_fields::<Behavior>(),
    }
}

fn open() -> Endpoint {
    plan(Endpoint::of::<OpenStockRequest>(), true)
        .new_id("id")
        .id("request_id")
        .range("quantity", 1, MAX_QUANTITY)
        .range("ttl_s", 1, MAX_TTL_S)
        .range("low_mark", 1, MAX_QUANTITY)
        .range("limit_per_user", 1, MAX_QUANTITY)
        .range("hold_s", 1, MAX_HOLD_S)
        .new_id("group")
        .default("ttl_s", DEFAULT_TTL_S)
        .errors(&OF_THE_STORE)
        .errors(&[
            Code::SaleExists,
            Code::RequestReused,
            Code::SaleArchived,
            Code::SaleLost,
            Code::SaleSuspended,
            Code::LedgerUnavailable,
        ])
        .example(
            "a thousand phones",
            json!({ "id": "phone", "quantity": 1_000, "ttl_s": 300, "low_mark": 100 }),
            json!({ "sale": "phone", "existed": false }),
        )
        .example(
            "at most two for each user, reserved for ten minutes",
            json!({ "id": "tablet", "quantity": 1_000, "limit_per_user": 2, "hold_s": 600 }),
            json!({ "sale": "tablet", "existed": false }),
        )
        .example(
            "one of a group, whose sales can be in one attempt",
            json!({ "id": "camera", "quantity": 100, "group": "spring" }),
            json!({ "sale": "camera", "existed": false }),
        )
        .example(
            "another of the group",
            json!({ "id": "lens", "quantity": 50, "group": "spring" }),
            json!({ "sale": "lens", "existed": false }),
        )
}

/// The rule that a request is about one sale, by the fields `one`, or about several, by `several`.
fn one_or_several(one: &[&str], several: &str) -> Value {
    let missing = |field: &str| json!({ "not": given(field) });
    let of_one = one.iter().map(|field| given(field)).chain([missing(several)]);
    let of_several = one.iter().map(|field| missing(field)).chain([given(several)]);
    json!({ "oneOf": [{ "allOf": of_one.collect::<Vec<_>>() }, { "allOf": of_several.collect::<Vec<_>>() }] })
}

/// A list of several sales.
fn several_sales() -> Value {
    json!({ "minItems": 1, "maxItems": MAX_ITEMS, "uniqueItems": true, "items": id() })
}

fn id() -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": MAX_ID_BYTES, "pattern": id_pattern() })
}

/// A list of quantities of several sales.
fn several_items() -> Value {
    let mut sale = id();
    sale["description"] = "The id of the sale.".into();
    let quantity = json!({
        "type": "integer", "minimum": 1, "maximum": MAX_QUANTITY, "description": "The quantity, in units.",
    });
    let item = json!({
        "type": "object",
        "properties": { "sale": sale, "quantity": quantity },
        "required": ["sale", "quantity"],
        "additionalProperties": false,
    });
    json!({ "minItems": 1, "maxItems": MAX_ITEMS, "uniqueItems": true, "items": item })
}

fn deduct() -> Endpoint {
    Endpoint::of::<DeductStockRequest>()
        .id("sale")
        .new_id("user")
        .id("request_id")
        .range("quantity", 1, MAX_QUANTITY)
        .limit("items", several_items())
        .together(one_or_several(&["sale", "quantity"], "items"))
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleSuspended, Code::RequestReused, Code::LedgerUnavailable])
        .example(
            "two of them",
            json!({ "sale": "phone", "user": "mei", "quantity": 2, "request_id": "mei-1" }),
            json!({ "outcome": "won", "left": 998, "request_id": "mei-1" }),
        )
        .example(
            "two of them, sent again",
            json!({ "sale": "phone", "user": "mei", "quantity": 2, "request_id": "mei-1" }),
            json!({ "outcome": "repeat", "left": 998, "state": "deducted", "request_id": "mei-1" }),
        )
        .example(
            "more than are left",
            json!({ "sale": "phone", "user": "li", "quantity": 1_001, "request_id": "li-1" }),
            json!({ "outcome": "not_enough", "left": 998, "request_id": "li-1" }),
        )
        .example(
            "a reservation, in a sale with `hold_s`",
            json!({ "sale": "tablet", "user": "mei", "quantity": 2, "request_id": "mei-2" }),
            json!({ "outcome": "held", "left": 998, "due": DEDUCTED_AT + 600_000, "request_id": "mei-2" }),
        )
        .example(
            "more than the user may have",
            json!({ "sale": "tablet", "user": "mei", "quantity": 1, "request_id": "mei-3" }),
            json!({ "outcome": "limit_reached", "left": 0, "request_id": "mei-3" }),
        )
        .example(
            "items of two sales of one group",
            json!({
                "user": "mei", "request_id": "mei-4",
                "items": [{ "sale": "camera", "quantity": 1 }, { "sale": "lens", "quantity": 2 }],
            }),
            json!({
                "outcome": "won",
                "items": [
                    { "sale": "camera", "quantity": 1, "left": 99, "state": "deducted" },
                    { "sale": "lens", "quantity": 2, "left": 48, "state": "deducted" },
                ],
                "request_id": "mei-4",
            }),
        )
        .example(
            "items of two sales, of which one lacks",
            json!({
                "user": "li", "request_id": "li-4",
                "items": [{ "sale": "camera", "quantity": 1 }, { "sale": "lens", "quantity": 60 }],
            }),
            json!({ "outcome": "not_enough", "refused_by": "lens", "left": 48, "request_id": "li-4" }),
        )
}

fn give_back() -> Endpoint {
    Endpoint::of::<GiveBackStockRequest>()
        .id("sale")
        .id("request_id")
        .id("return_id")
        .limit("reason", one_text(MAX_REASON, false))
        .range("quantity", 1, MAX_QUANTITY)
        .limit("sales", several_sales())
        .together(one_or_several(&["sale"], "sales"))
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleSuspended, Code::RequestReused])
        .example(
            "a part: one of two",
            json!({ "sale": "phone", "request_id": "mei-1", "quantity": 1, "return_id": "mei-1-a" }),
            json!({ "outcome": "returned", "user": "mei", "quantity": 1, "kept": 1, "request_id": "mei-1" }),
        )
        .example(
            "the rest, as the order failed",
            json!({ "sale": "phone", "request_id": "mei-1", "reason": "The payment failed." }),
            json!({ "outcome": "returned", "user": "mei", "quantity": 1, "kept": 0, "request_id": "mei-1" }),
        )
        .example(
            "the rest, once more",
            json!({ "sale": "phone", "request_id": "mei-1" }),
            json!({ "outcome": "repeat", "user": "mei", "quantity": 1, "kept": 0, "request_id": "mei-1" }),
        )
        .example(
            "the items of several sales, as the order failed",
            json!({ "sales": ["camera", "lens"], "request_id": "mei-4" }),
            json!({
                "outcome": "returned", "user": "mei",
                "items": [{ "sale": "camera", "quantity": 1 }, { "sale": "lens", "quantity": 2 }],
                "request_id": "mei-4",
            }),
        )
}

fn confirm() -> Endpoint {
    Endpoint::of::<ConfirmStockRequest>()
        .id("sale")
        .id("request_id")
        .limit("reason", one_text(MAX_REASON, false))
        .limit("sales", several_sales())
        .together(one_or_several(&["sale"], "sales"))
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleSuspended])
        .example(
            "in time",
            json!({ "sale": "tablet", "request_id": "mei-2" }),
            json!({ "outcome": "confirmed", "user": "mei", "quantity": 2, "request_id": "mei-2" }),
        )
        .example(
            "once more",
            json!({ "sale": "tablet", "request_id": "mei-2" }),
            json!({ "outcome": "repeat", "user": "mei", "quantity": 2, "request_id": "mei-2" }),
        )
        .example(
            "items of several sales, of which one was given back",
            json!({ "sales": ["camera", "lens"], "request_id": "mei-4" }),
            json!({ "outcome": "returned", "refused_by": "camera", "user": "mei", "request_id": "mei-4" }),
        )
}

fn restock() -> Endpoint {
    Endpoint::of::<RestockRequest>()
        .id("sale")
        .id("request_id")
        .range("quantity", 1, MAX_QUANTITY)
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleSuspended, Code::RequestReused])
        .example(
            "a delivery",
            json!({ "sale": "phone", "quantity": 500, "request_id": "delivery-7" }),
            json!({ "outcome": "restocked", "left": 1_500, "change": 500, "request_id": "delivery-7" }),
        )
}

fn correct() -> Endpoint {
    Endpoint::of::<CorrectStockRequest>()
        .id("sale")
        .id("request_id")
        .range("counted", 0, MAX_COUNTED)
        .range("expected", -MAX_EXPECTED, MAX_EXPECTED)
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleSuspended, Code::RequestReused])
        .example(
            "three fewer on the shelf than there should have been",
            json!({ "sale": "phone", "counted": 1_497, "expected": 1_500, "request_id": "count-3" }),
            json!({ "outcome": "corrected", "left": 1_497, "change": -3, "request_id": "count-3" }),
        )
}

fn expire() -> Endpoint {
    Endpoint::of::<ExpireStockRequest>()
        .id("sale")
        .errors(&OF_A_SALE)
        .example("now", json!({ "sale": "phone" }), json!({ "outcome": "expired" }))
        .example("again", json!({ "sale": "phone" }), json!({ "outcome": "not_cached" }))
}

fn pause() -> Endpoint {
    Endpoint::of::<PauseStockRequest>()
        .id("sale")
        .range("seconds", 0, MAX_PAUSE_S)
        .default("seconds", DEFAULT_PAUSE_S)
        .errors(&OF_A_SALE)
        .example(
            "for ten seconds",
            json!({ "sale": "phone", "seconds": 10 }),
            json!({ "outcome": "paused", "seconds": 10 }),
        )
        .example("no longer", json!({ "sale": "phone", "seconds": 0 }), json!({ "outcome": "resumed" }))
}

fn snapshot() -> Endpoint {
    let answer = json!({
        "sale": "phone",
        "state": "open",
        "life": plain_life(None),
        "opened_at": 1_767_225_600_000_i64,
        "ttl_s": 300,
        "low_mark": 100,
        "limit_per_user": null,
        "hold_s": null,
        "group": null,
        "held": null,
        "crossings": 0,
        "low_at": null,
        "left": 1_497,
        "oversold": 0,
        "cached": null,
        "ttl_ms": null,
        "ledger": 1_497,
        "pending": 0,
        "paused_ms": null,
        "units": { "opened": 1_000, "deducted": 2, "returned": 2, "confirmed": 0, "expired": 0, "restocked": 500, "corrected": -3 },
        "rebuilds": 1,
        "rebuilt": [
            { "at": DEDUCTED_AT, "server": "shop-1/4321/9c1b3f", "quantity": 1_000, "ledger_difference": 0 }
        ],
        "outcomes": {
            "won": 1, "repeat": 1, "not_enough": 1, "limit_reached": 0, "closed": 0, "not_open": 0, "paused": 0, "ended": 0,
        },
        "latest": [{ "id": "1767225601500-0/0", "user": "mei", "quantity": 2, "left": 998, "at": DEDUCTED_AT }],
        "declined": [
            { "id": "1767225602000-0/0", "user": "li", "outcome": "not_enough", "at": 1_767_225_602_000_i64 }
        ],
        "calls": 3,
        "crowd": null,
        "event_id": "1767225601500-0",
    });
    let request = json!({ "sale": "phone" });
    Endpoint::of::<StockSnapshotRequest>().id("sale").errors(&OF_A_SALE).example("nothing cached now", request, answer)
}

fn course() -> Endpoint {
    Endpoint::of::<StockCourseRequest>().id("sale").errors(&OF_A_SALE).example(
        "two deducted, and a delivery",
        json!({ "sale": "phone" }),
        json!([
            { "at": DEDUCTED_AT - 250, "left": 1_000 },
            { "at": DEDUCTED_AT, "left": 998 },
            { "at": DEDUCTED_AT + 60_000, "left": 1_498 },
        ]),
    )
}

fn audit() -> Endpoint {
    Endpoint::of::<StockAuditRequest>().id("sale").errors(&OF_A_SALE).example(
        "everything holds",
        json!({ "sale": "phone" }),
        json!({
            "verdict": "holds",
            "invariants": [
                { "name": "quantity", "expected": 1_497, "found": 1_497 },
                { "name": "negative", "expected": 0, "found": 0 },
            ],
            "event_id": "1767225601500-0",
            "at": 1_767_225_603_000_i64,
            "reason": null,
        }),
    )
}

fn script() -> Endpoint {
    Endpoint::of::<StockScriptRequest>().errors(&OF_THE_STORE).example(
        "deduct.lua",
        json!({}),
        json!({
            "name": format!("{}/deduct.lua", INFO.id),
            "source": "#!lua\n-- …",
            "sha": "0d2c9b3c1b8f0d6a7e54c7b2f7d3a1e6b9c8d7f0",
            "healed": 0,
        }),
    )
}
