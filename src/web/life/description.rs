//! The description of the API for the life of sales.

use crate::KINDS;
use crate::{
    life::api::{DescribeRequest, PauseRequest, ReopenRequest, ResumeRequest, ScheduleRequest},
    openapi::{Endpoint, OF_A_SALE, given},
};
use model::{
    error::Code,
    life::{Currency, HoldClock, MAX_AHEAD_S, MAX_DESCRIPTION, MAX_REASON, MAX_TITLE, text_pattern},
};
use serde_json::{Value, json};

/// Returns the endpoints that change the life of a sale.
pub fn endpoints() -> [Endpoint; 5] {
    [
        of_a_sale(Endpoint::of::<PauseRequest>())
            .limit("reason", one_text(MAX_REASON, false))
            .default("hold_clock", HoldClock::default())
            .example(
                "paused now",
                json!({ "kind": KINDS[0].info.id, "sale": "spring", "reason": "Back at ten.", "request_id": "pause-1" }),
                json!({ "outcome": "paused", "paused_at": 1_767_225_604_000_i64, "request_id": "pause-1" }),
            ),
        of_a_sale(Endpoint::of::<ResumeRequest>()).example(
            "resumed now",
            a_change("resume-1"),
            json!({ "outcome": "resumed", "request_id": "resume-1" }),
        ),
        times(of_a_sale(Endpoint::of::<ScheduleRequest>()), true)
            .range("opens_in_s", 0, MAX_AHEAD_S)
            .example(
                "a later end",
                json!({ "kind": KINDS[0].info.id, "sale": "spring", "ends_in_s": 90_000, "request_id": "end-1" }),
                json!({
                    "outcome": "scheduled",
                    "opens_at": null,
                    "ends_at": 1_767_315_605_000_i64,
                    "request_id": "end-1",
                }),
            ),
        of_a_sale(Endpoint::of::<ReopenRequest>())
            .range("ends_in_s", 1, MAX_AHEAD_S)
            .together(json!({ "allOf": [not_both("ends_at", "ends_in_s")] }))
            .example(
                "not closed",
                a_change("reopen-1"),
                json!({ "outcome": "repeat", "request_id": "reopen-1" }),
            ),
        texts(of_a_sale(Endpoint::of::<DescribeRequest>())).example(
            "a title",
            json!({
                "kind": KINDS[0].info.id,
                "sale": "spring",
                "title": { "en": "Spring packets", "zh": "春节红包" },
                "request_id": "title-1",
            }),
            json!({ "outcome": "described", "request_id": "title-1" }),
        ),
    ]
}

/// Describes the plan in an endpoint that opens a sale. Some kinds have an end of their own.
pub fn plan(endpoint: Endpoint, has_end: bool) -> Endpoint {
    texts(times(endpoint.range("opens_in_s", 1, MAX_AHEAD_S), has_end))
        .limit("currency", json!({ "enum": Currency::all().map(Currency::code).collect::<Vec<_>>() }))
        .default("currency", Currency::CNY)
}

/// Returns the life of a sale that uses none of it, in an example of a snapshot.
pub fn plain_life(ends_at: Option<i64>) -> Value {
    json!({
        "now": 1_767_225_602_000_i64,
        "opens_at": null,
        "ends_at": ends_at,
        "pause": null,
        "title": {},
        "description": {},
        "currency": "CNY",
    })
}

fn of_a_sale(endpoint: Endpoint) -> Endpoint {
    endpoint
        .limit("kind", json!({ "enum": KINDS.iter().map(|kind| kind.info.id).collect::<Vec<_>>() }))
        .id("sale")
        .id("request_id")
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleOpening, Code::SaleSuspended, Code::RequestReused])
}

fn a_change(request_id: &str) -> Value {
    json!({ "kind": KINDS[0].info.id, "sale": "spring", "request_id": request_id })
}

/// Describes the times, of each pair of which one may be given.
fn times(endpoint: Endpoint, has_end: bool) -> Endpoint {
    let start = not_both("opens_at", "opens_in_s");
    if !has_end {
        return endpoint.together(json!({ "allOf": [start] }));
    }
    endpoint.range("ends_in_s", 1, MAX_AHEAD_S).together(json!({ "allOf": [start, not_both("ends_at", "ends_in_s")] }))
}

fn not_both(one: &str, other: &str) -> Value {
    json!({ "not": { "allOf": [given(one), given(other)] } })
}

fn texts(endpoint: Endpoint) -> Endpoint {
    let both = |most, is_multiline| {
        let text = |language: &str| {
            let mut text = one_text(most, is_multiline);
            text["type"] = json!(["string", "null"]);
            text["description"] = format!("The text in {language}.").into();
            text
        };
        json!({ "properties": { "en": text("English"), "zh": text("Chinese") } })
    };
    endpoint.limit("title", both(MAX_TITLE, false)).limit("description", both(MAX_DESCRIPTION, true))
}

/// Returns the limits of a text.
pub fn one_text(most: usize, is_multiline: bool) -> Value {
    json!({ "maxLength": most, "pattern": text_pattern(is_multiline) })
}
