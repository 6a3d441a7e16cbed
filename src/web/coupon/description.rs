//! The API of coupons described: limits, errors and examples of each endpoint.

use crate::kind::KindDescription;
use crate::{
    components::format::count,
    coupon::api::{
        ClaimCouponRequest, CouponAuditRequest, CouponScriptRequest, CouponSnapshotRequest, CouponUserRequest,
        GiveBackCouponRequest, OpenCouponsRequest, RedeemCouponRequest, SetLimitsRequest, UploadListRequest,
        VoidRedemptionRequest,
    },
    life::description::{one_text, plain_life, plan},
    openapi::{Endpoint, Group, OF_A_SALE, OF_THE_STORE, given, new_id, request_fields},
};
use model::{
    LATEST, MAX_ID_BYTES,
    coupon::{
        DEFAULT_TIME_ZONE, Details, INFO, LIMITS, LISTED_AT_A_TIME, LimitName, MAX_LIMIT, MAX_LISTED, MOST_LISTED,
        Snapshot, crowd::Behavior,
    },
    error::Code,
    life::MAX_REASON,
};
use serde_json::json;

const CODE: &str = "7K3M-9Q2X-4T8W";
/// Letters and digits, in groups or not.
const CODE_AS_TYPED: &str = "^[ -]*([0-9A-Za-z][ -]*){4,32}$";
/// As it is shown.
const OWN_CODE: &str = "^-*([0-9A-Za-z]-*){4,32}$";
const CLAIMED_AT: i64 = 1_767_225_601_500;

/// What this kind adds to the description of the API.
pub fn description() -> KindDescription {
    KindDescription {
        group: Group {
            name: "Coupons",
            description: format!(
                "Codes for users who claim one, within limits: for the sale, for each user, and for each user and day \
                 in the time zone of the sale. Each limit may be left out, and changed at any time; a refusal names \
                 the limit, and says how many more each limit allows. A coupon is redeemed or given back, once; a redemption can be taken back. It can be \
                 redeemed from `valid_from` until `valid_until`, if the sale has them. \
                 A `total` of 0 stops claims. A sale may have own codes, and be for some users only: it is opened for \
                 lists of some length, which are uploaded in parts.\n\n\
                 Limits: 1 to {} coupons; the newest {MOST_LISTED} coupons of a user are listed; lists have at most {} \
                 entries, and their parts {}.",
                count(MAX_LIMIT),
                count(MAX_LISTED),
                count(LISTED_AT_A_TIME as u64)
            ),
            endpoints: vec![
                open(),
                upload(),
                claim(),
                redeem(),
                give_back(),
                void(),
                limits(),
                user(),
                snapshot(),
                audit(),
                script(),
            ],
        },
        snapshot: Box::new(|generator| generator.subschema_for::<Snapshot>()),
        summary: Box::new(|generator| generator.subschema_for::<Details>()),
        behavior: request_fields::<Behavior>(),
    }
}

fn with_limits(endpoint: Endpoint) -> Endpoint {
    LIMITS.into_iter().fold(endpoint, |endpoint, limit| endpoint.range(limit.name.name(), 1, MAX_LIMIT))
}

fn open() -> Endpoint {
    plan(with_limits(Endpoint::of::<OpenCouponsRequest>()), true)
        .new_id("id")
        .id("request_id")
        .limit("time_zone", json!({ "pattern": "^[A-Za-z0-9_+/-]+$" }))
        .default("time_zone", DEFAULT_TIME_ZONE)
        .default("given_back_counts", false)
        .range("valid_from", 0, LATEST)
        .range("valid_until", 0, LATEST)
        .range("own_codes", 1, MAX_LISTED)
        .range("only_for", 1, MAX_LISTED)
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
            "a thousand coupons, one a day for each",
            json!({ "id": "welcome", "total": 1_000, "per_user": 5, "per_user_per_day": 1, "time_zone": "Asia/Shanghai" }),
            json!({ "sale": "welcome", "existed": false }),
        )
        .example(
            "two codes of a partner, for one user",
            json!({ "id": "partner", "own_codes": 2, "only_for": 1 }),
            json!({ "sale": "partner", "existed": false }),
        )
}

fn upload() -> Endpoint {
    let uploaded = |codes, users| json!({ "own_codes": 2, "only_for": 1, "codes_uploaded": codes, "users_uploaded": users, "existed": false });
    let entries = |items| json!({ "items": items, "minItems": 1, "maxItems": LISTED_AT_A_TIME, "uniqueItems": true });
    let mut user = new_id();
    user["type"] = "string".into();
    Endpoint::of::<UploadListRequest>()
        .id("sale")
        .range("first", 1, MAX_LISTED)
        .limit("codes", entries(json!({ "type": "string", "pattern": OWN_CODE, "maxLength": MAX_ID_BYTES })))
        .limit("users", entries(user))
        .together(json!({ "oneOf": [given("codes"), given("users")] }))
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleSuspended, Code::RequestReused])
        .example(
            "the codes",
            json!({ "sale": "partner", "first": 1, "codes": ["SUMMER-2026-A", "SUMMER-2026-B"] }),
            uploaded(2, 0),
        )
        .example("the user", json!({ "sale": "partner", "first": 1, "users": ["mei"] }), uploaded(2, 1))
}

fn claim() -> Endpoint {
    Endpoint::of::<ClaimCouponRequest>()
        .id("sale")
        .new_id("user")
        .id("request_id")
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleOpening, Code::SaleSuspended, Code::RequestReused])
        .example(
            "the first attempt",
            json!({ "sale": "welcome", "user": "mei", "request_id": "mei-1" }),
            json!({ "outcome": "won", "code": CODE, "request_id": "mei-1" }),
        )
        .example(
            "the same request again",
            json!({ "sale": "welcome", "user": "mei", "request_id": "mei-1" }),
            json!({ "outcome": "repeat", "code": CODE, "state": "claimed", "request_id": "mei-1" }),
        )
        .example(
            "the user once more, on the same day",
            json!({ "sale": "welcome", "user": "mei", "request_id": "mei-2" }),
            json!({
                "outcome": "refused",
                "limit": "per_user_per_day",
                "left": { "total": 999, "per_user": 4, "per_user_per_day": 0 },
                "request_id": "mei-2",
            }),
        )
}

fn redeem() -> Endpoint {
    let coupon = |outcome, request_id| {
        json!({
            "outcome": outcome, "code": CODE, "user": "mei", "claimed_at": CLAIMED_AT, "ended_at": CLAIMED_AT + 8_500,
            "request_id": request_id,
        })
    };
    Endpoint::of::<RedeemCouponRequest>()
        .id("sale")
        .id("request_id")
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleSuspended])
        .limit("code", json!({ "pattern": CODE_AS_TYPED }))
        .example(
            "at the till",
            json!({ "sale": "welcome", "code": CODE, "request_id": "till-3-1041" }),
            coupon("redeemed", "till-3-1041"),
        )
        .example(
            "the same code at another till",
            json!({ "sale": "welcome", "code": CODE, "request_id": "till-1-2208" }),
            coupon("already_redeemed", "till-1-2208"),
        )
}

fn give_back() -> Endpoint {
    Endpoint::of::<GiveBackCouponRequest>()
        .id("sale")
        .id("request_id")
        .limit("reason", one_text(MAX_REASON, false))
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleSuspended])
        .limit("code", json!({ "pattern": CODE_AS_TYPED }))
        .example(
            "a coupon that was not redeemed",
            json!({ "sale": "welcome", "code": CODE, "request_id": "mei-back-1" }),
            json!({
                "outcome": "returned", "code": CODE, "user": "mei", "claimed_at": CLAIMED_AT, "ended_at": CLAIMED_AT + 9_000,
                "request_id": "mei-back-1",
            }),
        )
        .example(
            "a code that nobody has",
            json!({ "sale": "welcome", "code": "0000-0000-0000", "request_id": "mei-back-2" }),
            json!({ "outcome": "unknown_code", "code": "0000-0000-0000", "request_id": "mei-back-2" }),
        )
}

fn void() -> Endpoint {
    let request = json!({
        "sale": "welcome", "code": CODE, "reason": "The purchase was cancelled.", "request_id": "till-3-1041",
    });
    let answer = |outcome| {
        json!({
            "outcome": outcome, "code": CODE, "user": "mei", "claimed_at": CLAIMED_AT, "ended_at": CLAIMED_AT + 9_500,
            "request_id": "till-3-1041",
        })
    };
    Endpoint::of::<VoidRedemptionRequest>()
        .id("sale")
        .id("request_id")
        .limit("reason", one_text(MAX_REASON, false))
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleSuspended])
        .limit("code", json!({ "pattern": CODE_AS_TYPED }))
        .example("the purchase at the till was cancelled", request.clone(), answer("voided"))
        .example("the same again", request, answer("repeat"))
        .example(
            "a request that has not redeemed the coupon",
            json!({ "sale": "welcome", "code": CODE, "request_id": "till-1-2208" }),
            json!({ "outcome": "unknown_request", "code": CODE, "request_id": "till-1-2208" }),
        )
}

fn limits() -> Endpoint {
    let names = LIMITS.map(|limit| limit.name.name());
    let any = names.into_iter().chain(["unlimited"]).map(given);
    let both = names.map(|name| {
        let lifted = json!({ "properties": { "unlimited": { "contains": { "const": name } } } });
        json!({ "allOf": [given(name), given("unlimited"), lifted] })
    });
    with_limits(Endpoint::of::<SetLimitsRequest>())
        .range(LimitName::Total.name(), 0, MAX_LIMIT)
        .together(json!({ "anyOf": any.collect::<Vec<_>>(), "not": { "anyOf": both } }))
        .id("sale")
        .id("request_id")
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleSuspended, Code::RequestReused])
        .example(
            "two a day instead of one, and as many days as they like",
            json!({ "sale": "welcome", "per_user_per_day": 2, "unlimited": ["per_user"], "request_id": "edit-7" }),
            json!({ "outcome": "set", "limits": { "total": 1_000, "per_user": null, "per_user_per_day": 2 }, "request_id": "edit-7" }),
        )
        .example(
            "nobody gets another coupon",
            json!({ "sale": "welcome", "total": 0, "request_id": "edit-8" }),
            json!({ "outcome": "set", "limits": { "total": 0, "per_user": null, "per_user_per_day": 2 }, "request_id": "edit-8" }),
        )
}

fn user() -> Endpoint {
    Endpoint::of::<CouponUserRequest>().id("sale").id("user").errors(&OF_A_SALE).example(
        "a user with one coupon",
        json!({ "sale": "welcome", "user": "mei" }),
        json!({
            "user": "mei",
            "left": { "total": 999, "per_user": 4, "per_user_per_day": 0 },
            "coupons": [{ "code": CODE, "state": "claimed", "claimed_at": CLAIMED_AT, "ended_at": null, "ended_by": null }],
        }),
    )
}

fn snapshot() -> Endpoint {
    let answer = json!({
        "sale": "welcome",
        "state": "open",
        "life": plain_life(None),
        "limits": { "total": 1_000, "per_user": 5, "per_user_per_day": 1 },
        "time_zone": "Asia/Shanghai",
        "given_back_counts": false,
        "valid_from": null,
        "valid_until": null,
        "own_codes": 0,
        "only_for": 0,
        "codes_uploaded": 0,
        "users_uploaded": 0,
        "opened_at": 1_767_225_600_000_i64,
        "day_ends_at": 1_767_283_200_000_i64,
        "counted": 1,
        "claimed": 1,
        "redeemed": 0,
        "returned": 0,
        "outcomes": { "won": 1, "repeat": 0, "total": 0, "per_user": 0, "per_user_per_day": 1, "closed": 0, "not_open": 0, "paused": 0, "ended": 0, "not_invited": 0 },
        "minutes": [{ "at": 1_767_225_600_000_i64, "claims": 1 }],
        "latest": [{ "user": "mei", "code_ends": &CODE[10..], "at": CLAIMED_AT }],
        "declined": [
            { "id": "1767225602000-0/0", "user": "mei", "outcome": "per_user_per_day", "at": 1_767_225_602_000_i64 }
        ],
        "calls": 2,
        "crowd": null,
        "event_id": "1767225601500-0",
    });
    let request = json!({ "sale": "welcome" });
    Endpoint::of::<CouponSnapshotRequest>().id("sale").errors(&OF_A_SALE).example("one coupon claimed", request, answer)
}

fn audit() -> Endpoint {
    Endpoint::of::<CouponAuditRequest>().id("sale").errors(&OF_A_SALE).example(
        "everything holds",
        json!({ "sale": "welcome" }),
        json!({
            "verdict": "holds",
            "invariants": [
                { "name": "coupons", "expected": 1, "found": 1 },
                { "name": "beyond_total", "expected": 0, "found": 0 },
            ],
            "event_id": "1767225601500-0",
            "at": 1_767_225_603_000_i64,
            "reason": null,
        }),
    )
}

fn script() -> Endpoint {
    Endpoint::of::<CouponScriptRequest>().errors(&OF_THE_STORE).example(
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
