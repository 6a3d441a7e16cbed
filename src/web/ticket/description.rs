//! The description of the tickets' API: limits, errors and examples of each endpoint.

use crate::kind::KindDescription;
use crate::{
    components::format::count,
    life::description::{one_text, plain_life, plan},
    openapi::{Endpoint, Group, OF_A_SALE, OF_THE_STORE, given, new_id, request_fields},
    ticket::api::{
        BlockRequest, CancelRequest, ExtendRequest, HallRequest, OpenTicketsRequest, OrderRequest, PayRequest,
        ReserveRequest, SeatInfoRequest, TicketAuditRequest, TicketScriptRequest, TicketSnapshotRequest,
        UnblockRequest,
    },
};
use model::{
    error::Code,
    life::MAX_REASON,
    ticket::{
        DEFAULT_HOLD_S, DEFAULT_LIMIT, Details, MAX_BLOCKED, MAX_HOLD_S, MAX_LAYOUT_BYTES, MAX_LIMIT, MAX_PRICE_CENTS,
        Snapshot,
        crowd::Behavior,
        hall::{MAX_CATEGORIES, MAX_ROW, MAX_ROWS, MAX_SEATS, MAX_SECTIONS},
        index::LARGEST_GROUP,
    },
};
use serde_json::{Value, json};

/// The orders of the examples.
const MEI: &str = "019b76da-b000-7000-8000-000000000001";
const LI: &str = "019b76da-b000-7000-8000-000000000002";
const HELD_UNTIL: i64 = 1_767_226_200_000;

/// Returns this kind's part of the API description.
pub fn description() -> KindDescription {
    KindDescription {
        group: Group {
            name: "Tickets",
            description: format!(
                "Seats of a hall, chosen or the best available. They are held until their order is paid, is cancelled or \
                 expires.\n\n\
                 A `layout` is `{{\"categories\": [best first], \"sections\": [{{\"id\", \"category\", \"rows\": [number \
                 of seats in each row, nearest row first], \"rank\"?, \"x\"?, \"y\"?, \"turn\"?, \"radius\"?}}], \
                 \"marks\"?: [{{\"mark\"?, \"seats\", \"note\"?, \"category\"?}}]}}`. \
                 Lengths are in seats, `turn` is in degrees, `radius` is 0 for straight rows, and `rank` says by how many \
                 rows the section's first row is worse than that of the best section. A straight section without a \
                 position is laid out behind those before it; sections that overlap are refused. A row may also be an \
                 object, `{{\"name\"?, \"seats\", \"from\"?, \"step\"?, \"gaps\"?, \"aisles\"?}}`: its name, and \
                 how its seats are numbered (`docs/layouts.md`). `/tickets/preview` draws a layout and lists its mistakes. \
                 With a `layout`, `prices` must name every category.\n\n\
                 The id of a seat is section, row and number, `S-12-07`. It may be given in capitals or not; answers have \
                 it as the layout does.\n\n\
                 The first message of a live view has all seats, or none if nothing has happened since `after`; the \
                 following ones have only the seats that changed (3 × the seat's number in the hall + 0 free, 1 held, 2 \
                 sold; or 3 × the number of seats + the seat's number, if it was blocked), or all of them if that is \
                 shorter.\n\n\
                 Limits: halls of up to {} seats, {} sections, {MAX_ROWS} rows in a section, \
                 {MAX_ROW} seats in a row and {MAX_CATEGORIES} categories; orders of up to {LARGEST_GROUP} seats; 1 to \
                 {} seats per person; holds of 1 to {} seconds; seats of up to {} \
                 cents; bodies with a layout of up to {} KiB.",
                count(MAX_SEATS as u64),
                count(MAX_SECTIONS as u64),
                count(MAX_LIMIT.into()),
                count(MAX_HOLD_S),
                count(MAX_PRICE_CENTS.unsigned_abs()),
                MAX_LAYOUT_BYTES / 1024
            ),
            endpoints: vec![
                open(),
                reserve(),
                order(),
                extend(),
                pay(),
                cancel(),
                block(),
                unblock(),
                snapshot(),
                hall(),
                seat(),
                audit(),
                script(),
            ],
        },
        snapshot: Box::new(|generator| generator.subschema_for::<Snapshot>()),
        summary: Box::new(|generator| generator.subschema_for::<Details>()),
        behavior: request_fields::<Behavior>(),
    }
}

/// Returns two short sections, for the examples.
fn layout() -> Value {
    json!({
        "categories": ["front", "back"],
        "sections": [
            { "id": "A", "category": "front", "rows": [4, 5] },
            { "id": "B", "category": "back", "rows": [6], "rank": 2, "y": 200.0 },
        ],
    })
}

fn open() -> Endpoint {
    let prices = json!({ "minimum": 0, "maximum": MAX_PRICE_CENTS });
    plan(Endpoint::of::<OpenTicketsRequest>(), true)
        .new_id("id")
        .id("request_id")
        .limit("prices", json!({ "additionalProperties": { "type": "integer", "allOf": [prices] } }))
        .range("limit_per_user", 1, MAX_LIMIT)
        .default("limit_per_user", DEFAULT_LIMIT)
        .range("hold_s", 1, MAX_HOLD_S)
        .default("hold_s", DEFAULT_HOLD_S)
        .default("extendable", false)
        .together(json!({ "oneOf": [given("hall"), given("layout")] }))
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
            "a built-in hall",
            json!({ "id": "gala", "hall": "theatre", "prices": { "balcony": 2_900 } }),
            json!({
                "sale": "gala",
                "existed": false,
                "categories": [
                    { "name": "stalls", "capacity": 343, "price_cents": 8_800 },
                    { "name": "circle", "capacity": 160, "price_cents": 5_800 },
                    { "name": "balcony", "capacity": 93, "price_cents": 2_900 },
                ],
            }),
        )
        .example(
            "a layout of your own",
            json!({
                "id": "club", "layout": layout(), "prices": { "front": 8_800, "back": 4_800 }, "extendable": true,
            }),
            json!({
                "sale": "club",
                "existed": false,
                "categories": [
                    { "name": "front", "capacity": 9, "price_cents": 8_800 },
                    { "name": "back", "capacity": 6, "price_cents": 4_800 },
                ],
            }),
        )
}

/// Returns an order of the examples in this state, as the answer to a request with this outcome and request id.
fn order_of_mei(answer: Option<(&str, &str)>, state: &str) -> Value {
    let mut order = json!({
        "order": MEI, "state": state, "seats": ["A-01-01", "A-01-02"], "cents": 17_600, "held_until": HELD_UNTIL,
        "extendable": state == "held", "together": true,
    });
    if let Some((outcome, request_id)) = answer {
        (order["outcome"], order["request_id"]) = (outcome.into(), request_id.into());
    }
    order
}

fn reserve() -> Endpoint {
    let most = json!({ "maxItems": LARGEST_GROUP });
    let mut holder = new_id();
    holder["type"] = "string".into();
    Endpoint::of::<ReserveRequest>()
        .id("sale")
        .new_id("user")
        .id("request_id")
        .limit("seats", most.clone())
        .limit("pick", most)
        .limit("holders", json!({ "maxItems": LARGEST_GROUP, "items": holder }))
        .together(json!({ "oneOf": [given("seats"), given("pick")] }))
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleSuspended, Code::RequestReused])
        .example(
            "best available seats",
            json!({
                "sale": "club", "user": "mei", "request_id": "mei-1", "pick": [{ "category": "front", "count": 2 }],
            }),
            order_of_mei(Some(("held", "mei-1")), "held"),
        )
        .example(
            "chosen seats",
            json!({
                "sale": "club", "user": "li", "request_id": "li-1", "seats": ["B-01-03"], "holders": ["Li Na"],
            }),
            json!({
                "outcome": "held", "order": LI, "state": "held", "seats": ["B-01-03"], "cents": 4_800,
                "held_until": HELD_UNTIL, "extendable": true, "request_id": "li-1",
            }),
        )
        .example(
            "seats that are taken",
            json!({ "sale": "club", "user": "wang", "request_id": "wang-1", "seats": ["B-01-03"] }),
            json!({
                "outcome": "seat_taken", "seats": ["B-01-03"],
                "held": [{ "seat": "B-01-03", "held_until": HELD_UNTIL }], "request_id": "wang-1",
            }),
        )
        .example(
            "more seats than are left",
            json!({
                "sale": "club", "user": "wang", "request_id": "wang-2", "pick": [{ "category": "back", "count": 6 }],
            }),
            json!({ "outcome": "not_enough_seats", "left": [{ "category": "back", "left": 5 }], "request_id": "wang-2" }),
        )
        .example(
            "seats that are not side by side",
            json!({
                "sale": "club", "user": "wang", "request_id": "wang-3",
                "pick": [{ "category": "back", "count": 4, "strict": true }],
            }),
            json!({
                "outcome": "not_together", "groups": [{ "category": "back", "largest": 3 }], "request_id": "wang-3",
            }),
        )
}

fn order() -> Endpoint {
    Endpoint::of::<OrderRequest>().id("sale").id("order").errors(&OF_A_SALE).errors(&[Code::UnknownOrder]).example(
        "held",
        json!({ "sale": "club", "order": MEI }),
        order_of_mei(None, "held"),
    )
}

fn pay() -> Endpoint {
    Endpoint::of::<PayRequest>()
        .id("sale")
        .id("order")
        .id("request_id")
        .errors(&OF_A_SALE)
        .errors(&[Code::UnknownOrder, Code::SaleSuspended])
        .example(
            "paid",
            json!({ "sale": "club", "order": MEI, "request_id": "mei-pays-1" }),
            order_of_mei(Some(("paid", "mei-pays-1")), "paid"),
        )
}

fn extend() -> Endpoint {
    Endpoint::of::<ExtendRequest>()
        .id("sale")
        .id("order")
        .id("request_id")
        .limit("reason", one_text(MAX_REASON, false))
        .errors(&OF_A_SALE)
        .errors(&[Code::UnknownOrder, Code::SaleSuspended])
        .example("extended", json!({ "sale": "club", "order": MEI, "request_id": "mei-later-1" }), {
            let mut longer = order_of_mei(Some(("extended", "mei-later-1")), "held");
            longer["held_until"] = (HELD_UNTIL + 600_000).into();
            longer["extendable"] = false.into();
            longer
        })
}

fn cancel() -> Endpoint {
    Endpoint::of::<CancelRequest>()
        .id("sale")
        .id("order")
        .id("request_id")
        .limit("reason", one_text(MAX_REASON, false))
        .limit("seats", json!({ "minItems": 1, "maxItems": LARGEST_GROUP, "uniqueItems": true }))
        .errors(&OF_A_SALE)
        .errors(&[Code::UnknownOrder, Code::SaleSuspended, Code::RequestReused])
        .example(
            "a part",
            json!({ "sale": "club", "order": MEI, "seats": ["A-01-01"], "request_id": "mei-back-1" }),
            json!({
                "outcome": "refunded", "order": MEI, "state": "paid", "seats": ["A-01-02"], "cents": 8_800,
                "held_until": HELD_UNTIL + 600_000, "extendable": false, "together": true,
                "cancelled_seats": ["A-01-01"], "cancelled_cents": 8_800,
            }),
        )
        .example(
            "cancelled",
            json!({ "sale": "club", "order": LI, "reason": "Double booking", "request_id": "li-2" }),
            json!({
                "outcome": "cancelled", "order": LI, "state": "cancelled", "seats": ["B-01-03"], "cents": 4_800,
                "held_until": HELD_UNTIL, "extendable": false, "cancelled_seats": ["B-01-03"], "cancelled_cents": 4_800,
            }),
        )
}

/// Adds what blocking and unblocking have in common.
fn of_seats(endpoint: Endpoint) -> Endpoint {
    endpoint
        .id("sale")
        .id("request_id")
        .limit("seats", json!({ "minItems": 1, "maxItems": MAX_BLOCKED }))
        .limit("reason", one_text(MAX_REASON, false))
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleSuspended, Code::RequestReused])
}

fn block() -> Endpoint {
    of_seats(Endpoint::of::<BlockRequest>())
        .example(
            "two seats for a camera",
            json!({ "sale": "club", "seats": ["b-01-05", "b-01-06"], "reason": "Camera", "request_id": "block-1" }),
            json!({ "outcome": "blocked", "seats": ["B-01-05", "B-01-06"], "request_id": "block-1" }),
        )
        .example(
            "a seat that is not free",
            json!({ "sale": "club", "seats": ["A-01-02"], "request_id": "block-2" }),
            json!({
                "outcome": "not_free", "seats": [{ "seat": "A-01-02", "state": "sold" }], "request_id": "block-2",
            }),
        )
}

fn unblock() -> Endpoint {
    of_seats(Endpoint::of::<UnblockRequest>()).example(
        "two seats that were blocked",
        json!({ "sale": "club", "seats": ["B-01-05", "B-01-06"], "request_id": "unblock-1" }),
        json!({ "outcome": "unblocked", "seats": ["B-01-05", "B-01-06"], "request_id": "unblock-1" }),
    )
}

fn snapshot() -> Endpoint {
    let answer = json!({
        "sale": "club",
        "state": "open",
        "life": plain_life(None),
        "event_id": "1767225605000-0",
        "opened_at": 1_767_225_600_000_i64,
        "hold_s": 600,
        "extendable": true,
        "limit_per_user": 6,
        "categories": [
            { "name": "front", "capacity": 9, "price_cents": 8_800 },
            { "name": "back", "capacity": 6, "price_cents": 4_800 },
        ],
        "remaining": { "front": 8, "back": 6 },
        "held": { "front": 0, "back": 0 },
        "sold": { "front": 1, "back": 0 },
        "blocked": {},
        "outcomes": {
            "held": 2, "repeat": 0, "seat_taken": 1, "not_enough_seats": 1, "not_together": 1,
            "limit_reached": 0, "closed": 0,
            "not_open": 0, "paused": 0, "ended": 0,
            "extended": 1, "paid": 1, "late": 0, "cancelled": 1, "refunded": 1, "expired": 0,
        },
        "calls": 5,
        "heat": [1, 2],
        "declined": [
            { "id": "1767225604000-0/0", "user": "wang", "outcome": "seat_taken", "at": 1_767_225_604_000_i64 },
            { "id": "1767225603500-0/0", "user": "wang", "outcome": "not_together", "at": 1_767_225_603_500_i64 },
            { "id": "1767225603000-0/0", "user": "wang", "outcome": "not_enough_seats", "at": 1_767_225_603_000_i64 },
        ],
        "crowd": null,
        "seats": { "whole": "gaaaa" },
    });
    let request = json!({ "sale": "club" });
    Endpoint::of::<TicketSnapshotRequest>().id("sale").errors(&OF_A_SALE).example("one seat sold", request, answer)
}

fn hall() -> Endpoint {
    let mut layout = layout();
    for section in layout["sections"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        for field in ["x", "y", "turn", "radius"] {
            section.entry(field).or_insert(0.0.into());
        }
        section.entry("rank").or_insert(0.into());
    }
    Endpoint::of::<HallRequest>().id("sale").errors(&OF_A_SALE).example(
        "with all that the layout left out",
        json!({ "sale": "club" }),
        json!({ "layout": layout, "prices": [8_800, 4_800] }),
    )
}

fn seat() -> Endpoint {
    Endpoint::of::<SeatInfoRequest>().id("sale").errors(&OF_A_SALE).example(
        "sold",
        json!({ "sale": "club", "seat": "A-01-02" }),
        json!({
            "seat": "A-01-02", "category": "front", "price_cents": 8_800, "state": "sold", "held_until": null,
            "marks": [], "note": null, "reason": null,
        }),
    )
}

fn audit() -> Endpoint {
    Endpoint::of::<TicketAuditRequest>().id("sale").errors(&OF_A_SALE).example(
        "everything holds",
        json!({ "sale": "club" }),
        json!({
            "verdict": "holds",
            "invariants": [{ "name": "seats", "expected": 15, "found": 15 }],
            "event_id": "1767225605000-0",
            "at": 1_767_225_606_000_i64,
            "reason": null,
        }),
    )
}

fn script() -> Endpoint {
    Endpoint::of::<TicketScriptRequest>().errors(&OF_THE_STORE).example(
        "reserve.lua",
        json!({}),
        json!({
            "name": "ticket/reserve.lua",
            "source": "#!lua\n-- …",
            "sha": "5f1d3b6a9c2e8d7f4a0b1c2d3e4f5a6b7c8d9e0f",
            "healed": 0,
        }),
    )
}
