//! The description of the red packets' API: limits, errors and examples of each endpoint.

use crate::kind::KindDescription;
use crate::{
    components::format::count,
    life::description::{plain_life, plan},
    openapi::{Endpoint, Group, OF_A_SALE, OF_THE_STORE},
    red_packet::api::{AuditRequest, ClaimRequest, OpenRequest, RefundRequest, ScriptRequest, SnapshotRequest},
};
use model::{
    error::Code,
    red_packet::{DEFAULT_EXPIRES_IN_S, Details, INFO, MAX_COUNT, MAX_EXPIRES_IN_S, MAX_TOTAL_CENTS, Snapshot},
};
use serde_json::{Map, json};

/// Returns this kind's part of the API description.
pub fn description() -> KindDescription {
    KindDescription {
        group: Group {
            name: "Red packets",
            description: format!(
                "A sum of money, split in advance into small packets, one for each user, first come, first served. What \
                 nobody has claimed when the sale expires, or is closed, is refunded to the sender.\n\n\
                 Limits: 1 to {} packets, up to {} cents, sales of up to {} days.",
                count(MAX_COUNT),
                count(MAX_TOTAL_CENTS.unsigned_abs()),
                MAX_EXPIRES_IN_S / 86_400
            ),
            endpoints: vec![open(), claim(), snapshot(), refund(), audit(), script()],
        },
        snapshot: Box::new(|generator| generator.subschema_for::<Snapshot>()),
        summary: Box::new(|generator| generator.subschema_for::<Details>()),
        behavior: Map::new(),
    }
}

fn open() -> Endpoint {
    plan(Endpoint::of::<OpenRequest>(), false)
        .new_id("id")
        .id("request_id")
        .range("total_cents", 1, MAX_TOTAL_CENTS)
        .range("count", 1, MAX_COUNT)
        .range("expires_in_s", 1, MAX_EXPIRES_IN_S)
        .default("expires_in_s", DEFAULT_EXPIRES_IN_S)
        .range("seed", 0, u64::MAX)
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
            "a hundred packets",
            json!({ "id": "spring", "total_cents": 8_880, "count": 100, "splitter": "double_mean", "seed": 7 }),
            json!({ "sale": "spring", "existed": false }),
        )
}

fn claim() -> Endpoint {
    Endpoint::of::<ClaimRequest>()
        .id("sale")
        .new_id("user")
        .id("request_id")
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleOpening, Code::SaleSuspended])
        .example(
            "the first attempt",
            json!({ "sale": "spring", "user": "mei", "request_id": "mei-1" }),
            json!({ "outcome": "won", "packet": 1, "cents": 30, "request_id": "mei-1" }),
        )
        .example(
            "the user again",
            json!({ "sale": "spring", "user": "mei", "request_id": "mei-2" }),
            json!({ "outcome": "repeat", "packet": 1, "cents": 30, "request_id": "mei-2" }),
        )
}

fn snapshot() -> Endpoint {
    let best = json!({ "user": "mei", "packet": 1, "cents": 30, "at": 1_767_225_601_500_i64 });
    let answer = json!({
        "sale": "spring",
        "state": "open",
        "life": plain_life(Some(1_767_312_000_000)),
        "splitter": "double_mean",
        "total_cents": 8_880,
        "count": 100,
        "opened_at": 1_767_225_600_000_i64,
        "expires_at": 1_767_312_000_000_i64,
        "pending": 99,
        "pending_cents": 8_850,
        "claimed": 1,
        "claimed_cents": 30,
        "refunded": 0,
        "refunded_cents": 0,
        "outcomes": { "won": 1, "repeat": 1, "sold_out": 0, "expired": 0, "closed": 0, "not_open": 0, "paused": 0 },
        "luckiest": best,
        "histogram": { "width": 9, "counts": [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] },
        "latest": [best],
        "declined": [
            { "id": "1767225602000-0/0", "user": "mei", "outcome": "repeat", "at": 1_767_225_602_000_i64 }
        ],
        "calls": 2,
        "crowd": null,
        "event_id": "1767225601500-0",
    });
    let request = json!({ "sale": "spring" });
    Endpoint::of::<SnapshotRequest>().id("sale").errors(&OF_A_SALE).example("one packet claimed", request, answer)
}

fn refund() -> Endpoint {
    Endpoint::of::<RefundRequest>()
        .id("sale")
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleOpening, Code::SaleSuspended])
        .example(
            "not expired yet",
            json!({ "sale": "spring" }),
            json!({ "outcome": "not_expired", "refunded_cents": 0, "expires_at": 1_767_312_000_000_i64 }),
        )
}

fn audit() -> Endpoint {
    Endpoint::of::<AuditRequest>().id("sale").errors(&OF_A_SALE).errors(&[Code::SaleOpening]).example(
        "everything holds",
        json!({ "sale": "spring" }),
        json!({
            "verdict": "holds",
            "invariants": [
                { "name": "packets", "expected": 100, "found": 100 },
                { "name": "money", "expected": 8_880, "found": 8_880, "unit": "cents" },
            ],
            "event_id": "1767225601500-0",
            "at": 1_767_225_603_000_i64,
            "reason": null,
        }),
    )
}

fn script() -> Endpoint {
    Endpoint::of::<ScriptRequest>().errors(&OF_THE_STORE).example(
        "claim.lua",
        json!({}),
        json!({
            "name": format!("{}/claim.lua", INFO.id),
            "source": "#!lua\n-- …",
            "sha": "0d2c9b3c1b8f0d6a7e54c7b2f7d3a1e6b9c8d7f0",
            "healed": 0,
        }),
    )
}
